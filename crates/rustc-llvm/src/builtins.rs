//! Functions that rustc calls by their C names and that no crate defines.

/// The definition of such a function.
pub fn definition(symbol: &str) -> Option<String> {
    matches!(symbol, "memcmp" | "bcmp").then(|| compare(symbol))
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
