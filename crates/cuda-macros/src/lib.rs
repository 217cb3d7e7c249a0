//! kernel, cuda_module, DeviceCopy and the other attributes
