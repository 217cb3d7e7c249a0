//! The defaults of type parameters, which MIR leaves out (`DisjointSlice<Body>`) and debug metadata writes
//! (`DisjointSlice<krate::Body, cuda_device::thread::Index1D>`). rustc is asked: the
//! debug metadata of a crate with a variable of that type has the whole type. Where an argument cannot be named in the probe's crate, a type
//! of that crate stands in its place, and where that one shows up in a default, the argument is put back.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rustc_mir::ty::*;

use crate::LayoutError;
use crate::kept::Kept;
use crate::probe::Probe;

/// The name of the probe's types that stand in for others: `OxideArg0`.
pub(crate) const STAND_IN: &str = "OxideArg";

/// What is known of left-out arguments, by the type with the arguments that MIR prints. Inside: `None` where rustc does not tell.
#[derive(Default)]
pub(crate) struct Defaults {
    known: Mutex<HashMap<Path, Option<Vec<GenericArg>>>>,
    /// Asked for in a comparison, and not known yet.
    open: Mutex<Vec<Path>>,
}

impl Defaults {
    /// The arguments behind those that are printed. `None`: not known (now), and noted down as a question.
    pub fn behind(&self, p: &Path) -> Option<Vec<GenericArg>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(p) {
            return answer.clone();
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if !open.contains(p) {
            open.push(p.clone());
        }
        None
    }

    /// Asks rustc what was noted down; whether there was anything.
    pub fn ask(
        &self,
        probe: Option<&Probe>,
        local: Option<&str>,
        kept: &Kept,
    ) -> Result<bool, LayoutError> {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        let (Some(probe), false) = (probe, open.is_empty()) else {
            return Ok(false);
        };
        let answers = probe.whole_types(&open, local, kept)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (p, whole) in open.into_iter().zip(answers) {
            let tail = whole.and_then(|w| tail(&p, &w));
            known.insert(p, tail);
        }
        Ok(true)
    }

    /// A new way of asking rustc may give other answers.
    pub fn forget(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }
}

/// The arguments of `whole` that `p` has not, with `p`'s own arguments for what stands in for them.
fn tail(p: &Path, whole: &Ty) -> Option<Vec<GenericArg>> {
    let Ty::Path(w) = whole else { return None };
    let given = p.last_args();
    let mut out = w.last_args().get(given.len()..)?.to_vec();
    out.iter_mut()
        .try_for_each(|a| restore(a, given))
        .map(|()| out)
}

/// Puts arguments back for their stand-ins. `None`: one is where this does not look.
fn restore(a: &mut GenericArg, given: &[GenericArg]) -> Option<()> {
    let GenericArg::Type(t) = a else {
        return Some(());
    };
    if let Some(i) = stand_in(t) {
        *a = given.get(i)?.clone();
        return Some(());
    }
    if let Ty::Path(q) = t {
        for s in &mut q.segments {
            s.args.iter_mut().try_for_each(|a| restore(a, given))?;
        }
    }
    (!t.to_string().contains(STAND_IN)).then_some(())
}

fn stand_in(t: &Ty) -> Option<usize> {
    let Ty::Path(p) = t else { return None };
    p.last_ident()?.strip_prefix(STAND_IN)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        match Ty::parse(text) {
            Ok(Ty::Path(p)) => p,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn stand_ins_are_put_back() {
        let p = path("c::S<m::Body>");
        let whole = Ty::parse("c::d::S<probe::OxideArg0, c::V<probe::OxideArg0>, c::Index>");
        let tail = tail(&p, &whole.expect("a type")).expect("it is known");
        let text: Vec<String> = tail.iter().map(|a| format!("{a}")).collect();
        assert_eq!(text, ["c::V<m::Body>", "c::Index"]);
    }

    #[test]
    fn a_stand_in_that_cannot_be_put_back_is_no_answer() {
        let p = path("c::S<m::Body>");
        let whole = Ty::parse("c::d::S<probe::OxideArg0, &probe::OxideArg0>").expect("a type");
        assert!(tail(&p, &whole).is_none());
    }
}
