//! From the files of a device pass to an artifact: the rooms of the compiler in their order
