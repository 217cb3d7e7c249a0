//! The format that is embedded in host binaries, and the key that joins launch and instance
