//! The table of function pointers, and what is known of each slot.

use crate::generated::enums::*;
use crate::generated::structs::*;
use std::ffi::{c_char, c_void};

/// Told of new events: the oldest form.
pub type CUDBGNotifyNewEventCallback31 = unsafe extern "C" fn(data: *mut c_void);
/// Told of new events: the form of 4.0.
pub type CUDBGNotifyNewEventCallback40 = unsafe extern "C" fn(data: *mut CUDBGEventCallbackData40);
/// Told of new events: the form of 4.1.
pub type CUDBGNotifyNewEventCallback41 = unsafe extern "C" fn(data: *mut CUDBGEventCallbackData41);
/// Told of new events. It runs on a thread of the library and may not call the API.
pub type CUDBGNotifyNewEventCallback = unsafe extern "C" fn(data: *mut CUDBGEventCallbackData);

/// A row of [`SLOTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Place in the table.
    pub index: usize,
    /// The header's name; a suffix is the version up to which it was current.
    pub name: &'static str,
    /// Whether no other slot has taken its place.
    pub current: bool,
    /// The arguments and their types.
    pub arguments: &'static [(&'static str, &'static str)],
}

macro_rules! is_current {
    (current) => {
        true
    };
    (old) => {
        false
    };
}

macro_rules! table {
    ($({ $index:literal $name:ident $age:ident ($($arg:ident: $ty:ty = $kind:ident $(($n:tt))?),*) })*) => {
        /// The API: function pointers in the header's order. A library may leave a slot null.
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct CUDBGAPI_st {
            $(pub $name: Option<unsafe extern "C" fn($($arg: $ty),*) -> CUDBGResult>,)*
        }

        impl CUDBGAPI_st {
            /// A table without functions.
            pub const EMPTY: CUDBGAPI_st = CUDBGAPI_st { $($name: None,)* };
        }

        /// What is known of each slot, by index.
        pub const SLOTS: &[Slot] = &[$(Slot {
            index: $index,
            name: stringify!($name),
            current: is_current!($age),
            arguments: &[$((stringify!($arg), stringify!($ty))),*],
        }),*];
    };
}

crate::for_each_slot!(table);
