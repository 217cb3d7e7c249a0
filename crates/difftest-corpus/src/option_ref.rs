//! `Option<&T>` and its kin: null is `None`.

use core::mem::size_of;
use core::ptr::NonNull;

struct Node<'a> {
    value: u32,
    next: Option<&'a Node<'a>>,
}

struct Tree<'a> {
    value: i32,
    left: Option<&'a Tree<'a>>,
    right: Option<&'a Tree<'a>>,
}

#[inline(never)]
fn find(values: &[u32; 8], wanted: u32) -> Option<&u32> {
    values.iter().find(|value| **value == wanted)
}

#[inline(never)]
fn pick<'a>(a: &'a mut u32, b: &'a mut u32, which: u8) -> Option<&'a mut u32> {
    match which % 3 {
        0 => Some(a),
        1 => Some(b),
        _ => None,
    }
}

difftest::diff! {
    tag option_ref;

    fn found_or_not(values: [u32; 8], wanted: u32) -> (u32, bool) {
        let found = find(&values, wanted);
        (found.copied().unwrap_or(!wanted), found.is_none())
    }

    fn found_at(values: [u32; 8], at: u8) -> (Option<u32>, u32) {
        let wanted = values[(at & 7) as usize];
        match find(&values, wanted) {
            Some(place) => {
                // SAFETY: both point into `values`.
                let offset = unsafe { (place as *const u32).offset_from(values.as_ptr()) };
                (Some(*place), offset as u32)
            }
            None => (None, 99),
        }
    }

    fn a_mutable_reference_or_none(x: u32, y: u32, which: u8) -> [u32; 3] {
        let (mut a, mut b) = (x, y);
        let none = match pick(&mut a, &mut b, which) {
            Some(place) => {
                *place = place.wrapping_mul(31);
                0
            }
            None => 1,
        };
        [a, b, none]
    }

    fn a_linked_list(values: [u32; 4], length: u8) -> (u32, u32) {
        let d = Node { value: values[3], next: None };
        let c = Node { value: values[2], next: if length & 1 == 0 { Some(&d) } else { None } };
        let b = Node { value: values[1], next: Some(&c) };
        let a = Node { value: values[0], next: if length & 2 == 0 { Some(&b) } else { None } };
        let mut sum = 0u32;
        let mut count = 0;
        let mut at = Some(&a);
        while let Some(node) = at {
            sum = sum.wrapping_mul(33).wrapping_add(node.value);
            count += 1;
            at = node.next;
        }
        (sum, count)
    }

    fn a_search_tree(wanted: i32, x: i32) -> (i32, u32) {
        let a = Tree { value: -100, left: None, right: None };
        let c = Tree { value: 7, left: None, right: None };
        let b = Tree { value: 3, left: Some(&a), right: Some(&c) };
        let e = Tree { value: x.saturating_abs().max(20), left: None, right: None };
        let root = Tree { value: 10, left: Some(&b), right: Some(&e) };
        let mut at = Some(&root);
        let mut depth = 0;
        let mut last = 0;
        while let Some(tree) = at {
            depth += 1;
            last = tree.value;
            at = if wanted < tree.value {
                tree.left
            } else if wanted > tree.value {
                tree.right
            } else {
                break;
            };
        }
        (last, depth)
    }

    fn references_to_references(x: u32, y: u32, some: bool) -> (u32, u32) {
        let r = if some { Some(&x) } else { None };
        let rr = Some(&r);
        let n = match rr {
            Some(Some(n)) => **n,
            Some(None) => y,
            None => 0,
        };
        (n, (size_of::<Option<&u32>>() * 10 + size_of::<Option<Option<&u32>>>()) as u32)
    }

    fn combinators_over_references(values: [i16; 5], at: u8) -> (Option<i16>, i32, bool, i16) {
        let r = values.get(at as usize);
        (
            r.filter(|v| **v > 0).map(|v| v / 2),
            r.map_or(-1, |v| *v as i32 * 3),
            r.or(values.last()).is_some_and(|v| v & 1 == 1),
            *r.unwrap_or(&values[0]),
        )
    }

    fn references_as_options_compare(x: u32, y: u32) -> [bool; 4] {
        let (a, b) = (Some(&x), Some(&y));
        [a == b, a == None, a < b, core::ptr::eq(a.unwrap_or(&y), &x)]
    }

    fn options_by_reference(x: u32, some: bool) -> (u32, u32) {
        let mut o = if some { Some(x) } else { None };
        let by_ref = o.as_ref().map_or(1, |n| n.count_ones());
        if let Some(n) = o.as_mut() {
            *n ^= 0x5555;
        }
        (by_ref, o.unwrap_or_default())
    }

    fn wide_references_or_none(values: [u8; 6], at: u8) -> (u32, u32, u32) {
        let s: Option<&[u8]> = values.get(at as usize..);
        let name: Option<&str> = if at & 1 == 0 { Some("even") } else { None };
        (
            s.map_or(1000, |s| s.iter().map(|b| *b as u32).sum::<u32>() + s.len() as u32 * 10_000),
            name.map_or(0, |n| n.len() as u32),
            (size_of::<Option<&[u8]>>() + size_of::<Option<&str>>()) as u32,
        )
    }

    fn nonnull_pointers(values: [u64; 3], at: u8) -> (u64, bool) {
        let p = if at < 3 { NonNull::new(&raw const values[at as usize] as *mut u64) } else { NonNull::new(core::ptr::null_mut()) };
        // SAFETY: points into `values`.
        (p.map_or(5, |p| unsafe { *p.as_ptr() }), p.is_none())
    }
}
