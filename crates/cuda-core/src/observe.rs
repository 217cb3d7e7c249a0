//! Being told of launches: what reflection around a piece of a program is made of.

use crate::{CudaModule, LaunchConfig};
use std::cell::RefCell;
use std::rc::Rc;

/// A launch that the driver has taken.
#[derive(Debug)]
pub struct Launch<'a> {
    pub module: &'a CudaModule,
    /// The kernel's name in PTX.
    pub ptx_name: &'a str,
    pub config: LaunchConfig,
}

type Observer = Rc<dyn Fn(&Launch<'_>)>;

thread_local! {
    /// Of this thread, outermost first. Other threads are not seen, so that two that observe do not mix.
    static OBSERVERS: RefCell<Vec<Observer>> = const { RefCell::new(Vec::new()) };
}

/// Takes the innermost observer away, also when the observed code panics.
struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        OBSERVERS.with_borrow_mut(|all| drop(all.pop()));
    }
}

/// Calls `observer` for every launch that this thread makes during `f`, on whatever stream. Calls nest: each observer sees the
/// launches within its own `f`.
pub fn launches<R>(observer: impl Fn(&Launch<'_>) + 'static, f: impl FnOnce() -> R) -> R {
    OBSERVERS.with_borrow_mut(|all| all.push(Rc::new(observer)));
    let _guard = Guard;
    f()
}

/// Tells the observers. Without any it is one look at a thread's own empty list.
pub(crate) fn launched(module: &CudaModule, ptx_name: &str, config: LaunchConfig) {
    // A thread that ends may launch once more, in a destructor.
    let observers = OBSERVERS.try_with(|all| {
        let all = all.borrow();
        (!all.is_empty()).then(|| all.clone())
    });
    let Ok(Some(observers)) = observers else {
        return;
    };
    let launch = Launch {
        module,
        ptx_name,
        config,
    };
    for observer in observers {
        observer(&launch);
    }
}
