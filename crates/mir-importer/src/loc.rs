//! MIR source information to locations. [`span_to_loc`] is the only place where locations are made.

use pliron::{
    combine::stream::position::SourcePosition,
    context::Context,
    location::{Location, Source},
};
use rustc_mir::{
    Span,
    ast::{Body, ScopeId, SourceInfo},
};

/// One frame of an inline chain: the function, and the position in it.
pub type Frame = (String, Option<Span>);

/// The frames of a position, innermost first; the last is the body itself.
pub fn frames(body: &Body, source: &SourceInfo) -> Vec<Frame> {
    let mut out = vec![];
    let mut span = source.span.clone();
    let mut scope = Some(source.scope);
    let mut steps = 0;
    while let Some(ScopeId(i)) = scope {
        let Some(s) = body.scopes.get(i as usize) else {
            break;
        };
        if let Some(inlined) = &s.inlined {
            out.push((inlined.callee.path.to_string(), span.take()));
            span = inlined.call_span.clone();
        }
        scope = s.parent;
        steps += 1;
        if steps > body.scopes.len() {
            break;
        }
    }
    out.push((body.path.to_string(), span));
    out
}

/// The user's own position: of the outermost frames the innermost that is not in the standard library.
pub fn user_span(frames: &[Frame]) -> Option<Span> {
    frames
        .iter()
        .filter_map(|(_, s)| s.clone())
        .find(|s| !is_library(&s.file))
}

/// Is this file part of the standard library?
pub fn is_library(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/rust/library/")
}

/// `Named(function, SrcPos)` for each frame, joined by `CallSite`s; `Unknown` for a frame without position.
pub fn span_to_loc(ctx: &Context, body: &Body, source: &SourceInfo) -> Location {
    let mut chain = frames(body, source).into_iter();
    let Some(first) = chain.next() else {
        return Location::Unknown;
    };
    chain.fold(frame_loc(ctx, first), |callee, frame| Location::CallSite {
        callee: Box::new(callee),
        caller: Box::new(frame_loc(ctx, frame)),
    })
}

fn frame_loc(ctx: &Context, (name, span): Frame) -> Location {
    let child = match span {
        None => Location::Unknown,
        Some(span) => Location::SrcPos {
            src: Source::new_from_file(ctx, span.file.as_ref()),
            pos: SourcePosition {
                line: span.lo.line as i32,
                column: span.lo.col as i32,
            },
        },
    };
    Location::Named {
        name,
        child_loc: Box::new(child),
    }
}
