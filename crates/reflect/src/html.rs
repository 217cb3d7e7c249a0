//! A [`Listing`] as one page with three panes (Rust, PTX, SASS) that scroll and highlight together; it needs no network.

use crate::model::{Frame, Listing, Mark};
use crate::sources::Sources;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const HEAD: &str = include_str!("page_head.html");
const FOOT: &str = include_str!("page_foot.html");

/// The page.
pub fn page(listings: &[Listing], sources: &Sources) -> String {
    let mut out = HEAD.to_string();
    // Writing into a String does not fail, here and below.
    out += "<header><label>Kernel <select id=\"kernel\">";
    let kernels = || {
        listings
            .iter()
            .flat_map(|l| l.kernels.iter().map(move |k| (l, k)))
    };
    for (i, (listing, kernel)) in kernels().enumerate() {
        let _ = write!(
            out,
            "<option value=\"{i}\">{} ({})</option>",
            escape(&kernel.name),
            escape(&listing.arch)
        );
    }
    out += "</select></label> <span>Hover a line to see what it became; click to bring it into view.</span></header>\n";
    for (i, (_, kernel)) in kernels().enumerate() {
        let _ = write!(out, "<section class=\"kernel\" data-kernel=\"{i}\"><p>");
        if let Some(u) = &kernel.usage {
            let _ = write!(
                out,
                "{} registers, {} B stack, {} B shared, {} B constant",
                u.registers, u.stack, u.shared, u.constant
            );
            if let (Some(stores), Some(loads)) = (u.spill_stores, u.spill_loads) {
                let _ = write!(out, ", spills {stores} B out and {loads} B in");
            }
            if let Some(o) = &u.occupancy {
                let _ = write!(
                    out,
                    ", occupancy {} % at {} threads a block (limited by {})",
                    o.percent(),
                    o.block,
                    o.limited_by.join(", ")
                );
            }
        }
        out += "</p><main><div class=\"pane\" data-pane=\"rust\"><h2>Rust</h2>";
        let frames = kernel.ptx.iter().map(|r| &r.frames);
        let frames = frames.chain(kernel.sass.iter().map(|r| &r.frames));
        let mut places: BTreeSet<(&str, u32)> = BTreeSet::new();
        for frame in frames.flatten() {
            places.insert((&frame.file, frame.line));
        }
        rust(&mut out, &places, sources);
        out += "</div><div class=\"pane\" data-pane=\"ptx\"><h2>PTX</h2>";
        for row in &kernel.ptx {
            let ptx = Some(row.line);
            let number = row.line.to_string();
            line(
                &mut out,
                &places_of(&row.frames),
                ptx,
                &number,
                &row.text,
                &row.mark,
            );
        }
        out += "</div><div class=\"pane\" data-pane=\"sass\"><h2>SASS</h2>";
        if kernel.sass.is_empty() {
            out += "<p>ptxas and nvdisasm were not there.</p>";
        }
        for row in &kernel.sass {
            let number = format!("{:04x}", row.address);
            line(
                &mut out,
                &places_of(&row.frames),
                row.ptx_line,
                &number,
                &row.text,
                &row.mark,
            );
        }
        out += "</div></main></section>\n";
    }
    out + FOOT
}

/// Keys of the places that a line comes from, inlined or not.
fn places_of(frames: &[Frame]) -> String {
    let keys: Vec<String> = frames.iter().map(|f| key(&f.file, f.line)).collect();
    keys.join(" ")
}

/// Without blanks, for they part keys.
fn key(file: &str, line: u32) -> String {
    format!("{}:{line}", file.replace(char::is_whitespace, "_"))
}

/// Whole files where they are there, else the lines that are named.
fn rust(out: &mut String, places: &BTreeSet<(&str, u32)>, sources: &Sources) {
    let files: BTreeSet<&str> = places.iter().map(|(file, _)| *file).collect();
    for file in files {
        let _ = write!(out, "<h3>{}</h3>", escape(file));
        let named = places.iter().filter(|(f, _)| *f == file).map(|(_, n)| *n);
        match sources.lines(file) {
            Some(lines) => {
                // What is far from any named line is left out: of a library a few lines matter.
                let named: Vec<u32> = named.collect();
                let near = |n: u32| named.iter().any(|m| n.abs_diff(*m) <= 12);
                let mut gap = false;
                for (number, text) in (1u32..).zip(&lines) {
                    if near(number) {
                        line(
                            out,
                            &key(file, number),
                            None,
                            &number.to_string(),
                            text,
                            &Mark::default(),
                        );
                        gap = false;
                    } else if !gap {
                        out.push_str("<div class=\"gap\">⋮</div>");
                        gap = true;
                    }
                }
            }
            None => {
                for number in named {
                    let text = "(the file is not there)";
                    line(
                        out,
                        &key(file, number),
                        None,
                        &number.to_string(),
                        text,
                        &Mark::default(),
                    );
                }
            }
        }
    }
}

fn line(out: &mut String, places: &str, ptx: Option<u32>, number: &str, text: &str, mark: &Mark) {
    let ptx = ptx.map_or(String::new(), |l| format!(" data-ptx=\"{l}\""));
    let words = mark.words();
    let class = match (mark.spill, mark.barrier, mark.access.is_some()) {
        (true, ..) => " spill",
        (_, true, _) => " barrier",
        (.., true) => " access",
        _ => "",
    };
    let _ = write!(
        out,
        "<div class=\"line{class}\" data-at=\"{}\"{ptx}><b>{number}</b><code>{}</code><i>{}</i></div>",
        escape(places),
        escape(text),
        escape(&words)
    );
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
