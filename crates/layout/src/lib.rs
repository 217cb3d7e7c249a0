//! The one owner of type layouts: what rustc says about size, alignment, offsets and tags
