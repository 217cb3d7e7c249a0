//! What host programs use beside cuda-core
