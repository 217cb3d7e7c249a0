//! The CUDA Debugger API over `gpu-sim`.
//!
//! In the debugged program the simulated driver tells the engine ([`program`]) of contexts, modules and launches; [`slots`] answers the API's calls
//! from the engine's state. The debugger is another process: [`client`] is a table of the API whose functions
//! send their arguments over a socket, and [`server`] calls the engine's table with them.

#![allow(non_snake_case)] // The API's names.

pub mod client;
mod engine;
mod fault;
mod grid;
mod image;
pub mod program;
mod registers;
pub mod server;
pub mod slots;
mod wire;

/// The variable that tells a program where its debugger listens: the path of a Unix socket.
pub const VARIABLE: &str = "CUDA_OXIDE_DEBUGGER";

/// Sections of a module's image that only the simulator's have.
pub mod sections {
    /// For each text: `u64` address, `u32` count, and the PTX line of each instruction as `u32`.
    pub const LINES: &str = ".oxide.lines";
    /// The side table, in `artifact`'s format.
    pub const SIDE: &str = ".oxide.side";
    /// The PTX; its lines end with a zero byte, as in NVIDIA's cubins.
    pub const PTX: &str = ".nv_debug_ptx_txt";
    /// Where PTX registers are, as in NVIDIA's cubins: `cstr function; u32 n; n × {u32 word; cstr register; u32 class << 24 | number; u32 from; u32 to}`.
    pub const REGISTERS: &str = ".nv_debug_info_reg_sass";
}
