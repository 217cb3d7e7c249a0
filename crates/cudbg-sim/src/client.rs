//! The debugger's side of the socket: a table of the API whose functions send their arguments.
//!
//! As with libcuda there is one back end for a process.

use crate::wire::*;
use cudbg::*;
use std::any::TypeId;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, RwLock};

struct Connection {
    /// Locked for the whole of a call: calls take turns.
    calls: Mutex<(UnixStream, Receiver<Vec<u8>>)>,
}

type Callback = (CUDBGNotifyNewEventCallback, usize);

static CONNECTION: RwLock<Option<Arc<Connection>>> = RwLock::new(None);
static CALLBACK: Mutex<Option<Callback>> = Mutex::new(None);

thread_local! {
    /// Set in the thread that runs callbacks, while it does.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Where the reply goes that one argument asked for.
struct Output {
    to: *mut u8,
    len: usize,
    is_bool: bool,
}

struct Call {
    body: Vec<u8>,
    outputs: Vec<Output>,
    /// An argument that cannot travel.
    stays: bool,
}

impl Call {
    fn new(index: u32) -> Call {
        Call {
            body: index.to_le_bytes().to_vec(),
            outputs: Vec::new(),
            stays: false,
        }
    }

    fn value(&mut self, n: u64) {
        self.body.push(VALUE);
        self.body.extend(n.to_le_bytes());
    }

    fn head(&mut self, tag: u8, null: bool, len: usize) -> bool {
        match u32::try_from(len) {
            _ if null => self.body.push(NULL),
            Ok(len) => {
                self.body.push(tag);
                self.body.extend(len.to_le_bytes());
            }
            Err(_) => self.stays = true,
        }
        !null && !self.stays
    }

    fn output<T: 'static>(&mut self, to: *mut T, n: usize) {
        let len = n.saturating_mul(size_of::<T>());
        if self.head(OUTPUT, to.is_null(), len) {
            let is_bool = TypeId::of::<T>() == TypeId::of::<bool>();
            self.outputs.push(Output {
                to: to.cast(),
                len,
                is_bool,
            });
        }
    }

    /// # Safety
    /// `from` is null or has `n` items.
    unsafe fn input<T>(&mut self, from: *const T, n: usize) {
        let len = n.saturating_mul(size_of::<T>());
        if self.head(INPUT, from.is_null(), len) {
            // SAFETY: the caller's promise.
            self.body
                .extend(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), len) });
        }
    }

    /// # Safety
    /// `at` is null or has `n` items.
    unsafe fn both<T>(&mut self, at: *mut T, n: usize) {
        let len = n.saturating_mul(size_of::<T>());
        if self.head(BOTH, at.is_null(), len) {
            // SAFETY: the caller's promise.
            self.body
                .extend(unsafe { std::slice::from_raw_parts(at.cast::<u8>(), len) });
            self.outputs.push(Output {
                to: at.cast(),
                len,
                is_bool: false,
            });
        }
    }

    /// # Safety
    /// `text` is null or ends with a zero.
    unsafe fn text(&mut self, text: *const c_char) {
        let bytes = if text.is_null() {
            &[][..]
        } else {
            // SAFETY: the caller's promise.
            unsafe { CStr::from_ptr(text) }.to_bytes_with_nul()
        };
        if self.head(INPUT, text.is_null(), bytes.len()) {
            self.body.extend(bytes);
        }
    }

    fn send(self) -> CUDBGResult {
        if IN_CALLBACK.get() {
            return CUDBGResult::CUDBG_ERROR_RECURSIVE_API_CALL;
        }
        if self.stays {
            return CUDBGResult::CUDBG_ERROR_NOT_SUPPORTED;
        }
        let connection = CONNECTION.read().unwrap_or_else(|e| e.into_inner()).clone();
        let Some(connection) = connection else {
            return CUDBGResult::CUDBG_ERROR_UNINITIALIZED;
        };
        self.exchange(&connection)
            .unwrap_or(CUDBGResult::CUDBG_ERROR_COMMUNICATION_FAILURE)
    }

    /// `None` when the other side has gone or answers with something else.
    fn exchange(self, connection: &Connection) -> Option<CUDBGResult> {
        let mut calls = connection.calls.lock().unwrap_or_else(|e| e.into_inner());
        write_frame(&mut calls.0, CALL, &self.body).ok()?;
        let reply = calls.1.recv().ok()?;
        let mut r = Reader(&reply);
        let code = CUDBGResult(r.u32()?);
        if r.0.is_empty() {
            return Some(code);
        }
        for o in &self.outputs {
            let len = r.u32()? as usize;
            let bytes = r.bytes(len)?;
            if len != o.len {
                return None;
            }
            // SAFETY: the API's caller gave memory for so many bytes; a `bool` gets 0 or 1.
            unsafe {
                if o.is_bool {
                    *o.to = bytes[0] & 1;
                } else {
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), o.to, len);
                }
            }
        }
        Some(code)
    }
}

