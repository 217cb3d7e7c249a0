//! Barriers in shared memory (`mbarrier`): threads arrive, asynchronous copies add bytes, and waiters learn when a phase has ended.
//!
//! A barrier lies in shared memory: `static mut BAR: SharedArray<Barrier, 1> = SharedArray::UNINIT;`. One thread initialises it with the
//! number of arrivals of a phase, then the block meets at `sync_threads`. sm_80 and up; what counts bytes, and the waits that sleep, sm_90.

use crate::intrinsics::*;
use core::cell::UnsafeCell;
use core::marker::PhantomData;

/// The 8 bytes of a barrier. Its contents are the hardware's.
#[repr(C, align(8))]
pub struct Barrier(UnsafeCell<u64>);

/// Which phase an arrival belonged to: what [`mbarrier_test_wait`] asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Token(pub u64);

macro_rules! raw {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $intrinsic:ident $(=> $wrap:path)?;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// `bar` is a barrier in the shared memory of this block, initialised unless this initialises it.
        #[inline(always)]
        pub unsafe fn $name(bar: *mut Barrier $(, $arg: $ty)*) $(-> $ret)? {
            // SAFETY: the caller's contract.
            let result = unsafe { $intrinsic(bar as *mut u8 $(, $arg.into_raw())*) };
            $($wrap)?(result)
        }
    )*};
}
/// Operands as the intrinsics take them.
trait IntoRaw {
    type Raw;
    fn into_raw(self) -> Self::Raw;
}
impl IntoRaw for u32 {
    type Raw = u32;
    #[inline(always)]
    fn into_raw(self) -> u32 {
        self
    }
}
impl IntoRaw for Token {
    type Raw = u64;
    #[inline(always)]
    fn into_raw(self) -> u64 {
        self.0
    }
}
raw! {
    /// Makes it a barrier whose phases end after `count` arrivals.
    mbarrier_init(count: u32) = __nvvm_mbarrier_init;
    /// One arrival at the current phase.
    mbarrier_arrive() -> Token = __nvvm_mbarrier_arrive => Token;
    /// The current phase waits for so many more bytes of asynchronous copies; then one arrival. sm_90.
    mbarrier_arrive_expect_tx(bytes: u32) -> Token = __nvvm_mbarrier_arrive_expect_tx => Token;
    /// The current phase waits for so many more bytes of asynchronous copies. sm_90.
    mbarrier_expect_tx(bytes: u32) = __nvvm_mbarrier_expect_tx;
    /// One arrival at the barrier at the same place in the shared memory of block `rank` of the cluster. sm_90.
    mbarrier_arrive_cluster(rank: u32) = __nvvm_mbarrier_arrive_cluster;
    /// Whether the phase of the token has ended.
    mbarrier_test_wait(token: Token) -> bool = __nvvm_mbarrier_test_wait;
    /// Waits a while for the end of the token's phase; whether it has ended. sm_90.
    mbarrier_try_wait(token: Token) -> bool = __nvvm_mbarrier_try_wait;
    /// Waits a while for the end of the phase of this parity (0 for the first, then 1, 0, …); whether it has ended. sm_90.
    mbarrier_try_wait_parity(parity: u32) -> bool = __nvvm_mbarrier_try_wait_parity;
    /// Makes it plain memory again.
    mbarrier_inval() = __nvvm_mbarrier_inval;
}

/// Makes initialisations of barriers visible to the cluster and to asynchronous copies. sm_90.
#[inline(always)]
pub fn fence_mbarrier_init_cluster() {
    // SAFETY: a fence.
    unsafe { __nvvm_fence_mbarrier_init_cluster() }
}

/// Orders this thread's accesses to shared memory before later asynchronous copies from it. sm_90.
#[inline(always)]
pub fn fence_proxy_async_shared_cta() {
    // SAFETY: a fence.
    unsafe { __nvvm_fence_proxy_async_shared_cta() }
}

/// Lets the thread sleep for about `ns` nanoseconds, at most a millisecond.
#[inline(always)]
pub fn nanosleep(ns: u32) {
    // SAFETY: touches nothing.
    unsafe { __nvvm_nanosleep(ns) }
}

