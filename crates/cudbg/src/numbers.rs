//! How types of C are written, so that what they are can also be listed.

/// Defines number types with named values, of which there can be others, and lists them all.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident { $($value:ident = $number:literal,)* })*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        #[allow(missing_docs, non_upper_case_globals)]
        impl $name {
            $(pub const $value: $name = $name($number);)*

            /// All names with their values, in the header's order.
            pub const ALL: &[(&'static str, $name)] = &[$((stringify!($value), $name::$value)),*];

            /// The header's name; `None` for a value that it does not know.
            pub fn name(self) -> Option<&'static str> {
                Self::ALL.iter().find(|(_, v)| *v == self).map(|(n, _)| *n)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(n) => f.write_str(n),
                    None => write!(f, concat!(stringify!($name), "({})"), self.0),
                }
            }
        })*

        /// Every enum of the header with its values.
        pub const ENUMS: &[(&str, &[(&str, u32)])] = &[
            $((stringify!($name), &[$((stringify!($value), $number)),*])),*
        ];
    };
}

/// A struct or union as the compiler lays it out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// `struct` or `union`.
    pub kind: &'static str,
    /// The header's name.
    pub name: &'static str,
    /// Bytes.
    pub size: usize,
    /// Bytes.
    pub align: usize,
    /// Name, offset and size of each field.
    pub fields: &'static [(&'static str, usize, usize)],
}

/// Defines structs and unions, and lists their layouts.
macro_rules! layouts {
    ($(#[$repr:meta] $word:tt $name:ident { $($field:ident: $ty:ty,)* })*) => {
        $(#[doc = concat!("The header's `", stringify!($name), "`.")]
        #[derive(Clone, Copy)]
        #[$repr]
        #[allow(missing_docs)]
        pub $word $name {
            $(pub $field: $ty,)*
        })*

        /// Every struct and union of the header.
        pub const LAYOUTS: &[$crate::Layout] = &[
            $($crate::Layout {
                kind: stringify!($word),
                name: stringify!($name),
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$ty>())),*],
            }),*
        ];
    };
}
