//! Layouts from the debug metadata of rustc's textual LLVM IR (`-C debuginfo=2`): every type that a variable has, closures and
//! private types included. Members stand in the order of their declaration, with offsets in bits; a variant part has the
//! tag's place and for each variant the tag's value.
//!
//! What is not there: how rustc passes a value. For structs and tuples that follows from the fields (rustc's rule is stated in
//! its reference for `BackendRepr`); for enums with data the class that is given is [`Abi::Memory`] unless it is certain.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_mir::ty::*;

use crate::metadata::{Metadata, Node};
use crate::model::*;
use crate::names;

/// The metadata of one module.
pub(crate) struct DebugInfo {
    meta: Metadata,
    /// Composite types by a short name: the last identifier, `(` for tuples, `{closure_env#0}`.
    by_name: HashMap<String, Vec<u32>>,
    /// Variables of the probe's crate.
    variables: HashMap<String, u32>,
}

impl DebugInfo {
    /// Finds the metadata; reads none of it but the names of types.
    pub fn index(text: Arc<str>) -> DebugInfo {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::new();
        let mut variables = HashMap::new();
        let meta = Metadata::index(text, |id, body| {
            if body.starts_with("!DICompositeType(")
                && let Some((_, n)) = body.split_once("name: \"")
                && let Some((name, _)) = n.split_once('"')
            {
                by_name
                    .entry(names::short_debug_name(name))
                    .or_default()
                    .push(id);
            } else if let Some(rest) = body.strip_prefix("!DILocalVariable(name: \"oxide_")
                && let Some((name, _)) = rest.split_once('"')
            {
                variables.insert(format!("oxide_{name}"), id);
            }
        });
        DebugInfo {
            meta,
            by_name,
            variables,
        }
    }

