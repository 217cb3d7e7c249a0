//! Device memory: allocations at simulated addresses that are never used twice, so that an access below, above or
//! after the life of an allocation is known for what it is.
//!
//! Device addresses lie above what a user process of the host can map: a host that reads through a device pointer
//! faults, as it does with a GPU. Host memory that is mapped for the device keeps its own address.

use crate::error::{AccessKind, Nearby, SimError};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::{Arc, RwLock};

/// Where allocations start.
pub const GLOBAL_BASE: u64 = 0x0000_8000_0000_0000;
/// Generic addresses of shared memory: this plus the shared address.
pub const SHARED_WINDOW: u64 = 0x0000_9000_0000_0000;
/// Generic addresses of local memory: this plus the local address.
pub const LOCAL_WINDOW: u64 = 0x0000_a000_0000_0000;
/// Generic addresses of kernel parameters: this plus the offset.
pub const PARAM_WINDOW: u64 = 0x0000_b000_0000_0000;
/// Addresses of functions: this plus 16 times an index.
pub const CODE_WINDOW: u64 = 0x0000_c000_0000_0000;
/// Size of each of the windows.
pub const WINDOW_SIZE: u64 = 1 << 32;
/// Unused addresses between allocations, in which small overruns are seen.
const GAP: u64 = 1 << 20;
/// Alignment of allocations, as cuMemAlloc gives it.
const ALIGN: u64 = 512;

/// Bytes of the host that live as long as somebody holds them.
#[derive(Debug)]
struct Backing {
    data: *mut u8,
    layout: Option<Layout>,
}

// SAFETY: the pointer owns its bytes (or borrows memory that `Memory::map_host`'s caller keeps); all accesses to them
// go through raw pointers and relaxed atomics.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Drop for Backing {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: `data` came from `alloc_zeroed` with this layout.
            unsafe { dealloc(self.data, layout) }
        }
    }
}

/// A range of device addresses.
#[derive(Clone, Debug)]
pub struct Region {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Whether kernels may write.
    pub writable: bool,
    /// Name of the variable, empty for an allocation.
    pub name: String,
    backing: Arc<Backing>,
}

impl Region {
    /// Where the bytes are on the host.
    pub fn host(&self) -> *mut u8 {
        self.backing.data
    }
}

/// All allocations at one time.
#[derive(Clone, Debug, Default)]
pub struct Table {
    live: Vec<Region>,
    freed: Vec<(u64, u64)>,
}

impl Table {
    /// The allocation that holds all of `address..address + size`.
    pub fn find(&self, address: u64, size: u64) -> Option<&Region> {
        let i = self.live.partition_point(|r| r.start <= address);
        let r = &self.live[i.checked_sub(1)?];
        let offset = address - r.start;
        (offset <= r.size && size <= r.size - offset && (size > 0 || offset < r.size)).then_some(r)
    }

    /// Why `address` is outside: what is near it.
    pub fn nearby(&self, address: u64, size: u64, kind: AccessKind) -> Nearby {
        if let Some(r) = self.find(address, size)
            && !r.writable
            && kind != AccessKind::Load
        {
            return Nearby::ReadOnly;
        }
        if address < 4096 {
            return Nearby::Null;
        }
        let i = self.freed.partition_point(|&(s, _)| s <= address);
        if let Some(&(start, len)) = i.checked_sub(1).and_then(|i| self.freed.get(i))
            && address - start < len
        {
            return Nearby::AfterFree { start, size: len };
        }
        let i = self.live.partition_point(|r| r.start <= address);
        let below = i
            .checked_sub(1)
            .map(|i| &self.live[i])
            .map(|r| (r, (address - r.start).saturating_sub(r.size)));
        let above = self.live.get(i).map(|r| (r, r.start - address));
        let name = |r: &Region| r.name.clone();
        match (below, above) {
            (Some((r, d)), Some((_, e))) if d <= e && d < GAP << 10 => Nearby::Above {
                distance: d,
                start: r.start,
                size: r.size,
                name: name(r),
            },
            (Some((r, d)), None) if d < GAP << 10 => Nearby::Above {
                distance: d,
                start: r.start,
                size: r.size,
                name: name(r),
            },
            (_, Some((r, e))) if e < GAP << 10 => Nearby::Below {
                distance: e,
                start: r.start,
                size: r.size,
                name: name(r),
            },
            _ => Nearby::Nothing,
        }
    }

    fn insert(&mut self, r: Region) {
        let i = self.live.partition_point(|o| o.start < r.start);
        self.live.insert(i, r);
    }
}

#[derive(Debug)]
struct State {
    table: Arc<Table>,
    next: u64,
    used: u64,
}

/// The memory of a device.
#[derive(Debug)]
pub struct Memory {
    state: RwLock<State>,
}

impl Default for Memory {
    fn default() -> Self {
        let state = State {
            table: Arc::default(),
            next: GLOBAL_BASE + GAP,
            used: 0,
        };
        Memory {
            state: RwLock::new(state),
        }
    }
}

