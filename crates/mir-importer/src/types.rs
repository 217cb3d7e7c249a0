//! rustc's types with their layouts to types of the dialect.

use std::sync::Arc;

use dialect_mir::types as mt;
use layout::{Layout, Variants};
use pliron::{
    builtin::types::{FP16Type, FP32Type, FP64Type},
    context::Context,
    r#type::TypeHandle,
};
use rustc_mir::ty::{FloatTy, GenericArg, Mutability, Path, Ty};

use crate::source::Layouts;

/// How a value of a type is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No bytes.
    Zst,
    /// One SSA value (number or thin pointer).
    Scalar,
    /// A wide pointer, an SSA pair.
    Slice,
    /// Lives in memory.
    Memory,
}

/// Conversion of types, over the owner of layouts.
pub struct Types<'a> {
    pub layouts: &'a dyn Layouts,
    /// Closures of core that a constant of the body said to be without bytes. Their printed names hold all their
    /// generic arguments; those of the user's closures do not, so they are not kept here.
    pub zero_sized: std::cell::RefCell<std::collections::HashSet<Ty>>,
}

/// Is it an unsized type whose pointers carry a length?
pub fn is_slice_like(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(_) | Ty::Str) || unsized_tail(ty).is_some()
}

/// The element of the slice that ends a struct of core: `PolymorphicIter<[T]>`, in which the iteration of arrays is.
fn unsized_tail(ty: &Ty) -> Option<&Ty> {
    let Ty::Path(p) = ty else { return None };
    match p.last_args() {
        [GenericArg::Type(Ty::Slice(t))] if p.last_ident() == Some("PolymorphicIter") => Some(t),
        _ => None,
    }
}

/// `MaybeUninit<T>` and `ManuallyDrop<T>` of core.
pub fn is_transparent(p: &Path) -> bool {
    let name = p.plain_name().unwrap_or_default();
    ["std::mem::", "core::mem::"]
        .iter()
        .any(|c| name.starts_with(c))
        && matches!(p.last_ident(), Some("MaybeUninit" | "ManuallyDrop"))
        && type_args(p).len() == 1
}

/// The length of the array that a struct with an unsized tail was made from.
pub fn tail_len(ty: &Ty) -> Option<u64> {
    let Ty::Path(p) = ty else { return None };
    match p.last_args() {
        [GenericArg::Type(Ty::Array(_, n))] if p.last_ident() == Some("PolymorphicIter") => {
            n.as_u64()
        }
        _ => None,
    }
}

/// The pointee of a reference or raw pointer.
pub fn pointee(ty: &Ty) -> Option<(&Ty, bool)> {
    match ty {
        Ty::Ref(m, t) | Ty::RawPtr(m, t) => Some((t, *m == Mutability::Mut)),
        _ => None,
    }
}

/// Is an integer type signed?
pub fn is_signed(ty: &Ty) -> bool {
    match ty {
        Ty::Int(_) => true,
        Ty::Pattern(base, _) => is_signed(base),
        _ => false,
    }
}

/// The element of an array or slice (`u8` for `str`).
pub fn element(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Array(t, _) | Ty::Slice(t) => Some((**t).clone()),
        Ty::Str => Some(Ty::Uint(rustc_mir::ty::UintTy::U8)),
        ty => unsized_tail(ty).cloned(),
    }
}

/// The generic arguments that are types.
pub fn type_args(path: &Path) -> Vec<Ty> {
    path.last_args()
        .iter()
        .filter_map(|a| match a {
            GenericArg::Type(t) => Some(t.clone()),
            _ => None,
        })
        .collect()
}

