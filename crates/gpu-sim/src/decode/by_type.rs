//! A Rust type for a PTX type, where code is written once for all of them.

/// Runs `$body` with `$T` as the Rust integer of a type, sign included.
macro_rules! by_int {
    ($self:ident, $ty:expr, $T:ident, $body:expr) => {
        match $ty {
            Type::U8 | Type::B8 => {
                type $T = u8;
                $body
            }
            Type::S8 => {
                type $T = i8;
                $body
            }
            Type::U16 | Type::B16 => {
                type $T = u16;
                $body
            }
            Type::S16 => {
                type $T = i16;
                $body
            }
            Type::U32 | Type::B32 => {
                type $T = u32;
                $body
            }
            Type::S32 => {
                type $T = i32;
                $body
            }
            Type::U64 | Type::B64 => {
                type $T = u64;
                $body
            }
            Type::S64 => {
                type $T = i64;
                $body
            }
            _ => return $self.unknown(format!("type .{}", $ty.name())),
        }
    };
}

/// The same for the unsigned integer of a type's size.
macro_rules! by_bits {
    ($self:ident, $ty:expr, $T:ident, $body:expr) => {
        match width_of($ty) {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            _ => return $self.unknown(format!("type .{}", $ty.name())),
        }
    };
}

pub(super) use {by_bits, by_int};
