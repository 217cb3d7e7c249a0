//! LLVM's fatal errors ("Cannot select: …") as ordinary errors.
//!
//! LLVM ends the process when its fatal error handler returns, and unwinding through its frames is not allowed. So
//! everything that can fail so runs on a thread of its own: the handler sends the message to the waiting caller and
//! then never returns. That thread, with the LLVM context that it owns, is lost; nothing else is.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::sync::mpsc::{Sender, channel};

use crate::Error;

/// Sends a message to the caller that waits.
type Report = Box<dyn Fn(String)>;

thread_local! {
    static REPORT: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// Stack of the working thread: LLVM recurses over expressions and over the dominator tree of large functions.
const STACK: usize = 256 << 20;

enum Outcome<T> {
    Done(T),
    Fatal(String),
}

/// Runs `work` on a thread where a fatal error of LLVM becomes [`Error::Fatal`].
pub(crate) fn guarded<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    // A scoped thread would have to be joined, which a parked one never allows; so the closure is made 'static by hand.
    let (sender, receiver) = channel::<Outcome<Result<T, Error>>>();
    let work: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
        let fatal: Sender<_> = sender.clone();
        let report: Box<dyn Fn(String) + '_> = Box::new(move |message| {
            let _ = fatal.send(Outcome::Fatal(message));
        });
        // SAFETY: only the lifetime changes. The box is taken out again below before this closure returns, and is
        // otherwise called by `handler` alone, which runs while `guarded` still waits on the receiver.
        let report: Report = unsafe { std::mem::transmute(report) };
        REPORT.with(|slot| *slot.borrow_mut() = Some(report));
        let result = work();
        REPORT.with(|slot| *slot.borrow_mut() = None);
        let _ = sender.send(Outcome::Done(result));
    });
    // SAFETY: only the lifetime changes. `guarded` returns after `Done`, when the closure has nothing borrowed left to
    // touch, or after `Fatal`, when the thread is parked for ever inside LLVM and never runs another line of the closure.
    let work: Box<dyn FnOnce() + Send + 'static> = unsafe { std::mem::transmute(work) };
    let thread = std::thread::Builder::new()
        .name("llvm".to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| Error::Internal(format!("no thread for LLVM: {error}")))?;
    match receiver.recv() {
        Ok(Outcome::Done(result)) => {
            let _ = thread.join();
            result
        }
        Ok(Outcome::Fatal(message)) => Err(Error::Fatal(message)),
        Err(_) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err(Error::Internal(
                "the LLVM thread ended without a result".to_owned(),
            )),
        },
    }
}

/// The handler that LLVM calls; it must not return, see the module's text.
pub(crate) unsafe extern "C" fn handler(reason: *const c_char) {
    // SAFETY: LLVM gives a string that ends in 0.
    let message = unsafe { CStr::from_ptr(reason) }
        .to_string_lossy()
        .into_owned();
    let sent = REPORT.with(|slot| match slot.try_borrow() {
        Ok(report) => report
            .as_ref()
            .map(|report| report(message.clone()))
            .is_some(),
        Err(_) => false,
    });
    if !sent {
        // No caller waits: every entry of this crate goes through `guarded`, so this is a bug of ours. LLVM aborts next.
        eprintln!("error: LLVM: {message}");
        return;
    }
    loop {
        std::thread::park();
    }
}
