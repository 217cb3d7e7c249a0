//! `#[unroll] for i in 0..4 { … }`: the loop written out, so that an array which it indexes can stay in registers whatever LLVM thinks of its size.
//!
//! Works on tokens: the attribute is gone before rustc would look for it.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::quote;
use syn::{Error, Result};

/// More copies than this are a mistake.
const MOST: u128 = 1024;

/// The tokens with every such loop written out.
pub fn unroll(tokens: TokenStream) -> Result<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if is_punct(Some(token), '#') && is_unroll(tokens.get(at + 1)) {
            let (code, used) = written_out(&tokens[at..])?;
            out.extend(code);
            at += used;
            continue;
        }
        out.extend([match token {
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), unroll(group.stream())?);
                new.set_span(group.span());
                TokenTree::Group(new)
            }
            other => other.clone(),
        }]);
        at += 1;
    }
    Ok(out)
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(i)) if i == word)
}

fn is_unroll(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else {
        return false;
    };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    group.delimiter() == Delimiter::Bracket
        && inside.len() == 1
        && is_word(inside.first(), "unroll")
}

/// `# [unroll] for i in a .. b { … }` at the beginning: the code, and how many tokens it was.
fn written_out(tokens: &[TokenTree]) -> Result<(TokenStream, usize)> {
    let wrong = |text: &str| Error::new(tokens[1].span(), text);
    let form = "`#[unroll]` stands on `for i in 0..8 { … }`, a name and literal bounds";
    let (Some(TokenTree::Ident(name)), true, true) = (
        tokens.get(3),
        is_word(tokens.get(2), "for"),
        is_word(tokens.get(4), "in"),
    ) else {
        return Err(wrong(form));
    };
    let number = |at: usize| match tokens.get(at) {
        Some(TokenTree::Literal(literal)) => value(literal).ok_or_else(|| wrong(form)),
        _ => Err(wrong(form)),
    };
    let (first, first_suffix) = number(5)?;
    if !is_punct(tokens.get(6), '.') || !is_punct(tokens.get(7), '.') {
        return Err(wrong(form));
    }
    let inclusive = is_punct(tokens.get(8), '=');
    let at = 8 + usize::from(inclusive);
    let (last, last_suffix) = number(at)?;
    let Some(TokenTree::Group(body)) = tokens.get(at + 1) else {
        return Err(wrong(form));
    };
    if body.delimiter() != Delimiter::Brace {
        return Err(wrong(form));
    }
    if leaves(body.stream()) {
        return Err(wrong(
            "a loop with `break` or `continue` cannot be written out",
        ));
    }
    let end = last + u128::from(inclusive);
    if end.saturating_sub(first) > MOST {
        return Err(wrong("more than 1024 copies of the body"));
    }
    let suffix = if first_suffix.is_empty() {
        last_suffix
    } else {
        first_suffix
    };
    let body = unroll(body.stream())?;
    let mut copies = TokenStream::new();
    for n in first..end {
        let literal: Literal = format!("{n}{suffix}").parse().map_err(|_| wrong(form))?;
        let name: &Ident = name;
        copies.extend(quote!({ let #name = #literal; #body }));
    }
    Ok((quote!({ #copies }), at + 2))
}

/// A whole number and its suffix.
fn value(literal: &Literal) -> Option<(u128, String)> {
    let literal: syn::LitInt = syn::parse_str(&literal.to_string()).ok()?;
    Some((literal.base10_parse().ok()?, literal.suffix().to_string()))
}

/// Whether the body has a `break` or `continue` of its own: not one in a loop inside.
fn leaves(tokens: TokenStream) -> bool {
    let mut inner_loop = false;
    for token in tokens {
        match token {
            TokenTree::Ident(i) if i == "break" || i == "continue" => return true,
            TokenTree::Ident(i) if i == "for" || i == "while" || i == "loop" => inner_loop = true,
            TokenTree::Group(group) => {
                let body_of_loop = inner_loop && group.delimiter() == Delimiter::Brace;
                if body_of_loop {
                    inner_loop = false;
                } else if leaves(group.stream()) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    fn out(text: &str) -> String {
        match super::unroll(text.parse().expect("tokens")) {
            Ok(tokens) => tokens.to_string(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn loops_are_written_out() {
        let text = out("fn f() { #[unroll] for i in 1..3u32 { g(i); } h(); }");
        assert_eq!(
            text,
            "fn f () { { { let i = 1u32 ; g (i) ; } { let i = 2u32 ; g (i) ; } } h () ; }"
        );
        let nested = out("#[unroll] for i in 0..2 { #[unroll] for j in 0..=1 { g(i, j); } }");
        assert_eq!(nested.matches("g (i , j)").count(), 4);
        assert!(out("#[inline] fn f() { for i in 0..2 {} }").contains("for i in"));
    }

    #[test]
    fn mistakes() {
        for (text, words) in [
            ("#[unroll] while x {}", "stands on"),
            ("#[unroll] for i in 0..n {}", "stands on"),
            ("#[unroll] for (i, j) in 0..4 {}", "stands on"),
            ("#[unroll] for i in 0..4 { if x { break; } }", "`break`"),
            ("#[unroll] for i in 0..5000 {}", "1024"),
        ] {
            assert!(out(text).contains(words), "{text}: {}", out(text));
        }
        assert!(!out("#[unroll] for i in 0..4 { loop { break; } }").contains("cannot"));
    }
}
