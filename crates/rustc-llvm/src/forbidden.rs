//! What a GPU cannot do, in words for what users mostly try, and which of several such things is said first.

use crate::text::{IrFile, Item, Kind};
use crate::{Error, Frame, debug};

/// A part of the standard library that kernels cannot use.
struct Cannot {
    /// Beginnings of the paths of its functions.
    paths: &'static [&'static str],
    title: &'static str,
    /// What is said at the user's line.
    label: &'static str,
    help: &'static str,
}

const HEAP: Cannot = Cannot {
    paths: &[
        "alloc::alloc",
        "alloc::boxed",
        "alloc::collections",
        "alloc::fmt",
        "alloc::raw_vec",
        "alloc::rc",
        "alloc::slice",
        "alloc::str",
        "alloc::string",
        "alloc::sync",
        "alloc::vec",
        "__rustc::__rust_",
    ],
    title: "kernels cannot allocate memory",
    label: "this needs the heap",
    help: "use arrays, `SharedArray`, or buffers that the host allocates",
};

/// Looked through in this order for each function of the chain, the user's own call first.
const TABLE: &[Cannot] = &[
    Cannot {
        paths: &["std::io::stdio::_print", "std::io::stdio::print"],
        title: "kernels cannot print to standard output",
        label: "this prints by the operating system",
        help: "use `gpu_printf!`",
    },
    Cannot {
        paths: &["std::io::stdio::_eprint", "std::io::stdio::eprint"],
        title: "kernels cannot print to standard error",
        label: "this prints by the operating system",
        help: "use `gpu_printf!`",
    },
    Cannot {
        paths: &["std::fs", "std::path", "std::sys::fs"],
        title: "kernels cannot use files",
        label: "this needs the operating system",
        help: "read and write files on the host; a `DeviceBuffer` takes the content to the kernel and back",
    },
    Cannot {
        paths: &["std::net", "std::sys::net"],
        title: "kernels cannot use the network",
        label: "this needs the operating system",
        help: "do this on the host; a `DeviceBuffer` takes the data to the kernel and back",
    },
    Cannot {
        paths: &["std::thread", "std::sys::thread"],
        title: "kernels cannot start threads of the host or wait for them",
        label: "this needs the operating system",
        help: "the launch starts the threads: give it a larger grid, and use `sync_threads` and atomics between them",
    },
    Cannot {
        paths: &["std::sync", "std::sys::sync"],
        title: "kernels cannot use locks of the host",
        label: "this needs the operating system",
        help: "use `cuda_device::atomic`, or `sync_threads` within a block",
    },
    Cannot {
        paths: &["std::time", "std::sys::time", "std::sys::pal::unix::time"],
        title: "kernels cannot read the host's clock",
        label: "this needs the operating system",
        help: "use `cuda_device::debug::clock64` or `globaltimer`",
    },
    Cannot {
        paths: &[
            "std::env",
            "std::process",
            "std::os",
            "std::sys::args",
            "std::sys::env",
        ],
        title: "kernels cannot ask the operating system",
        label: "this needs the operating system",
        help: "do this on the host and pass the result to the kernel",
    },
    Cannot {
        paths: &["std::collections::hash", "std::hash::random", "hashbrown"],
        title: "kernels cannot use `HashMap` and `HashSet`: they allocate memory",
        label: "this needs the heap",
        help: "use arrays, or a table in a buffer that the host allocates",
    },
    Cannot {
        paths: &["std::io"],
        title: "kernels cannot do input and output",
        label: "this needs the operating system",
        help: "do this on the host; `gpu_printf!` prints from a kernel",
    },
    HEAP,
];

/// `<std::time::Instant>::elapsed` is of `std::time`.
fn bare(path: &str) -> &str {
    path.trim_start_matches(['<', '&', '('])
}

/// Whether a function is of the standard library: its sources are not the user's to change.
fn is_library(path: &str) -> bool {
    ["core::", "alloc::", "std::", "hashbrown::", "__rustc::"]
        .iter()
        .any(|p| bare(path).starts_with(p))
}

fn row(path: &str) -> Option<&'static Cannot> {
    // Drop glue has the names of everything in the type that it drops.
    if path.contains("drop_in_place") {
        return None;
    }
    TABLE
        .iter()
        .find(|c| c.paths.iter().any(|p| bare(path).starts_with(p)))
}

/// The way from the kernel to something: Rust lines where they are known, and functions, both innermost first.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    pub frames: Vec<Frame>,
    pub functions: Vec<String>,
}

impl Chain {
    /// With the functions in between of the standard library left out.
    fn text(&self) -> String {
        let mut out = Vec::new();
        let mut run: Vec<&String> = Vec::new();
        let flush = |run: &mut Vec<&String>, out: &mut Vec<String>| {
            match run.as_slice() {
                [first, .., last] if run.len() > 2 => {
                    out.extend([format!("`{first}`"), "…".to_string(), format!("`{last}`")]);
                }
                few => out.extend(few.iter().map(|f| format!("`{f}`"))),
            }
            run.clear();
        };
        for function in &self.functions {
            if is_library(function) {
                run.push(function);
            } else {
                flush(&mut run, &mut out);
                out.push(format!("`{function}`"));
            }
        }
        flush(&mut run, &mut out);
        if out.is_empty() {
            return "it is a kernel itself".to_string();
        }
        format!(
            "needed by {}",
            out.join(", called by ").replace("called by …", "…")
        )
    }

