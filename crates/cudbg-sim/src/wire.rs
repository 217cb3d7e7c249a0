//! The bytes between the two processes.
//!
//! A frame is `u32 length, u8 kind, body`. A call is the slot's index and its arguments, each with a tag; a reply the
//! result code and what the function wrote. Everything is little-endian.

use cudbg::*;
use std::io::{self, Read, Write};

pub const CALL: u8 = 1;
pub const REPLY: u8 = 2;
/// Events have arrived; no body.
pub const NOTIFY: u8 = 3;

/// Most bytes of a frame.
const LIMIT: u32 = 1 << 30;

pub fn write_frame(to: &mut impl Write, kind: u8, body: &[u8]) -> io::Result<()> {
    let len = u32::try_from(body.len()).ok().filter(|n| *n <= LIMIT);
    let len = len.ok_or_else(|| io::Error::other("the frame is too long"))?;
    let mut head = [0; 5];
    head[..4].copy_from_slice(&len.to_le_bytes());
    head[4] = kind;
    // One write, so that a frame is not torn by a signal between its parts.
    to.write_all(&[&head[..], body].concat())
}

pub fn read_frame(from: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
    if len > LIMIT {
        return Err(io::Error::other("the frame is too long"));
    }
    let mut body = vec![0; len as usize];
    from.read_exact(&mut body)?;
    Ok((head[4], body))
}

/// What travels for one argument.
pub const VALUE: u8 = 0;
pub const NULL: u8 = 1;
pub const OUTPUT: u8 = 2;
pub const INPUT: u8 = 3;
pub const BOTH: u8 = 4;

/// An argument that is passed by its value.
pub trait Number: Copy {
    fn number(self) -> u64;
    /// The rest of the 64 bits is dropped, as C does.
    fn from_number(n: u64) -> Self;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            fn number(self) -> u64 {
                self as u64
            }
            fn from_number(n: u64) -> Self {
                n as $ty
            }
        }
    )*};
}
numbers!(u32, u64, usize);

impl Number for bool {
    fn number(self) -> u64 {
        u64::from(self)
    }
    fn from_number(n: u64) -> Self {
        n & 1 != 0
    }
}

macro_rules! enums {
    ($($ty:ident),*) => {$(
        impl Number for $ty {
            fn number(self) -> u64 {
                u64::from(self.0)
            }
            fn from_number(n: u64) -> Self {
                $ty(n as u32)
            }
        }
    )*};
}
enums!(
    CUDBGAttribute,
    CUDBGKernelLaunchNotifyMode,
    CUDBGAdjAddrAction,
    CUDBGEventQueueType,
    CUDBGElfImageType,
    CUDBGCoredumpGenerationFlags,
    CUDBGDeviceInfoQueryType_t
);

/// Reads what a peer has sent; never panics.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        Some(self.bytes(1)?[0])
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }
}