    fn node(&self, id: u32) -> Option<Node<'_>> {
        self.meta.node(id)
    }

    fn list(&self, id: u32) -> Option<Vec<u32>> {
        self.meta.list(id)
    }

    fn elements(&self, n: &Node<'_>) -> Option<Vec<u32>> {
        match n.reference("elements") {
            Some(id) => self.list(id),
            None => Some(Vec::new()),
        }
    }

    /// The namespaces around a type, outermost (the crate) first.
    fn scope(&self, n: &Node<'_>) -> Option<Vec<String>> {
        let mut out = Vec::new();
        let mut next = n.reference("scope");
        while let Some(id) = next {
            let s = self.node(id)?;
            // A namespace, or for a closure's type the function around it.
            out.push(s.get("name")?.to_string());
            next = s.reference("scope");
            if out.len() > 64 {
                return None;
            }
        }
        out.reverse();
        Some(out)
    }

    /// The whole name of what a variable that is a pointer points to.
    pub fn pointee(&self, variable: &str) -> Option<String> {
        let variable = self.node(*self.variables.get(variable)?)?;
        let pointer = self.node(variable.reference("type")?)?;
        let pointee = self.node(pointer.reference("baseType")?)?;
        let mut path = self.scope(&pointee)?;
        path.push(pointee.get("name")?.to_string());
        Some(path.join("::"))
    }

    /// All layouts that the types of this name have, and that `names` finds to be the type asked for.
    pub fn find(&self, ty: &Ty, names: &names::Names) -> Vec<Layout> {
        let mut out: Vec<Layout> = Vec::new();
        for key in names.debug_keys(ty) {
            for id in self.by_name.get(&key).map_or(&[][..], |v| v) {
                let Some(n) = self.node(*id) else { continue };
                let (Some(scope), Some(name)) = (self.scope(&n), n.get("name")) else {
                    continue;
                };
                if names.same(ty, &scope, name)
                    && let Some(l) = self.layout(*id, 0)
                    && !out.contains(&l)
                {
                    out.push(l);
                }
            }
        }
        out
    }

    /// The layout of a node. `None`: something in it is not known.
    fn layout(&self, id: u32, depth: u32) -> Option<Layout> {
        if depth > 64 {
            return None;
        }
        let n = self.node(id)?;
        let size = n.bytes("size")?;
        match n.kind {
            "DIBasicType" => {
                let scalar = match n.get("encoding")? {
                    "DW_ATE_boolean"
                    | "DW_ATE_unsigned"
                    | "DW_ATE_UTF"
                    | "DW_ATE_unsigned_char" => Scalar::Int {
                        size,
                        signed: false,
                    },
                    "DW_ATE_signed" | "DW_ATE_signed_char" => Scalar::Int { size, signed: true },
                    "DW_ATE_float" => Scalar::Float { size },
                    _ => return None,
                };
                let abi = if size == 0 {
                    Abi::Zst
                } else {
                    Abi::Scalar(scalar)
                };
                Some(plain(size, size.max(1), abi, n.get("name") == Some("!")))
            }
            "DIDerivedType" => match n.get("tag")? {
                "DW_TAG_pointer_type" => Some(plain(8, 8, Abi::Scalar(Scalar::Pointer), false)),
                "DW_TAG_typedef" => self.layout(n.reference("baseType")?, depth + 1),
                _ => None,
            },
            "DICompositeType" => {
                let align = n.bytes("align")?.max(1);
                match n.get("tag")? {
                    "DW_TAG_array_type" => {
                        let abi = if size == 0 { Abi::Zst } else { Abi::Memory };
                        Some(plain(size, align, abi, false))
                    }
                    "DW_TAG_enumeration_type" => self.enumeration(&n, size, align),
                    "DW_TAG_union_type" => {
                        let fields = self.members(&n)?.into_iter().map(|m| m.field).collect();
                        let abi = if size == 0 { Abi::Zst } else { Abi::Memory };
                        Some(Layout {
                            fields,
                            ..plain(size, align, abi, false)
                        })
                    }
                    "DW_TAG_structure_type" => self.structure(&n, size, align, depth),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// An enum without data.
    fn enumeration(&self, n: &Node<'_>, size: u64, align: u64) -> Option<Layout> {
        let base = self.node(n.reference("baseType")?)?;
        let signed = base.get("encoding")? == "DW_ATE_signed";
        let mut variants = Vec::new();
        for id in self.elements(n)? {
            let e = self.node(id)?;
            // `value: 200, isUnsigned: true`
            let value: i128 = e.get("value")?.parse().ok()?;
            variants.push(Variant {
                name: e.get("name")?.to_string(),
                discriminant: value,
                fields: Vec::new(),
                uninhabited: false,
            });
        }
        let tag = Tag {
            offset: 0,
            size,
            is_pointer: false,
        };
        let abi = Abi::Scalar(Scalar::Int { size, signed });
        Some(Layout {
            variants: Variants::Tagged { tag, variants },
            ..plain(size, align, abi, false)
        })
    }

    fn structure(&self, n: &Node<'_>, size: u64, align: u64, depth: u32) -> Option<Layout> {
        let elements = self.elements(n)?;
        if let [only] = elements[..]
            && let Some(part) = self.node(only)
            && part.get("tag") == Some("DW_TAG_variant_part")
        {
            return self.variant_part(&part, size, align, depth);
        }
        let members = self.members(n)?;
        let uninhabited = members
            .iter()
            .any(|m| self.layout(m.ty, depth + 1).is_some_and(|l| l.uninhabited));
        let abi = self.struct_abi(size, align, &members, depth);
        let fields = members.into_iter().map(|m| m.field).collect();
        Some(Layout {
            fields,
            ..plain(size, align, abi, uninhabited)
        })
    }

    fn members(&self, n: &Node<'_>) -> Option<Vec<Member>> {
        let mut out = Vec::new();
        for id in self.elements(n)? {
            let m = self.node(id)?;
            if m.get("tag")? != "DW_TAG_member" {
                return None;
            }
            let field = FieldLayout {
                offset: m.bytes("offset")?,
                name: m.get("name").map(str::to_string),
                size: Some(m.bytes("size")?),
                ty: None,
            };
            out.push(Member {
                field,
                ty: m.reference("baseType")?,
            });
        }
        Some(out)
    }

    /// rustc's rule for structs: one field with a size that fills it passes on what it is; two scalars are a pair where
    /// the second stands directly behind the first; everything else is in memory.
    fn struct_abi(&self, size: u64, align: u64, members: &[Member], depth: u32) -> Abi {
        if size == 0 {
            return Abi::Zst;
        }
        let mut sized = members.iter().filter(|m| m.field.size != Some(0));
        let abi_of = |m: &Member| self.layout(m.ty, depth + 1);
        match (sized.next(), sized.next(), sized.next()) {
            (Some(a), None, _) => match abi_of(a) {
                Some(l) if l.size == size && l.align == align && a.field.offset == 0 => l.abi,
                _ => Abi::Memory,
            },
            (Some(a), Some(b), None) => {
                let (a, b) = if a.field.offset < b.field.offset {
                    (a, b)
                } else {
                    (b, a)
                };
                match (abi_of(a), abi_of(b)) {
                    (Some(la), Some(lb)) => match (&la.abi, &lb.abi) {
                        (Abi::Scalar(x), Abi::Scalar(y))
                            if a.field.offset == 0
                                && b.field.offset == la.size.next_multiple_of(lb.align)
                                && align == la.align.max(lb.align)
                                && size == (b.field.offset + lb.size).next_multiple_of(align) =>
                        {
                            Abi::ScalarPair {
                                first: *x,
                                second: *y,
                                second_offset: b.field.offset,
                            }
                        }
                        _ => Abi::Memory,
                    },
                    _ => Abi::Memory,
                }
            }
            _ => Abi::Memory,
        }
    }

    fn variant_part(&self, part: &Node<'_>, size: u64, align: u64, depth: u32) -> Option<Layout> {
        let mut variants = Vec::new();
        // The tag's value of each variant, where one is told.
        let mut values = Vec::new();
        for id in self.elements(part)? {
            let m = self.node(id)?;
            let value = match m.get("extraData") {
                // `i8 2`: a constant of LLVM's type; `false`/`true` for `i1`.
                Some(v) => {
                    let (_, v) = v.split_once(' ')?;
                    Some(v.parse::<i128>().ok()?)
                }
                None => None,
            };
            values.push(value);
            let s = self.node(m.reference("baseType")?)?;
            let members = self.members(&s)?;
            let uninhabited = members
                .iter()
                .any(|m| self.layout(m.ty, depth + 1).is_some_and(|l| l.uninhabited));
            variants.push(Variant {
                name: m.get("name")?.to_string(),
                discriminant: 0,
                fields: members.into_iter().map(|m| m.field).collect(),
                uninhabited,
            });
        }
        let memory = if size == 0 { Abi::Zst } else { Abi::Memory };
        let Some(discriminator) = part.reference("discriminator") else {
            // One possible variant at most. Which one is told by which is inhabited.
            let possible: Vec<usize> = (0..variants.len())
                .filter(|i| !variants[*i].uninhabited)
                .collect();
            return match (&possible[..], variants.len()) {
                ([], _) => Some(plain(size, align, memory, true)),
                ([i], _) => {
                    let fields = variants.swap_remove(*i).fields;
                    let l = plain(size, align, memory, false);
                    Some(Layout {
                        fields,
                        variants: Variants::Single { index: *i as u32 },
                        ..l
                    })
                }
                _ => None,
            };
        };
        let d = self.node(discriminator)?;
        let base = self.node(d.reference("baseType")?)?;
        let is_pointer = base.get("tag") == Some("DW_TAG_pointer_type");
        let signed = base.get("encoding") == Some("DW_ATE_signed");
        let tag = Tag {
            offset: d.bytes("offset")?,
            size: d.bytes("size")?,
            is_pointer,
        };
        if tag.size == 0 || tag.size > 16 {
            return None;
        }
        let no_data = variants
            .iter()
            .all(|v| v.fields.iter().all(|f| f.size == Some(0)));
        let abi = if no_data && tag.offset == 0 && tag.size == size {
            Abi::Scalar(Scalar::Int { size, signed })
        } else {
            memory
        };
        let l = plain(size, align, abi, false);
        let untagged: Vec<usize> = (0..values.len()).filter(|i| values[*i].is_none()).collect();
        match untagged[..] {
            // Metadata shows the tag's bits in its LLVM type, where -1 and 255 of an i8 are one.
            [] => {
                for (v, value) in variants.iter_mut().zip(&values) {
                    v.discriminant = tag_value((*value)?, tag.size, signed);
                }
                Some(Layout {
                    variants: Variants::Tagged { tag, variants },
                    ..l
                })
            }
            [untagged] => {
                for (i, v) in variants.iter_mut().enumerate() {
                    v.discriminant = i as i128;
                }
                let first = values.iter().position(Option::is_some)?;
                let last = values.iter().rposition(Option::is_some)?;
                let mask = u128::MAX >> (128 - 8 * tag.size);
                let start = values[first]? as u128 & mask;
                for (i, v) in values.iter().enumerate() {
                    if let Some(v) = v
                        && *v as u128 & mask != start.wrapping_add((i - first) as u128) & mask
                    {
                        return None;
                    }
                }
                Some(Layout {
                    variants: Variants::Niche {
                        tag,
                        untagged_variant: untagged as u32,
                        niche_variants: (first as u32, last as u32),
                        niche_start: start,
                        variants,
                    },
                    ..l
                })
            }
            _ => None,
        }
    }
}

struct Member {
    field: FieldLayout,
    ty: u32,
}

/// Bits of a tag as the discriminant's value.
fn tag_value(v: i128, size: u64, signed: bool) -> i128 {
    let shift = 128 - 8 * size;
    if signed {
        (v << shift) >> shift
    } else {
        ((v as u128) << shift >> shift) as i128
    }
}

/// A layout without fields or variants.
pub(crate) fn plain(size: u64, align: u64, abi: Abi, uninhabited: bool) -> Layout {
    Layout {
        size,
        align,
        abi,
        uninhabited,
        fields: Vec::new(),
        variants: Variants::Single { index: 0 },
    }
}
