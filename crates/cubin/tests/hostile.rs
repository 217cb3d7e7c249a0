//! Files that someone damaged: an error or an answer, never a panic, and never much more memory than the file has bytes.

use cubin::*;
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(by: isize) {
    // A thread that ends has no counters any more.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + by);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: everything is passed on to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that was held at once during a call.
fn peak(f: impl FnOnce()) -> usize {
    let before = NOW.get();
    MOST.set(before);
    f();
    (MOST.get() - before) as usize
}

/// Counts what is printed and keeps nothing.
struct Sink;

impl std::fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

/// Everything that can be asked of a file; results are dropped at once, as a program that streams would.
fn ask(data: &[u8]) {
    match Image::parse(data) {
        Ok(Image::Cubin(cubin)) => ask_cubin(&cubin),
        Ok(Image::Fatbin(fatbin)) => {
            for entry in fatbin.entries().flatten() {
                let _ = entry.is_compressed();
                if !entry.is_compressed() {
                    let _ = entry.data();
                }
            }
        }
        Err(e) => {
            let _ = e.to_string();
        }
    }
}

fn ask_cubin(cubin: &Cubin<'_>) {
    use std::fmt::Write;
    let _ = (cubin.sm(), cubin.is_tile(), cubin.tool());
    for function in cubin.functions() {
        let _ = cubin.code(&function);
        let _ = cubin.resources(&function);
    }
    for kind in [LineKind::Source, LineKind::Ptx, LineKind::TileIr] {
        if let Ok(table) = cubin.lines(kind) {
            for (section, address, _) in table.rows().take(200) {
                let _ = table.lookup(section, address + 1);
            }
        }
    }
    for ptx in extract_ptx(cubin).iter().flatten() {
        let _ = write!(Sink, "{}{}", ptx.text(), ptx.assemblable());
        let _ = ptx.reassembly(cubin);
        if let Ok(text) = ptx.with_locations(cubin) {
            let _ = write!(Sink, "{text}");
        }
    }
    let _ = extract_tile_ir(cubin);
}

fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "cubin" || e == "fatbin"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 12);
    files.iter().map(|p| std::fs::read(p).unwrap()).collect()
}

/// Beside the file: twice its size, and a little for messages.
fn check(data: &[u8]) {
    let peak = peak(|| ask(data));
    assert!(
        peak <= 2 * data.len() + 16 * 1024,
        "{peak} bytes for a file of {}",
        data.len()
    );
}

#[test]
fn the_samples_as_they_are() {
    for data in samples() {
        check(&data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes(which in 0usize..12, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut data = samples().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(data.len());
            data[at] = byte;
        }
        check(&data);
    }

    /// Words in the tables of the file, where sizes and offsets stand.
    #[test]
    fn changed_words(which in 0usize..12, tail in 1usize..4000, word in prop_oneof![any::<u32>(), 0u32..0x10000, Just(u32::MAX)]) {
        let mut data = samples().swap_remove(which);
        let at = data.len().saturating_sub(tail) & !3;
        if at + 4 <= data.len() {
            data[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        check(&data);
    }

    #[test]
    fn cut_off(which in 0usize..12, end in any::<prop::sample::Index>()) {
        let data = samples().swap_remove(which);
        check(&data[..end.index(data.len())]);
    }

    /// Line programs of any bytes, in place of the real one.
    #[test]
    fn line_programs(bytes in prop::collection::vec(any::<u8>(), 80)) {
        let mut data = samples().remove(3);
        let cubin = Cubin::parse(&data).unwrap();
        let at = cubin.section(".debug_line").unwrap().unwrap().as_ptr() as usize - data.as_ptr() as usize;
        let len = cubin.section(".debug_line").unwrap().unwrap().len();
        let start = at + 10.min(len);
        let n = bytes.len().min(at + len - start);
        data[start..start + n].copy_from_slice(&bytes[..n]);
        check(&data);
    }
}

/// A frame that unpacks to far more than its header says, and one that asks for a huge window.
#[test]
fn compressed_entries_lie() {
    let data = samples()
        .into_iter()
        .find(|d| d.starts_with(&[0x50, 0xed, 0x55, 0xba]) && d.len() == 3632)
        .unwrap();
    let at = data
        .windows(4)
        .position(|w| w == [0x28, 0xb5, 0x2f, 0xfd])
        .unwrap();
    let unpack = |data: &[u8]| {
        let entry = Fatbin::parse(data)
            .unwrap()
            .entries()
            .next()
            .unwrap()
            .unwrap();
        entry.data().map(|d| d.len())
    };
    assert_eq!(unpack(&data).unwrap(), 9504);
    let mut small = data.clone();
    small[16 + 56..16 + 64].copy_from_slice(&100u64.to_le_bytes());
    assert!(unpack(&small).is_err());
    let mut huge = data.clone();
    huge[16 + 56..16 + 64].copy_from_slice(&(1u64 << 40).to_le_bytes());
    assert!(unpack(&huge).unwrap_err().to_string().contains("more than"));
    for byte in 0..200 {
        let mut changed = data.clone();
        changed[at + byte] ^= 0x55;
        // An error or other bytes: no panic, and no allocation by the frame's word.
        let most = peak(|| drop(unpack(&changed)));
        assert!(most < 12 << 20, "{most}");
    }
}
