//! A [`Listing`] as text.

use crate::model::{Frame, KernelListing, Listing, PtxRow, SassRow};
use crate::sources::Sources;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Width of the PTX column.
const PTX_WIDTH: usize = 56;

/// SASS alone: address, instruction, what it does, and the line it comes from.
pub fn sass(listing: &Listing, encodings: bool) -> String {
    let mut out = String::new();
    for kernel in &listing.kernels {
        // Writing into a String does not fail, here and below.
        let _ = writeln!(
            out,
            "// {} ({}) for {}",
            kernel.name, kernel.symbol, listing.arch
        );
        let mut last: Option<&[Frame]> = None;
        for row in &kernel.sass {
            if last != Some(&row.frames) {
                if let Some(frame) = row.frames.first() {
                    let _ = writeln!(out, "    // {}", chain(frame, &row.frames[1..]));
                }
                last = Some(&row.frames);
            }
            let encoding = if encodings {
                format!("  {}", row.encoding)
            } else {
                String::new()
            };
            let text = format!("/*{:04x}*/{encoding}  {};", row.address, row.text);
            let mark = row.mark.words();
            let _ = match mark.is_empty() {
                true => writeln!(out, "{text}"),
                false => writeln!(out, "{text:<64} // {mark}"),
            };
        }
        out.push('\n');
    }
    out
}

fn chain(frame: &Frame, calls: &[Frame]) -> String {
    let mut out = format!("{}:{}", frame.file, frame.line);
    for call in calls {
        let _ = write!(out, ", inlined at {}:{}", call.file, call.line);
    }
    out
}

/// What each kernel takes, as a table.
pub fn usage(listing: &Listing) -> String {
    let mut rows = vec![
        [
            "kernel",
            "registers",
            "spills",
            "stack",
            "shared",
            "constant",
            "occupancy",
            "limited by",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    for kernel in &listing.kernels {
        let Some(u) = &kernel.usage else { continue };
        let spills = match (u.spill_stores, u.spill_loads) {
            (Some(0), Some(0)) => "none".to_string(),
            (Some(stores), Some(loads)) => format!("{stores} B out, {loads} B in"),
            _ => "not told".to_string(),
        };
        let (occupancy, limits) = match &u.occupancy {
            Some(o) => (
                format!(
                    "{} % ({} blocks of {}, {} of {} warps)",
                    o.percent(),
                    o.blocks,
                    o.block,
                    o.warps,
                    o.max_warps
                ),
                o.limited_by.join(", "),
            ),
            None => ("not known".to_string(), String::new()),
        };
        rows.push(vec![
            kernel.name.clone(),
            u.registers.to_string(),
            spills,
            format!("{} B", u.stack),
            format!("{} B", u.shared),
            format!("{} B", u.constant),
            occupancy,
            limits,
        ]);
    }
    let mut out = format!("{} for {}\n", listing.name, listing.arch);
    let widths: Vec<usize> = (0..8)
        .map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0))
        .collect();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out
}

/// Rust, PTX and SASS beside each other: each line of the kernel's own source with what it became, inlined code under the line
/// that called it.
pub fn annotate(listing: &Listing, sources: &Sources) -> String {
    let mut out = String::new();
    for kernel in &listing.kernels {
        annotate_kernel(&mut out, listing, kernel, sources);
    }
    out
}

/// What one line of the kernel's source became.
#[derive(Default)]
struct Became<'a> {
    ptx: BTreeMap<u32, &'a PtxRow>,
    /// By PTX line; without one, under 0.
    sass: BTreeMap<u32, Vec<&'a SassRow>>,
}

fn annotate_kernel(out: &mut String, listing: &Listing, kernel: &KernelListing, sources: &Sources) {
    let _ = writeln!(out, "==== {} ({}) ====", kernel.name, listing.arch);
    if let Some(u) = &kernel.usage {
        let spills = u.spill_stores.unwrap_or(0) + u.spill_loads.unwrap_or(0);
        let _ = writeln!(
            out,
            "{} registers, {} bytes of spills, {} bytes of stack, {} bytes of shared memory",
            u.registers, spills, u.stack, u.shared
        );
    }
    let mut lines: BTreeMap<(String, u32), Became<'_>> = BTreeMap::new();
    let mut nowhere = Became::default();
    // The outermost frame is the kernel's own line.
    let place = |frames: &[Frame]| frames.last().map(|f| (f.file.clone(), f.line));
    for row in &kernel.ptx {
        if row.text.trim().is_empty() {
            continue;
        }
        match place(&row.frames) {
            Some(at) => lines.entry(at).or_default().ptx.insert(row.line, row),
            None => nowhere.ptx.insert(row.line, row),
        };
    }
    // Padding behind the code says nothing.
    for row in kernel.sass.iter().filter(|r| r.text != "NOP") {
        let became = match place(&row.frames) {
            Some(at) => lines.entry(at).or_default(),
            None => &mut nowhere,
        };
        let line = row.ptx_line.unwrap_or(0);
        became.sass.entry(line).or_default().push(row);
    }
    let mut file = "";
    for ((name, line), became) in &lines {
        if file != name {
            let _ = writeln!(out, "\n---- {name}");
            file = name;
        }
        let text = sources.line(name, *line);
        let _ = writeln!(
            out,
            "{line:>5} | {}",
            text.as_deref()
                .unwrap_or("(the file is not there)")
                .trim_end()
        );
        write_became(out, became);
    }
    // Directives and declarations say nothing; instructions that no line made do.
    nowhere
        .ptx
        .retain(|_, r| r.text.trim_end().ends_with(';') && !r.text.trim_start().starts_with('.'));
    if !nowhere.ptx.is_empty() || !nowhere.sass.is_empty() {
        let _ = writeln!(out, "\n---- of no line");
        write_became(out, &nowhere);
    }
    out.push('\n');
}

fn write_became(out: &mut String, became: &Became<'_>) {
    let mut keys: Vec<u32> = became
        .ptx
        .keys()
        .chain(became.sass.keys())
        .copied()
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let mut last: &[Frame] = &[];
    for key in keys {
        let ptx = became.ptx.get(&key);
        let sass = became.sass.get(&key).map_or(&[][..], |s| s);
        let frames = ptx
            .map(|r| &r.frames[..])
            .or(sass.first().map(|r| &r.frames[..]))
            .unwrap_or_default();
        if frames.len() > 1 && frames != last {
            let inner = &frames[0];
            let name = if inner.function.is_empty() {
                String::new()
            } else {
                format!(" ({})", inner.function)
            };
            let _ = writeln!(
                out,
                "      |   inlined from {}:{}{name}",
                inner.file, inner.line
            );
        }
        last = frames;
        let left = ptx.map_or(String::new(), |r| with_mark(r.text.trim(), &r.mark.words()));
        for i in 0..sass.len().max(1) {
            let left = if i == 0 { left.as_str() } else { "" };
            let right = sass.get(i).map(|r| {
                let text = format!("{:04x} {}", r.address, r.text);
                with_mark(&text, &r.mark.words())
            });
            let line = match right {
                Some(right) => format!("      |     {left:<PTX_WIDTH$} | {right}"),
                None => format!("      |     {left}"),
            };
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
}

fn with_mark(text: &str, mark: &str) -> String {
    match mark.is_empty() {
        true => text.to_string(),
        false => format!("{text}  [{mark}]"),
    }
}