impl Memory {
    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(|e| e.into_inner())
    }

    /// The allocations as they are now; their bytes stay while the table is held.
    pub fn table(&self) -> Arc<Table> {
        self.state
            .read()
            .unwrap_or_else(|e| e.into_inner())
            .table
            .clone()
    }

    /// Bytes allocated.
    pub fn used(&self) -> u64 {
        self.state.read().unwrap_or_else(|e| e.into_inner()).used
    }

    /// Allocates zeroed memory and answers with its device address.
    pub fn alloc(&self, size: u64) -> Result<u64, SimError> {
        self.alloc_named(size, ALIGN, "", true)
    }

    /// Allocates memory for a variable of a module.
    pub fn alloc_named(
        &self,
        size: u64,
        align: u64,
        name: &str,
        writable: bool,
    ) -> Result<u64, SimError> {
        let out = || SimError::OutOfMemory { size };
        let rounded = size
            .checked_next_multiple_of(ALIGN)
            .filter(|s| *s < 1 << 43)
            .ok_or_else(out)?
            .max(ALIGN);
        let align = align.max(ALIGN).next_power_of_two();
        let layout =
            Layout::from_size_align(rounded as usize, ALIGN as usize).map_err(|_| out())?;
        let mut state = self.write();
        let start = state.next.next_multiple_of(align);
        if start + rounded + GAP >= SHARED_WINDOW {
            return Err(out());
        }
        // SAFETY: the layout is not empty.
        let data = unsafe { alloc_zeroed(layout) };
        if data.is_null() {
            return Err(out());
        }
        state.next = start + rounded + GAP;
        state.used += size;
        let backing = Arc::new(Backing {
            data,
            layout: Some(layout),
        });
        let region = Region {
            start,
            size,
            writable,
            name: name.into(),
            backing,
        };
        Arc::make_mut(&mut state.table).insert(region);
        Ok(start)
    }

    /// Makes `size` bytes at `host` visible to kernels, under their own address.
    ///
    /// # Safety
    /// The bytes stay valid for reads and writes until [`Memory::free`] of their address.
    pub unsafe fn map_host(&self, host: *mut u8, size: u64) {
        let backing = Arc::new(Backing {
            data: host,
            layout: None,
        });
        let region = Region {
            start: host as u64,
            size,
            writable: true,
            name: String::new(),
            backing,
        };
        let mut state = self.write();
        let table = Arc::make_mut(&mut state.table);
        table
            .freed
            .retain(|&(s, n)| s + n <= region.start || s >= region.start + size);
        table.insert(region);
    }

    /// Frees the allocation that starts at `address`; `false` when there is none.
    pub fn free(&self, address: u64) -> bool {
        let mut state = self.write();
        let Ok(i) = state.table.live.binary_search_by_key(&address, |r| r.start) else {
            return false;
        };
        let table = Arc::make_mut(&mut state.table);
        let r = table.live.remove(i);
        let at = table.freed.partition_point(|&(s, _)| s < r.start);
        table.freed.insert(at, (r.start, r.size));
        if r.backing.layout.is_some() {
            state.used -= r.size;
        }
        true
    }

    /// The allocation around `address`.
    pub fn region(&self, address: u64) -> Option<Region> {
        self.table().find(address, 0).cloned()
    }

    /// Reads bytes; `None` when they are not all in one allocation.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        let table = self.table();
        let r = table.find(address, out.len() as u64)?;
        // SAFETY: `find` says that the range is in the region, whose bytes the table keeps alive. A kernel that writes
        // them at the same time is the user's race, as on a GPU.
        unsafe {
            std::ptr::copy(
                r.host().add((address - r.start) as usize),
                out.as_mut_ptr(),
                out.len(),
            )
        };
        Some(())
    }

    /// Writes bytes; `None` when they are not all in one allocation.
    pub fn write_bytes(&self, address: u64, bytes: &[u8]) -> Option<()> {
        let table = self.table();
        let r = table.find(address, bytes.len() as u64)?;
        // SAFETY: as in `read`.
        unsafe {
            std::ptr::copy(
                bytes.as_ptr(),
                r.host().add((address - r.start) as usize),
                bytes.len(),
            )
        };
        Some(())
    }

    /// The bytes of all allocations that the simulator owns, to be put back by [`Memory::restore`].
    pub fn snapshot(&self) -> Snapshot {
        let table = self.table();
        let regions = table
            .live
            .iter()
            .filter(|r| r.backing.layout.is_some())
            .map(|r| {
                let mut bytes = vec![0u8; r.size as usize];
                // SAFETY: the region has `size` bytes, kept alive by `table`.
                unsafe { std::ptr::copy(r.host(), bytes.as_mut_ptr(), bytes.len()) };
                (r.start, bytes)
            })
            .collect();
        Snapshot { regions }
    }

    /// Puts bytes back where their allocations still exist.
    pub fn restore(&self, snapshot: &Snapshot) {
        for (start, bytes) in &snapshot.regions {
            self.write_bytes(*start, bytes);
        }
    }
}

/// Bytes of device memory at one time.
#[derive(Clone, Debug)]
pub struct Snapshot {
    regions: Vec<(u64, Vec<u8>)>,
}
