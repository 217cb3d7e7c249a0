//! The rooms in their order.

use crate::{
    Compiled, Diagnostic, Diagnostics, LlvmIr, Options, Role, Stage, Staged, Unit, kernels,
};
use std::cell::OnceCell;

/// A crate's kernels, compiled as far as is asked.
pub struct Compiler {
    units: Vec<Unit>,
    #[expect(dead_code)]
    options: Options,
    #[expect(dead_code)]
    ir: Box<dyn LlvmIr>,
    texts: Vec<OnceCell<String>>,
}

impl Compiler {
    pub fn new(units: Vec<Unit>, options: Options, ir: Box<dyn LlvmIr>) -> Self {
        crate::use_llvm(&options.libllvm);
        let texts = units.iter().map(|_| OnceCell::new()).collect();
        Self {
            units,
            options,
            ir,
            texts,
        }
    }

    fn own(&self) -> usize {
        self.units
            .iter()
            .position(|u| u.role == Role::Own)
            .unwrap_or(0)
    }

    fn text(&self, unit: usize) -> Result<&str, Diagnostics> {
        if let Some(text) = self.texts[unit].get() {
            return Ok(text);
        }
        let path = &self.units[unit].mir;
        let text = std::fs::read_to_string(path).map_err(|e| {
            Diagnostic::error(format!("cannot read {}: {e}", path.display()))
                .help("cargo oxide clean")
        })?;
        Ok(self.texts[unit].get_or_init(|| text))
    }

    /// The keys of the crate's kernels.
    pub fn kernels(&self) -> Result<Vec<String>, Diagnostics> {
        let own = self.own();
        Ok(kernels::marked(
            &self.units[own].crate_name,
            self.text(own)?,
        ))
    }

    pub fn stage(&self, _kernel: Option<&str>, stage: Stage) -> Result<Staged, Diagnostics> {
        Err(Diagnostic::error(format!("stage {} is not there", stage.name())).into())
    }

    pub fn artifact(&self) -> Result<Compiled, Diagnostics> {
        Err(Diagnostic::error("artifacts are not there").into())
    }
}
