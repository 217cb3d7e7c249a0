//! The order in which values are dropped, written down in a log.

use core::cell::Cell;
use core::mem::{ManuallyDrop, forget, replace, take};

/// What was dropped, in order: eight numbers at most.
struct Log {
    entries: [Cell<u8>; 8],
    count: Cell<usize>,
}

impl Log {
    fn new() -> Self {
        Log { entries: [const { Cell::new(0) }; 8], count: Cell::new(0) }
    }

    fn add(&self, entry: u8) {
        let count = self.count.get();
        if let Some(place) = self.entries.get(count) {
            place.set(entry);
        }
        self.count.set(count + 1);
    }

    fn read(&self) -> [u8; 9] {
        let mut all = [0; 9];
        let mut i = 0;
        while i < 8 {
            all[i] = self.entries[i].get();
            i += 1;
        }
        all[8] = self.count.get() as u8;
        all
    }
}

struct Loud<'a> {
    log: &'a Log,
    id: u8,
}

impl Drop for Loud<'_> {
    fn drop(&mut self) {
        self.log.add(self.id);
    }
}

fn loud(log: &Log, id: u8) -> Loud<'_> {
    Loud { log, id }
}

#[allow(dead_code)] // Fields that are only dropped are what this is about.
struct Pair<'a> {
    second: Loud<'a>,
    first: Loud<'a>,
}

/// Drops itself first, then its field.
struct Outer<'a> {
    inner: Loud<'a>,
    id: u8,
}

impl Drop for Outer<'_> {
    fn drop(&mut self) {
        self.inner.log.add(self.id);
        self.inner.id = self.inner.id.wrapping_add(1);
    }
}

#[allow(dead_code)]
enum Either<'a> {
    One(Loud<'a>),
    Two(Loud<'a>, Loud<'a>),
    None,
}

#[inline(never)]
fn consume(value: Loud<'_>) -> u8 {
    value.id
}

#[inline(never)]
fn early<'a>(log: &'a Log, x: u8) -> Option<Loud<'a>> {
    let _a = loud(log, 1);
    let b = loud(log, 2);
    if x & 1 == 0 {
        return None;
    }
    let _c = loud(log, 3);
    if x & 2 == 0 {
        return Some(b);
    }
    let _d = b;
    None
}

difftest::diff! {
    tag drops;

    fn locals_in_reverse_order(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let _a = loud(&log, x);
            let _b = loud(&log, 2);
            let _ = loud(&log, 3);
            let _c = loud(&log, 4);
        }
        log.read()
    }

    fn fields_in_declared_order(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let pair = Pair { first: loud(&log, 1), second: loud(&log, 2) };
            if x & 1 == 1 {
                // Moves one field out; the other is dropped at the end.
                consume(pair.first);
                log.add(9);
            }
        }
        log.read()
    }

    fn outer_then_inner(x: u8) -> [u8; 9] {
        let log = Log::new();
        drop(Outer { inner: loud(&log, x), id: 50 });
        let mut kept = Outer { inner: loud(&log, 10), id: 60 };
        kept.id = x;
        drop(kept);
        log.read()
    }

    fn moved_on_one_path_only(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let a = loud(&log, 1);
            let b = loud(&log, 2);
            if x & 1 == 0 {
                consume(a);
            }
            if x & 2 == 0 {
                drop(b);
            }
            log.add(7);
        }
        log.read()
    }

    fn dropped_on_early_return(x: u8) -> [u8; 9] {
        let log = Log::new();
        let got = early(&log, x);
        log.add(100);
        drop(got);
        log.read()
    }

    fn assignment_drops_the_old_value(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let mut a = loud(&log, 1);
            for i in 0..x & 3 {
                a = loud(&log, 10 + i);
            }
            let old = replace(&mut a, loud(&log, 99));
            log.add(old.id ^ 0x80);
        }
        log.read()
    }

    fn only_the_active_variant(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let mut e = match x % 3 {
                0 => Either::One(loud(&log, 1)),
                1 => Either::Two(loud(&log, 2), loud(&log, 3)),
                _ => Either::None,
            };
            if x & 4 == 0 {
                e = Either::Two(loud(&log, 4), loud(&log, 5));
            }
            if let Either::Two(a, _) = e {
                log.add(a.id + 100);
            }
        }
        log.read()
    }

    fn arrays_element_by_element(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let mut all = [loud(&log, 1), loud(&log, 2), loud(&log, 3)];
            all[x as usize % 3] = loud(&log, 20);
            log.add(0xee);
        }
        log.read()
    }

    fn options_taken_and_left(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let mut a = Some(loud(&log, 1));
            let mut b = if x & 1 == 0 { None } else { Some(loud(&log, 2)) };
            let c = a.take();
            log.add(50);
            b = b.or(c);
            log.add(51);
            drop(b);
            a.replace(loud(&log, 3));
        }
        log.read()
    }

    fn temporaries_at_the_end_of_a_statement(x: u8) -> [u8; 9] {
        let log = Log::new();
        let sum = loud(&log, x).id.wrapping_add(loud(&log, 2).id);
        log.add(sum);
        match loud(&log, 3).id {
            3 if x > 7 => log.add(30),
            _ => log.add(31),
        }
        if loud(&log, 4).id == 4 {
            log.add(40);
        }
        log.read()
    }

    fn loops_drop_each_round(x: u8) -> [u8; 9] {
        let log = Log::new();
        for i in 0..4 {
            let _a = loud(&log, i);
            if i == x & 3 {
                continue;
            }
            let _b = loud(&log, 10 + i);
            if i == x >> 2 & 3 {
                break;
            }
        }
        log.read()
    }

    fn closures_drop_their_captures(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let a = loud(&log, 1);
            let b = loud(&log, 2);
            let once = move || consume(a) + x.min(100);
            let by_ref = || b.id + 40;
            log.add(by_ref());
            if x & 1 == 0 {
                log.add(once());
            }
            log.add(77);
        }
        log.read()
    }

    fn forgotten_and_manual(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            forget(loud(&log, 1));
            let mut m = ManuallyDrop::new(loud(&log, 2));
            let _b = loud(&log, 3);
            if x & 1 == 1 {
                // SAFETY: dropped once, never used again.
                unsafe { ManuallyDrop::drop(&mut m) };
            }
        }
        log.read()
    }

    fn results_and_tuples(x: u8) -> [u8; 9] {
        let log = Log::new();
        {
            let t = (loud(&log, 1), 5u32, loud(&log, 2));
            let r: Result<Loud, (Loud, u8)> = if x & 1 == 0 { Ok(t.2) } else { Err((t.2, 1)) };
            log.add(8);
            let _kept = r.map_err(|(l, n)| (n, l.id)).map(|l| l.id);
            log.add(9);
        }
        log.read()
    }

    fn iterators_that_own(x: u8) -> [u8; 9] {
        let log = Log::new();
        for l in [loud(&log, 1), loud(&log, 2), loud(&log, 3), loud(&log, 4)] {
            if l.id == x & 7 {
                log.add(0x40);
                break;
            }
        }
        log.add(0x55);
        log.read()
    }

    fn taken_defaults(x: u32, y: u8) -> (u32, u32, u8) {
        let mut a = x;
        let b = take(&mut a);
        let mut o = Some(y);
        (a, b, take(&mut o).unwrap_or(1) ^ o.map_or(2, |n| n))
    }
}
