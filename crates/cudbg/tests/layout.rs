//! Sizes, alignments, offsets, values and slots, against the header's facts.

use cudbg::*;

const FACTS: &str = include_str!("facts.txt");

macro_rules! offsets {
    ($({ $index:literal $name:ident $age:ident ($($rest:tt)*) })*) => {
        [$((stringify!($name), std::mem::offset_of!(CUDBGAPI_st, $name))),*]
    };
}

#[test]
fn every_fact_of_the_header_holds() {
    let mut actual = Vec::new();
    for (name, values) in ENUMS {
        let mut line = format!("enum {name}");
        for (value, number) in *values {
            line += &format!(" {value}={number}");
        }
        actual.push(line);
    }
    for l in LAYOUTS {
        let mut line = format!("{} {} {} {}", l.kind, l.name, l.size, l.align);
        for (field, offset, size) in l.fields {
            line += &format!(" {}:{offset}:{size}", field.trim_start_matches("r#"));
        }
        actual.push(line);
    }
    for (index, (name, offset)) in for_each_slot!(offsets).iter().enumerate() {
        actual.push(format!("slot {name} {index} {offset}"));
    }
    actual.push(format!(
        "struct CUDBGAPI_st {} {}",
        size_of::<CUDBGAPI_st>(),
        align_of::<CUDBGAPI_st>()
    ));
    let facts: Vec<&str> = FACTS.lines().collect();
    assert_eq!(actual, facts);
    // As many as the header has.
    assert_eq!((ENUMS.len(), LAYOUTS.len()), (29, 80));
    assert_eq!(ENUMS.iter().map(|(_, v)| v.len()).sum::<usize>(), 240);
}

#[test]
fn slots_are_the_table() {
    assert_eq!(SLOTS.len(), 148);
    assert!(SLOTS.iter().enumerate().all(|(i, s)| s.index == i));
    assert_eq!(SLOTS.iter().filter(|s| s.current).count(), 103);
}

#[test]
fn events_survive_their_c_form() {
    let all = [
        Event::ElfImageLoaded {
            dev: 1,
            context: 2,
            module: 3,
            size: 4,
            handle: 5,
            properties: 6,
        },
        Event::ElfImageUnloaded {
            dev: 1,
            context: 2,
            module: 3,
            size: 4,
            handle: 5,
        },
        Event::KernelReady {
            dev: 1,
            tid: 2,
            grid: 3,
            context: 4,
            module: 5,
            function: 6,
            entry: 7,
            grid_dim: [1, 2, 3],
            block_dim: [4, 5, 6],
        },
        Event::KernelFinished {
            dev: 1,
            tid: 2,
            grid: 3,
            context: 4,
            module: 5,
            function: 6,
            entry: 7,
        },
        Event::ContextCreate {
            dev: 1,
            tid: 2,
            context: 3,
        },
        Event::ContextDestroy {
            dev: 1,
            tid: 2,
            context: 3,
        },
        Event::ContextPush {
            dev: 1,
            tid: 2,
            context: 3,
        },
        Event::ContextPop {
            dev: 1,
            tid: 2,
            context: 3,
        },
        Event::FunctionsLoaded {
            dev: 1,
            count: 2,
            context: 3,
            module: 4,
        },
        Event::AllDevicesSuspended {
            broken: 1,
            faulted: 2,
        },
        Event::InternalError {
            code: CUDBGResult::CUDBG_ERROR_INTERNAL,
        },
        Event::Other(CUDBGEventKind(77)),
    ];
    for e in all {
        assert_eq!(Event::new(&e.to_c()), Some(e));
    }
    assert_eq!(
        Event::new(&Event::Other(CUDBGEventKind::CUDBG_EVENT_INVALID).to_c()),
        None
    );
}

#[test]
fn unknown_numbers_have_no_name() {
    assert_eq!(
        format!("{:?}", CUDBGResult(46)),
        "CUDBG_ERROR_NOT_SUPPORTED"
    );
    assert_eq!(format!("{:?}", CUDBGResult(4000)), "CUDBGResult(4000)");
    assert_eq!(
        Error::Code(CUDBGResult::CUDBG_ERROR_INVALID_SM).to_string(),
        "CUDBG_ERROR_INVALID_SM"
    );
}

static EMPTY: CUDBGAPI_st = CUDBGAPI_st::EMPTY;

#[test]
fn a_slot_that_is_missing_is_an_error() {
    // SAFETY: a table without functions.
    let api = unsafe { Api::new(&EMPTY) };
    assert_eq!(api.initialize(), Err(Error::Missing));
}
