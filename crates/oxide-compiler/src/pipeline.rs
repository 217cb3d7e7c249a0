//! The rooms in their order.

use crate::{
    Compiled, Diagnostic, Diagnostics, LlvmIr, Options, Role, Stage, Staged, Summary, Unit, kernels,
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

    /// The kernels that a name means; all without one.
    fn named(&self, name: Option<&str>) -> Result<Vec<String>, Diagnostics> {
        Ok(self
            .kernels()?
            .into_iter()
            .filter(|k| name.is_none_or(|n| kernels::is_named(k, n)))
            .collect())
    }

    pub fn stage(&self, kernel: Option<&str>, stage: Stage) -> Result<Staged, Diagnostics> {
        if stage == Stage::Mir {
            let own = self.own();
            let (name, text) = (&self.units[own].crate_name, self.text(own)?);
            let mut out = Vec::new();
            for key in self.named(kernel)? {
                let body = kernels::function_text(name, &key, text);
                out.push(body.ok_or_else(|| {
                    Diagnostic::error(format!("rustc printed no MIR of `{key}`"))
                })?);
            }
            return Ok(Staged {
                text: out.join("\n"),
                summary: Summary::default(),
                warnings: Diagnostics::default(),
            });
        }
        Err(Diagnostic::error(format!("stage {} is not there", stage.name())).into())
    }

    pub fn artifact(&self) -> Result<Compiled, Diagnostics> {
        Err(Diagnostic::error("artifacts are not there").into())
    }
}
