//! The program's side of the socket: calls a table with what the debugger sent.

use crate::wire::*;
use cudbg::*;
use std::ffi::{c_char, c_void};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

/// Arguments that point somewhere, kept until the reply is made.
struct Arguments<'a> {
    reader: Reader<'a>,
    /// Memory for the function, aligned for anything, and its length in bytes; and whether the function writes it.
    buffers: Vec<(Vec<u64>, usize, bool)>,
}

impl Arguments<'_> {
    fn value(&mut self) -> Option<u64> {
        (self.reader.u8()? == VALUE).then(|| self.reader.u64())?
    }

    /// An address for the function, and the bytes behind it; `None` for the address means null.
    fn pointer(&mut self) -> Option<(*mut c_void, usize)> {
        let tag = self.reader.u8()?;
        if tag == NULL {
            return Some((std::ptr::null_mut(), 0));
        }
        let len = self.reader.u32()? as usize;
        let bytes = match tag {
            OUTPUT => &[][..],
            INPUT | BOTH => self.reader.bytes(len)?,
            _ => return None,
        };
        if len > 1 << 30 {
            return None;
        }
        let mut memory = vec![0u64; len.div_ceil(8).max(1)];
        for (word, chunk) in memory.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_ne_bytes(eight);
        }
        let address = memory.as_mut_ptr().cast();
        self.buffers.push((memory, len, tag != INPUT));
        Some((address, len))
    }
}

/// Whether `n` items of the pointer's type fit into the memory behind it.
fn enough<T>(_: *const T, len: usize, n: usize) -> bool {
    n.checked_mul(size_of::<T>())
        .is_some_and(|need| need <= len)
}

macro_rules! decode {
    (value $args:ident $ty:ty) => {
        (<$ty as Number>::from_number($args.value()?), 0usize)
    };
    (callback $args:ident $ty:ty) => {
        return Some((CUDBGResult::CUDBG_ERROR_NOT_SUPPORTED, Vec::new()))
    };
    (pointer $args:ident $ty:ty) => {
        return Some((CUDBGResult::CUDBG_ERROR_NOT_SUPPORTED, Vec::new()))
    };
    ($kind:ident $args:ident $ty:ty) => {{
        let (address, len) = $args.pointer()?;
        (address as $ty, len)
    }};
}

macro_rules! checked {
    (text $arg:ident) => {
        // A text must end within its bytes.
        if !$arg.0.is_null() {
            // SAFETY: the address has so many bytes.
            let bytes = unsafe { std::slice::from_raw_parts($arg.0.cast::<u8>(), $arg.1) };
            if !bytes.contains(&0) {
                return None;
            }
        }
    };
    (value $arg:ident) => {};
    (callback $arg:ident) => {};
    (pointer $arg:ident) => {};
    ($kind:ident $arg:ident $n:expr) => {
        if !$arg.0.is_null() && !enough($arg.0, $arg.1, $n) {
            return None;
        }
    };
}

macro_rules! dispatch {
    ($({ $index:literal $name:ident $age:ident ($($arg:ident: $ty:ty = $kind:ident $(($n:tt))?),*) })*) => {
        /// Calls one slot. `None` when the peer sent something else than the slot's arguments.
        #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
        fn dispatch(table: &CUDBGAPI_st, index: u32, args: &mut Arguments<'_>) -> Option<(CUDBGResult, Vec<u8>)> {
            let code = match index {
                $($index => {
                    $(let $arg: ($ty, usize) = decode!($kind args $ty);)*
                    $(checked!($kind $arg $({
                        // The count is an argument by that name, or a number.
                        count!($n)
                    })?);)*
                    let Some(f) = table.$name else {
                        return Some((CUDBGResult::CUDBG_ERROR_NOT_SUPPORTED, Vec::new()));
                    };
                    // SAFETY: every address is null or has the memory that the slot's row says, for the call's time.
                    unsafe { f($($arg.0),*) }
                })*
                _ => return None,
            };
            Some((code, Vec::new()))
        }
    };
}

macro_rules! count {
    ($n:literal) => {
        $n as usize
    };
    ($n:ident) => {
        usize::try_from($n.0).ok()?
    };
}

for_each_slot!(dispatch);

/// The body of a reply to the body of a call; `None` when it is no call.
pub(crate) fn answer(table: &CUDBGAPI_st, call: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader(call);
    let index = reader.u32()?;
    let mut args = Arguments {
        reader,
        buffers: Vec::new(),
    };
    let (code, _) = dispatch(table, index, &mut args)?;
    let mut reply = code.0.to_le_bytes().to_vec();
    for (memory, len, writes) in &args.buffers {
        if !writes {
            continue;
        }
        reply.extend((*len as u32).to_le_bytes());
        let bytes = memory.iter().flat_map(|w| w.to_ne_bytes());
        reply.extend(bytes.take(*len));
    }
    Some(reply)
}

/// Sends that there are events; errors show when the next call is read.
pub(crate) type Notifier = Arc<Mutex<UnixStream>>;

pub(crate) fn notify(to: &Notifier) {
    let mut stream = to.lock().unwrap_or_else(|e| e.into_inner());
    let _ = write_frame(&mut *stream, NOTIFY, &[]);
}

/// Answers calls until the debugger hangs up or sends nonsense.
pub(crate) fn serve(table: &CUDBGAPI_st, mut stream: UnixStream, writer: &Notifier) {
    while let Ok((CALL, body)) = read_frame(&mut stream) {
        let Some(reply) = answer(table, &body) else {
            return;
        };
        let mut to = writer.lock().unwrap_or_else(|e| e.into_inner());
        if write_frame(&mut *to, REPLY, &reply).is_err() {
            return;
        }
    }
}