impl Barrier {
    /// [`mbarrier_init`].
    ///
    /// # Safety
    /// In shared memory; one thread calls it, and all meet at `sync_threads` before they use the barrier.
    #[inline(always)]
    pub unsafe fn init(&self, count: u32) {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_init(self.raw(), count) }
    }

    #[inline(always)]
    fn raw(&self) -> *mut Barrier {
        self as *const Barrier as *mut Barrier
    }

    /// [`mbarrier_arrive`].
    ///
    /// # Safety
    /// Initialised.
    #[inline(always)]
    pub unsafe fn arrive(&self) -> Token {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_arrive(self.raw()) }
    }

    /// [`mbarrier_arrive_expect_tx`].
    ///
    /// # Safety
    /// Initialised.
    #[inline(always)]
    pub unsafe fn arrive_expect_tx(&self, bytes: u32) -> Token {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_arrive_expect_tx(self.raw(), bytes) }
    }

    /// [`mbarrier_test_wait`].
    ///
    /// # Safety
    /// Initialised; the token is of this phase or the one before.
    #[inline(always)]
    pub unsafe fn test_wait(&self, token: Token) -> bool {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_test_wait(self.raw(), token) }
    }

    /// [`mbarrier_try_wait`].
    ///
    /// # Safety
    /// As [`Barrier::test_wait`].
    #[inline(always)]
    pub unsafe fn try_wait(&self, token: Token) -> bool {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_try_wait(self.raw(), token) }
    }

    /// [`mbarrier_try_wait_parity`].
    ///
    /// # Safety
    /// Initialised.
    #[inline(always)]
    pub unsafe fn try_wait_parity(&self, parity: u32) -> bool {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_try_wait_parity(self.raw(), parity) }
    }

    /// Waits for the end of the token's phase, by [`Barrier::test_wait`] in a loop.
    ///
    /// # Safety
    /// As [`Barrier::test_wait`].
    #[inline(always)]
    pub unsafe fn wait(&self, token: Token) {
        // SAFETY: the caller's contract.
        while !unsafe { self.test_wait(token) } {}
    }

    /// Waits for the end of the phase of this parity. sm_90.
    ///
    /// # Safety
    /// Initialised.
    #[inline(always)]
    pub unsafe fn wait_parity(&self, parity: u32) {
        // SAFETY: the caller's contract.
        while !unsafe { self.try_wait_parity(parity) } {}
    }

    /// [`mbarrier_inval`].
    ///
    /// # Safety
    /// Initialised, and no thread uses it any more.
    #[inline(always)]
    pub unsafe fn inval(&self) {
        // SAFETY: the caller's contract.
        unsafe { mbarrier_inval(self.raw()) }
    }
}

/// State of a [`ManagedBarrier`]: not initialised.
pub struct Uninit;
/// State of a [`ManagedBarrier`]: in use.
pub struct Ready;
/// State of a [`ManagedBarrier`]: plain memory again.
pub struct Invalidated;
/// Kind of a [`ManagedBarrier`]: threads arrive.
pub struct GeneralBarrier;
/// Kind of a [`ManagedBarrier`]: asynchronous copies complete it.
pub struct TmaBarrier;
/// Kind of a [`ManagedBarrier`]: matrix products complete it.
pub struct MmaBarrier;

/// A barrier with its life in its type: `Uninit` → `Ready` → `Invalidated`. `Kind` and `ID` keep barriers of one kernel apart.
pub struct ManagedBarrier<State, Kind = GeneralBarrier, const ID: usize = 0> {
    barrier: *mut Barrier,
    _state: PhantomData<(State, Kind)>,
}

impl<State, Kind, const ID: usize> ManagedBarrier<State, Kind, ID> {
    #[inline(always)]
    fn to<Next>(self) -> ManagedBarrier<Next, Kind, ID> {
        ManagedBarrier {
            barrier: self.barrier,
            _state: PhantomData,
        }
    }

    /// The barrier itself, for raw functions and copies.
    #[inline(always)]
    pub fn as_ptr(&self) -> *mut Barrier {
        self.barrier
    }
}

impl<Kind, const ID: usize> ManagedBarrier<Uninit, Kind, ID> {
    /// A barrier in shared memory.
    ///
    /// # Safety
    /// `barrier` is in the shared memory of this block, and this is its only manager in the thread.
    #[inline(always)]
    pub unsafe fn from_static(barrier: *mut Barrier) -> Self {
        ManagedBarrier {
            barrier,
            _state: PhantomData,
        }
    }

    /// Every thread of the block calls it: thread 0 initialises, and all meet.
    #[inline(always)]
    pub fn init(self, count: u32) -> ManagedBarrier<Ready, Kind, ID> {
        use crate::thread::{sync_threads, threadIdx_x, threadIdx_y, threadIdx_z};
        if threadIdx_x() | threadIdx_y() | threadIdx_z() == 0 {
            // SAFETY: by `from_static`; one thread.
            unsafe { mbarrier_init(self.barrier, count) }
        }
        sync_threads();
        self.to()
    }
}

macro_rules! managed {
    ($($name:ident($($arg:ident: $ty:ty)?) $(-> $ret:ty)?;)*) => {
        impl<Kind, const ID: usize> ManagedBarrier<Ready, Kind, ID> {
            $(
                #[doc = concat!("[`Barrier::", stringify!($name), "`].")]
                #[inline(always)]
                pub fn $name(&self $(, $arg: $ty)?) $(-> $ret)? {
                    // SAFETY: the state says that it is initialised.
                    unsafe { (*self.barrier).$name($($arg)?) }
                }
            )*
            /// [`Barrier::inval`], by one thread after all have met; every thread of the block calls it.
            #[inline(always)]
            pub fn inval(self) -> ManagedBarrier<Invalidated, Kind, ID> {
                use crate::thread::{sync_threads, threadIdx_x, threadIdx_y, threadIdx_z};
                sync_threads();
                if threadIdx_x() | threadIdx_y() | threadIdx_z() == 0 {
                    // SAFETY: all threads have met, so none uses it.
                    unsafe { mbarrier_inval(self.barrier) }
                }
                sync_threads();
                self.to()
            }
        }
    };
}
managed! {
    arrive() -> Token;
    arrive_expect_tx(bytes: u32) -> Token;
    test_wait(token: Token) -> bool;
    try_wait(token: Token) -> bool;
    try_wait_parity(parity: u32) -> bool;
    wait(token: Token);
    wait_parity(parity: u32);
}
