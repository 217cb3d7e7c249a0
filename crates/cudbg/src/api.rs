//! The table as an object whose methods answer with `Result`.

use crate::event::Event;
use crate::*;
use std::ffi::c_void;

/// Why a call gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The library answered with a code.
    #[error("{}", .0.name().unwrap_or("an unknown result code"))]
    Code(CUDBGResult),
    /// The library has no function in this slot.
    #[error("the debugger API of this library has no such function")]
    Missing,
    /// A slice is longer than the API can say.
    #[error("more than 4294967295 items in one call")]
    TooLong,
}

impl Error {
    /// The code, when the library gave one.
    pub fn code(self) -> Option<CUDBGResult> {
        match self {
            Error::Code(c) => Some(c),
            Error::Missing | Error::TooLong => None,
        }
    }
}

/// The answer of every method.
pub type Result<T> = std::result::Result<T, Error>;

/// Longest text that is asked for, with the zero at its end.
pub(crate) const TEXT: usize = 1 << 16;

/// The API of one library.
#[derive(Clone, Copy)]
pub struct Api {
    table: &'static CUDBGAPI_st,
}

impl Api {
    /// # Safety
    /// The functions of the table behave as the API says of their slots.
    pub unsafe fn new(table: &'static CUDBGAPI_st) -> Api {
        Api { table }
    }

    /// The functions.
    pub fn table(&self) -> &'static CUDBGAPI_st {
        self.table
    }

    pub(crate) fn slot<F>(&self, function: Option<F>) -> Result<F> {
        function.ok_or(Error::Missing)
    }

    /// Has `callback` called with `data` when events arrive, from a thread of the library.
    ///
    /// # Safety
    /// `callback` can be called with this data from any thread until another one is set or the API is finalized.
    pub unsafe fn set_notify_new_event_callback(
        &self,
        callback: Option<CUDBGNotifyNewEventCallback>,
        data: *mut c_void,
    ) -> Result<()> {
        let f = self.slot(self.table.setNotifyNewEventCallback)?;
        // SAFETY: the caller's promise.
        check(unsafe { f(callback, data) })
    }

    /// The next event of a queue; `None` when there is none.
    pub fn next_event(&self, queue: CUDBGEventQueueType) -> Result<Option<Event>> {
        match self.get_next_event(queue) {
            Ok(e) => Ok(Event::new(&e)),
            Err(Error::Code(CUDBGResult::CUDBG_ERROR_NO_EVENT_AVAILABLE)) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The instruction at an address, and its size in bytes. NVIDIA's header advises a disassembler of one's own instead; the slot
    /// is there all the same.
    pub fn disassemble(&self, dev: u32, addr: u64) -> Result<(u32, String)> {
        let f = self.slot(self.table.disassemble)?;
        let (mut size, mut words) = (0, [0u8; TEXT]);
        // SAFETY: a place for the size, and `TEXT` bytes for the words.
        check(unsafe { f(dev, addr, &mut size, words.as_mut_ptr().cast(), TEXT as u32) })?;
        Ok((size, text(&words)))
    }

    /// A module's whole image. `size` is what its event said.
    pub fn elf_image(&self, dev: u32, handle: u64, size: u64) -> Result<Vec<u8>> {
        let mut image = vec![0; usize::try_from(size).map_err(|_| Error::TooLong)?];
        let kind = CUDBGElfImageType::CUDBG_ELF_IMAGE_TYPE_RELOCATED;
        self.get_elf_image_by_handle(dev, handle, kind, &mut image)?;
        Ok(image)
    }
}

pub(crate) fn check(code: CUDBGResult) -> Result<()> {
    match code {
        CUDBGResult::CUDBG_SUCCESS => Ok(()),
        code => Err(Error::Code(code)),
    }
}

pub(crate) fn count(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::TooLong)
}

/// A value whose bytes are all zero, for the library to fill.
pub(crate) fn zeroed<T: Copy>() -> T {
    // SAFETY: the types of the API are numbers, `bool`s, and structs and unions of them: zero is a value of each.
    unsafe { std::mem::zeroed() }
}

/// The text up to its zero.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
