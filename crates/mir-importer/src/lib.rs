//! rustc-mir's tree to dialect-mir