macro_rules! encode {
    (value $call:ident $arg:ident) => {
        $call.value($arg.number())
    };
    (output $call:ident $arg:ident $n:tt) => {
        $call.output($arg, $n as usize)
    };
    (input $call:ident $arg:ident $n:tt) => {
        // SAFETY: the API's caller gives so many items.
        unsafe { $call.input($arg, $n as usize) }
    };
    (both $call:ident $arg:ident $n:tt) => {
        // SAFETY: the API's caller gives so many items.
        unsafe { $call.both($arg, $n as usize) }
    };
    (text $call:ident $arg:ident) => {
        // SAFETY: the API's caller gives a text of C.
        unsafe { $call.text($arg) }
    };
    ($kind:ident $call:ident $arg:ident) => {{
        let _ = $arg;
        $call.stays = true
    }};
}

macro_rules! proxies {
    ($({ $index:literal $name:ident $age:ident ($($arg:ident: $ty:ty = $kind:ident $(($n:tt))?),*) })*) => {
        $(#[allow(clippy::too_many_arguments, unused_mut)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> CUDBGResult {
            let mut call = Call::new($index);
            $(encode!($kind call $arg $($n)?);)*
            call.send()
        })*

        static TABLE: CUDBGAPI_st = CUDBGAPI_st {
            setNotifyNewEventCallback: Some(set_callback),
            ..CUDBGAPI_st { $($name: Some($name),)* }
        };
    };
}

for_each_slot!(proxies);

/// Callbacks stay in this process.
unsafe extern "C" fn set_callback(
    callback: Option<CUDBGNotifyNewEventCallback>,
    data: *mut c_void,
) -> CUDBGResult {
    if IN_CALLBACK.get() {
        return CUDBGResult::CUDBG_ERROR_RECURSIVE_API_CALL;
    }
    *CALLBACK.lock().unwrap_or_else(|e| e.into_inner()) = callback.map(|c| (c, data as usize));
    CUDBGResult::CUDBG_SUCCESS
}

fn run_callback() {
    let callback = *CALLBACK.lock().unwrap_or_else(|e| e.into_inner());
    let Some((callback, data)) = callback else {
        return;
    };
    let mut data = CUDBGEventCallbackData {
        userData: data as *mut c_void,
        tid: 0,
    };
    IN_CALLBACK.set(true);
    // SAFETY: whoever set the callback allows it to be called with its data.
    unsafe { callback(&mut data) };
    IN_CALLBACK.set(false);
}

/// Makes a connected program the back end of this process, and gives the API to work with it. A back end from before is dropped.
pub fn connect(stream: UnixStream) -> std::io::Result<Api> {
    let mut incoming = stream.try_clone()?;
    let (sender, replies) = channel();
    let connection = Connection {
        calls: Mutex::new((stream, replies)),
    };
    *CONNECTION.write().unwrap_or_else(|e| e.into_inner()) = Some(Arc::new(connection));
    std::thread::Builder::new()
        .name("cudbg replies".into())
        .spawn(move || {
            loop {
                match read_frame(&mut incoming) {
                    Ok((REPLY, body)) => {
                        if sender.send(body).is_err() {
                            return;
                        }
                    }
                    Ok((NOTIFY, _)) => run_callback(),
                    _ => break,
                }
            }
            // Whoever waits for events learns that there will be none.
            drop(sender);
            run_callback();
        })?;
    // SAFETY: the proxies keep to the API.
    Ok(unsafe { Api::new(&TABLE) })
}
