//! Functions that rustc calls by their C names and that no crate defines.

/// The definition of such a function.
pub fn definition(symbol: &str) -> Option<String> {
    match symbol {
        "memcmp" | "bcmp" => Some(compare(symbol)),
        "__powisf2" => Some(power(symbol, "float")),
        "__powidf2" => Some(power(symbol, "double")),
        _ => None,
    }
}

/// compiler-rt's power by squaring, in its order of multiplications; its reciprocal for a negative exponent.
fn power(symbol: &str, ty: &str) -> String {
    format!(
        "define internal {ty} @{symbol}({ty} %base, i32 %exponent) nounwind {{
start:
  %negative = icmp slt i32 %exponent, 0
  %minus = sub i32 0, %exponent
  %magnitude = select i1 %negative, i32 %minus, i32 %exponent
  br label %head
head:
  %n = phi i32 [ %magnitude, %start ], [ %half, %square ]
  %x = phi {ty} [ %base, %start ], [ %squared, %square ]
  %r = phi {ty} [ 1.0, %start ], [ %product, %square ]
  %bit = and i32 %n, 1
  %odd = icmp ne i32 %bit, 0
  %more = fmul {ty} %r, %x
  %product = select i1 %odd, {ty} %more, {ty} %r
  %half = lshr i32 %n, 1
  %done = icmp eq i32 %half, 0
  br i1 %done, label %end, label %square
square:
  %squared = fmul {ty} %x, %x
  br label %head
end:
  %inverse = fdiv {ty} 1.0, %product
  %result = select i1 %negative, {ty} %inverse, {ty} %product
  ret {ty} %result
}}
"
    )
}

/// `memcmp`, which is `bcmp` too: the difference of the first bytes that differ, as unsigned numbers.
fn compare(symbol: &str) -> String {
    format!(
        "define internal i32 @{symbol}(ptr %a, ptr %b, i64 %n) nounwind {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %next, %same ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %compare, label %equal
compare:
  %pa = getelementptr i8, ptr %a, i64 %i
  %pb = getelementptr i8, ptr %b, i64 %i
  %va = load i8, ptr %pa, align 1
  %vb = load i8, ptr %pb, align 1
  %next = add nuw i64 %i, 1
  %eq = icmp eq i8 %va, %vb
  br i1 %eq, label %same, label %different
same:
  br label %head
different:
  %wa = zext i8 %va to i32
  %wb = zext i8 %vb to i32
  %difference = sub nsw i32 %wa, %wb
  ret i32 %difference
equal:
  ret i32 0
}}
"
    )
}
