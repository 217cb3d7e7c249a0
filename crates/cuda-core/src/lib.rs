//! Contexts, streams, buffers, modules and launches over whichever driver is there
