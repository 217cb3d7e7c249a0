//! The layout hash of a kernel's argument: what `<T as DeviceCopy>::LAYOUT` is on the host, computed here from the layout that
//! the device pass has. The rule is `device_copy::layout_hash`'s: size, alignment, and for a struct with
//! `#[derive(DeviceCopy)]` the offsets of its fields in declaration order.

use rustc_mir::{
    ast::{BodyKind, ConstKind, Operand, TerminatorKind},
    ty::{GenericArg, Path, Ty},
};

use crate::{kernels::disjoint, module::Module};

impl Module<'_> {
    /// The hash for an argument of this type of a kernel of `krate`: for slices and references that of the element. `None`: what
    /// the host computes cannot be told (an implementation by hand), or the layout is not known.
    pub fn layout_hash(&self, krate: usize, ty: &Ty) -> Option<u64> {
        let ty = match ty {
            Ty::Ref(_, t) => match &**t {
                Ty::Slice(t) => (**t).clone(),
                t => t.clone(),
            },
            ty => disjoint(ty).unwrap_or_else(|| ty.clone()),
        };
        let (size, align) = self.types.size_align(&ty).ok()?;
        let offsets = match &ty {
            Ty::Path(p) if !is_hashed_whole(p) => match self.derived_fields(krate, p)? {
                0 => Vec::new(),
                n => {
                    let l = self.types.layout(&ty).ok()?;
                    (l.fields.len() == n).then(|| l.fields.iter().map(|f| f.offset).collect())?
                }
            },
            Ty::Closure(_) | Ty::FnDef(..) | Ty::FnPtr(_) | Ty::Dyn(_) | Ty::Projection(_) => {
                return None;
            }
            _ => Vec::new(),
        };
        Some(artifact::layout_hash(size, align, &offsets))
    }

    /// How many offsets the derived constant of this type hashes: its number of fields, 0 for an enum.
    fn derived_fields(&self, krate: usize, p: &Path) -> Option<usize> {
        let name = p.plain_name()?;
        let of_crate = |(c, k): (usize, &&dyn crate::MirCrate)| {
            let inside = name.strip_prefix(k.name())?.strip_prefix("::")?;
            Some((c, inside.to_string()))
        };
        let (c, inside) = (self.crates.iter().enumerate())
            .find_map(of_crate)
            .unwrap_or((krate, name.clone()));
        let items = self.crates[c].items().iter().filter(|i| {
            i.kind == BodyKind::Const
                && i.path.contains("<impl at ")
                && i.path.ends_with(">::LAYOUT")
        });
        let mut found = Vec::new();
        for item in items {
            let body = self.crates[c].body(item.id).ok()?;
            let calls: Vec<&Path> = body
                .blocks
                .iter()
                .filter_map(|b| match &b.terminator.kind {
                    TerminatorKind::Call(call) => match &call.func {
                        Operand::Const(f) => match &f.kind {
                            ConstKind::Fn(path) => Some(path),
                            _ => None,
                        },
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            // As the derive writes it; anything else is somebody's own and may be any number.
            let [size, align, hash] = calls[..] else {
                continue;
            };
            let is_of = |p: &Path, name: &str| {
                p.last_ident() == Some(name)
                    && matches!(p.last_args(), [GenericArg::Type(Ty::Path(of))]
                        if of.plain_name().as_deref() == Some(&inside))
            };
            if is_of(size, "size_of")
                && is_of(align, "align_of")
                && hash.last_ident() == Some("layout_hash")
            {
                let count = body.locals.iter().find_map(|l| match &l.ty {
                    Ty::Ref(_, t) => match &**t {
                        Ty::Array(_, n) => n.as_u64(),
                        _ => None,
                    },
                    _ => None,
                });
                found.push(usize::try_from(count?).ok()?);
            }
        }
        match found[..] {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// Types for which `device_copy` hashes size and alignment alone.
fn is_hashed_whole(p: &Path) -> bool {
    let name = p.plain_name().unwrap_or_default();
    let rest = ["std::", "core::"]
        .iter()
        .find_map(|c| name.strip_prefix(c));
    matches!(rest, Some("option::Option" | "marker::PhantomData"))
}
