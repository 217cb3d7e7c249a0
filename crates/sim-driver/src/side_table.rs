//! The compiler's side table as the simulator wants it: the one place that knows `artifact`.

use artifact::SideTable;
use gpu_sim::{SourceFrame, SourceMap};
use std::sync::Arc;

struct Map(SideTable);

impl SourceMap for Map {
    fn frames(&self, line: u32) -> Vec<SourceFrame> {
        let frames = self.0.frames(line).map(|f| SourceFrame {
            file: f.file.to_string(),
            line: f.line,
            column: f.column,
            function: f.function.to_string(),
        });
        frames.collect()
    }
}

/// Reads the bytes of a side table.
pub(crate) fn read(bytes: &[u8]) -> Result<Arc<dyn SourceMap>, String> {
    SideTable::from_bytes(bytes)
        .map(|t| Arc::new(Map(t)) as Arc<dyn SourceMap>)
        .map_err(|e| e.to_string())
}