impl Types<'_> {
    /// Layout, with what needs no source: tuples of nothing, `(iN, bool)`, function items.
    pub fn layout(&self, ty: &Ty) -> Result<Arc<Layout>, String> {
        use layout::{Abi, FieldLayout};
        let plain = |size: u64, align: u64, abi: Abi, fields: Vec<FieldLayout>| {
            Ok(Arc::new(Layout {
                size,
                align,
                abi,
                uninhabited: matches!(ty, Ty::Never),
                fields,
                variants: Variants::Single { index: 0 },
            }))
        };
        match ty {
            Ty::Closure(_) if self.zero_sized.borrow().contains(ty) => {
                plain(0, 1, Abi::Zst, vec![])
            }
            Ty::Never | Ty::FnDef(..) => plain(0, 1, Abi::Zst, vec![]),
            Ty::Tuple(ts) if ts.is_empty() => plain(0, 1, Abi::Zst, vec![]),
            Ty::Tuple(ts) if ts.len() == 2 && ts[1] == Ty::Bool && int_size(&ts[0]).is_some() => {
                let size = int_size(&ts[0]).unwrap_or(1);
                let field = |offset, size, ty: &Ty| FieldLayout {
                    offset,
                    name: None,
                    size: Some(size),
                    ty: Some(ty.clone()),
                };
                let fields = vec![field(0, size, &ts[0]), field(size, 1, &ts[1])];
                plain(2 * size, size, Abi::Memory, fields)
            }
            _ => match (ty, unsized_tail(ty)) {
                // The range of the elements that are alive, then the elements: a tail that may be unsized stays last, so
                // nothing can stand between.
                (Ty::Path(_), Some(elem)) => {
                    let (_, align) = self.size_align(elem)?;
                    let field = |offset, size| FieldLayout {
                        offset,
                        name: None,
                        size,
                        ty: None,
                    };
                    let data = 16u64.next_multiple_of(align);
                    plain(
                        data,
                        align.max(8),
                        Abi::Memory,
                        vec![field(0, Some(16)), field(data, None)],
                    )
                }
                _ => self.layouts.layout(ty),
            },
        }
    }

    /// Size and alignment.
    pub fn size_align(&self, ty: &Ty) -> Result<(u64, u64), String> {
        match ty {
            Ty::Bool => Ok((1, 1)),
            Ty::Char => Ok((4, 4)),
            Ty::Int(i) => Ok((i.size(), i.size())),
            Ty::Uint(u) => Ok((u.size(), u.size())),
            Ty::Float(f) => Ok((f.size(), f.size())),
            Ty::FnPtr(_) => Ok((8, 8)),
            Ty::Ref(_, t) | Ty::RawPtr(_, t) => match &**t {
                Ty::Dyn(_) => {
                    Err("pointers to `dyn` types are not handled on the MIR route".into())
                }
                t if is_slice_like(t) => Ok((16, 8)),
                _ => Ok((8, 8)),
            },
            Ty::Array(t, n) => {
                let (size, align) = self.size_align(t)?;
                let n = n
                    .as_u64()
                    .ok_or_else(|| format!("the length of `{ty}` is not evaluated"))?;
                Ok((
                    size.checked_mul(n).ok_or("an array's size overflows")?,
                    align,
                ))
            }
            Ty::Pattern(base, _) => self.size_align(base),
            // Documented to have the size and alignment of what is in them.
            Ty::Path(p) if is_transparent(p) => self.size_align(&type_args(p)[0]),
            _ => self.layout(ty).map(|l| (l.size, l.align)),
        }
    }

    /// How a value is handled.
    pub fn kind(&self, ty: &Ty) -> Result<Kind, String> {
        Ok(match ty {
            Ty::Bool | Ty::Char | Ty::Int(_) | Ty::Uint(_) | Ty::Float(_) | Ty::FnPtr(_) => {
                Kind::Scalar
            }
            Ty::Ref(_, t) | Ty::RawPtr(_, t) => match &**t {
                Ty::Dyn(_) => {
                    return Err("pointers to `dyn` types are not handled on the MIR route".into());
                }
                t if is_slice_like(t) => Kind::Slice,
                _ => Kind::Scalar,
            },
            Ty::Pattern(base, _) => self.kind(base)?,
            _ if self.size_align(ty)?.0 == 0 => Kind::Zst,
            _ => Kind::Memory,
        })
    }

    /// The dialect's type of a value in memory.
    pub fn convert(&self, ctx: &Context, ty: &Ty) -> Result<TypeHandle, String> {
        Ok(match ty {
            Ty::Bool => mt::bool_type(ctx).into(),
            Ty::Char => mt::int_type(ctx, 32).into(),
            Ty::Int(i) => mt::int_type(ctx, 8 * i.size() as u32).into(),
            Ty::Uint(u) => mt::int_type(ctx, 8 * u.size() as u32).into(),
            Ty::Float(FloatTy::F16) => FP16Type::get(ctx).into(),
            Ty::Float(FloatTy::F32) => FP32Type::get(ctx).into(),
            Ty::Float(FloatTy::F64) => FP64Type::get(ctx).into(),
            Ty::Float(FloatTy::F128) => return Err("`f128` has no PTX type".into()),
            Ty::FnPtr(_) => mt::PtrType::get(ctx, mt::unit_type(ctx).into(), false, 0).into(),
            Ty::Ref(m, t) | Ty::RawPtr(m, t) => {
                let mutable = *m == Mutability::Mut;
                if matches!(**t, Ty::Dyn(_)) {
                    return Err("pointers to `dyn` types are not handled on the MIR route".into());
                }
                if is_slice_like(t) {
                    let elem = element(t).unwrap_or_else(Ty::unit);
                    mt::SliceType::get(ctx, self.pointee(ctx, &elem), mutable, 0).into()
                } else {
                    mt::PtrType::get(ctx, self.pointee(ctx, t), mutable, 0).into()
                }
            }
            Ty::Pattern(base, _) => self.convert(ctx, base)?,
            Ty::Array(t, n) => {
                let n = n
                    .as_u64()
                    .ok_or_else(|| format!("the length of `{ty}` is not evaluated"))?;
                let (stride, align) = self.size_align(t)?;
                mt::ArrayType::get(ctx, self.convert(ctx, t)?, n, stride, align).into()
            }
            _ => {
                let (size, align) = self.size_align(ty)?;
                if size == 0 && matches!(ty, Ty::Tuple(t) if t.is_empty()) {
                    mt::unit_type(ctx).into()
                } else {
                    mt::StructType::get(
                        ctx,
                        ty.to_string(),
                        vec![],
                        mt::Layout::new(size, align, vec![]),
                    )
                    .into()
                }
            }
        })
    }

    /// The type as it stands behind a pointer: never fails, never recurses into named types.
    pub fn pointee(&self, ctx: &Context, ty: &Ty) -> TypeHandle {
        match ty {
            Ty::Bool
            | Ty::Char
            | Ty::Int(_)
            | Ty::Uint(_)
            | Ty::FnPtr(_)
            | Ty::Ref(..)
            | Ty::RawPtr(..)
            | Ty::Float(_)
            | Ty::Pattern(..) => self
                .convert(ctx, ty)
                .unwrap_or_else(|_| mt::StructType::opaque(ctx, ty.to_string()).into()),
            Ty::Array(..) => match self.convert(ctx, ty) {
                Ok(t) => mt::shallow(ctx, t),
                Err(_) => mt::StructType::opaque(ctx, ty.to_string()).into(),
            },
            Ty::Tuple(t) if t.is_empty() => mt::unit_type(ctx).into(),
            _ => mt::StructType::opaque(ctx, ty.to_string()).into(),
        }
    }

    /// The enum as the discriminant operations want it; `None` if nothing is stored (the only variant's index is told).
    pub fn enum_type(
        &self,
        ctx: &Context,
        ty: &Ty,
        discr_bits: u64,
    ) -> Result<Result<TypeHandle, u32>, String> {
        let l = self.layout(ty)?;
        let (tag, variants) = match &l.variants {
            Variants::Single { index } => return Ok(Err(*index)),
            Variants::Tagged { tag, variants } => (
                mt::TagEncoding::Direct {
                    offset: tag.offset,
                    bits: 8 * tag.size,
                },
                variants,
            ),
            Variants::Niche {
                tag,
                untagged_variant,
                niche_variants,
                niche_start,
                variants,
            } => {
                let niche_start = u64::try_from(*niche_start)
                    .map_err(|_| format!("`{ty}` has a niche beyond 64 bits"))?;
                let tag = mt::TagEncoding::Niche {
                    offset: tag.offset,
                    bits: 8 * tag.size,
                    untagged: u64::from(*untagged_variant),
                    first: u64::from(niche_variants.0),
                    last: u64::from(niche_variants.1),
                    niche_start,
                };
                (tag, variants)
            }
        };
        let variants = variants
            .iter()
            .map(|v| mt::Variant {
                name: v.name.clone(),
                discr: v.discriminant as u64,
                fields: vec![],
                offsets: vec![],
            })
            .collect();
        let layout = mt::Layout::new(l.size, l.align, vec![]);
        Ok(Ok(mt::EnumType::get(
            ctx,
            ty.to_string(),
            variants,
            layout,
            tag,
            discr_bits,
            true,
        )
        .into()))
    }
}

fn int_size(ty: &Ty) -> Option<u64> {
    match ty {
        Ty::Int(i) => Some(i.size()),
        Ty::Uint(u) => Some(u.size()),
        _ => None,
    }
}
