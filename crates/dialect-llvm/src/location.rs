//! Locations in error messages.

use pliron::context::Context;
use pliron::location::Location;
use pliron::printable::Printable;

/// `file:line:column` of the innermost position, or `?`.
pub fn location_text(ctx: &Context, location: &Location) -> String {
    match location {
        Location::SrcPos { src, pos } => format!(
            "{}:{}:{}",
            src.disp(ctx).to_string().trim_matches('"'),
            pos.line,
            pos.column
        ),
        Location::Named { child_loc, .. } => location_text(ctx, child_loc),
        Location::CallSite { callee, .. } => location_text(ctx, callee),
        Location::Fused { locations, .. } => locations
            .first()
            .map_or("?".to_string(), |first| location_text(ctx, first)),
        Location::Unknown => "?".to_string(),
    }
}