    /// The row of the outermost function of the standard library on the way.
    fn row(&self, path: &str) -> Option<&'static Cannot> {
        let frames = self.frames.iter().rev().map(|f| f.function.as_str());
        frames
            .chain(self.functions.iter().rev().map(String::as_str))
            .chain([path])
            .find_map(row)
    }

    /// An error at the end of the chain.
    pub fn to(self, mut error: Error) -> Error {
        let text = self.text();
        error.frames = self.frames;
        error.note(text)
    }
}

/// There is no body for a function that a kernel calls.
pub fn no_body(path: &str, chain: Chain) -> Error {
    let error = match chain.row(path) {
        Some(cannot) => Error::new(cannot.title)
            .label(cannot.label)
            .help(cannot.help),
        None if bare(path).starts_with("std::") => Error::new(format!(
            "kernels cannot call `{path}`: it needs an operating system"
        ))
        .help("do this on the host and pass the result to the kernel"),
        None => Error::new(format!("there is no body for `{path}` on the device"))
            .help("a function of C or of another language cannot be called from a kernel"),
    };
    let error = if error.title.contains(path) {
        error
    } else {
        error.note(format!("the function is `{path}`"))
    };
    chain.to(error)
}

/// What LLVM would take and a GPU cannot do. `chain` leads to the item.
pub fn check(
    file: &IrFile<'_>,
    item: &Item<'_>,
    path: &str,
    chain: &dyn Fn() -> Chain,
) -> Result<(), Error> {
    if item.text.contains(" thread_local") && item.kind == Kind::Variable {
        let chain = chain();
        let error = match chain.row(path) {
            Some(cannot) => Error::new(cannot.title)
                .label(cannot.label)
                .help(cannot.help),
            None => Error::new(format!("kernels cannot use the thread-local `{path}`"))
                .help("a local variable is a thread's own on the device"),
        };
        return Err(chain.to(error));
    }
    for line in item.text.lines() {
        let error = if let Some(at) = line.find(" asm ")
            // Code of `ptx_asm!` is marked by its comment; what is left is the host's.
            && !line[at..].contains(" \"\",")
            && !line[at..].contains("// ptx")
        {
            Error::new(format!("`{path}` has assembly of the host in it"))
                .label("this is for the host's processor")
                .help("write PTX in `cuda_device::ptx_asm!`")
        } else if line.contains("@llvm.x86.") || line.contains("@llvm.aarch64.") {
            Error::new(format!("`{path}` uses an instruction of the host"))
                .label("this is for the host's processor")
                .help("write it as plain Rust, or use what `cuda_device` has of it")
        } else {
            continue;
        };
        // The line itself is the innermost place.
        let outer = chain();
        let location = debug::number(line, "!dbg !").filter(|_| line.contains("!dbg !"));
        let mut whole = Chain {
            frames: location.map(|l| debug::frames(file, l)).unwrap_or_default(),
            functions: vec![path.to_string()],
        };
        whole.frames.extend(outer.frames);
        whole.functions.extend(outer.functions);
        return Err(whole.to(error));
    }
    Ok(())
}

/// The error that a reader of the source meets first.
pub fn first(errors: Vec<Error>) -> Option<Error> {
    let place = |error: &Error| {
        let user = error.frames.iter().rev().filter(|f| !f.is_library());
        let lines: Vec<(u32, u32)> = user.map(|f| (f.line, f.column)).collect();
        // Without a place it comes last; of one place, what is nearest to it.
        (
            lines.is_empty(),
            lines,
            error.frames.len(),
            error.title.clone(),
        )
    };
    errors.into_iter().min_by_key(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(functions: &[&str]) -> Chain {
        Chain {
            frames: Vec::new(),
            functions: functions.iter().map(|f| f.to_string()).collect(),
        }
    }

    #[test]
    fn the_users_call_decides_what_is_said() {
        let read = no_body(
            "std::sys::fs::unix::open",
            chain(&["std::fs::read::inner", "app::k"]),
        );
        assert_eq!(read.title, "kernels cannot use files");
        let free = no_body(
            "__rustc::__rust_dealloc",
            chain(&["core::ptr::drop_in_place::<std::fs::File>", "app::k"]),
        );
        assert_eq!(free.title, "kernels cannot allocate memory");
        let spawn = no_body(
            "__rustc::__rust_alloc",
            chain(&["alloc::sync::f", "std::thread::spawn", "app::k"]),
        );
        assert!(spawn.title.contains("start threads"), "{spawn}");
        assert!(
            no_body("abs", chain(&["app::k"]))
                .title
                .contains("no body for `abs`")
        );
    }

    #[test]
    fn chains_leave_out_the_library() {
        let text = chain(&["std::a", "core::b", "alloc::c", "app::f", "app::k"]).text();
        assert_eq!(
            text,
            "needed by `std::a`, …, called by `alloc::c`, called by `app::f`, called by `app::k`"
        );
    }

    #[test]
    fn the_first_line_is_said() {
        let at = |title: &str, line| Error {
            frames: vec![Frame {
                line,
                ..Frame::default()
            }],
            ..Error::new(title)
        };
        let errors = vec![at("b", 9), Error::new("nowhere"), at("a", 7)];
        assert_eq!(first(errors).unwrap().title, "a");
        assert_eq!(first(Vec::new()), None);
    }
}
