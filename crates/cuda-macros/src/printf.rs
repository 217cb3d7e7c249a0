//! Format strings of `gpu_printf!`.
//!
//! With `{…}` placeholders the text is Rust's: `{{` and `}}` are braces, `%` is itself. Without any, it is C's, as in
//! CUDA: `%d`, `%5.2f`, `%%`. Either way the types of the arguments choose the length modifiers.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, LitStr, Result, Token};

struct Call {
    format: LitStr,
    args: Vec<Expr>,
    named: Vec<(Ident, Expr)>,
}

impl Parse for Call {
    fn parse(input: ParseStream) -> Result<Self> {
        let format: LitStr = input.parse()?;
        let (mut args, mut named) = (Vec::new(), Vec::new());
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
            for arg in Punctuated::<Expr, Token![,]>::parse_terminated(input)? {
                match arg {
                    Expr::Assign(a) => match *a.left {
                        Expr::Path(p) if p.path.get_ident().is_some() => {
                            named.extend(p.path.get_ident().cloned().map(|name| (name, *a.right)));
                        }
                        other => return Err(Error::new_spanned(other, "expected a name")),
                    },
                    arg => args.push(arg),
                }
            }
        }
        Ok(Call {
            format,
            args,
            named,
        })
    }
}

/// One conversion: text before it, C's flags, Rust's or C's type letter (0 for `{}`), which argument.
#[derive(Debug, PartialEq)]
struct Piece {
    text: String,
    flags: String,
    kind: u8,
    arg: Which,
}

#[derive(Debug, PartialEq)]
enum Which {
    Next,
    Index(usize),
    Name(String),
}

pub fn gpu_printf(input: TokenStream) -> Result<TokenStream> {
    let call: Call = syn::parse2(input)?;
    let text = call.format.value();
    let span = call.format.span();
    if text.contains('\0') {
        return Err(Error::new(span, "the format cannot hold a NUL"));
    }
    let (pieces, tail) = if is_rust(&text) {
        rust_pieces(&text)
    } else {
        c_pieces(&text)
    }
    .map_err(|e| Error::new(span, e))?;

    let mut used = vec![false; call.args.len()];
    let mut next = 0;
    let mut values: Vec<TokenStream> = Vec::new();
    for piece in &pieces {
        let index = match &piece.arg {
            Which::Next => {
                next += 1;
                next - 1
            }
            Which::Index(i) => *i,
            Which::Name(name) => {
                match call.named.iter().find(|(n, _)| n == name) {
                    Some((_, value)) => values.push(quote!(#value)),
                    None => {
                        let ident = Ident::new(name, span);
                        values.push(quote!(#ident));
                    }
                }
                continue;
            }
        };
        let Some(value) = call.args.get(index) else {
            let (needs, has) = (index + 1, call.args.len());
            return Err(Error::new(
                span,
                format!("the format needs {needs} arguments, {has} are given"),
            ));
        };
        used[index] = true;
        values.push(quote!(#value));
    }
    if let Some(unused) = used.iter().position(|u| !u) {
        return Err(Error::new_spanned(
            &call.args[unused],
            "this argument is not printed",
        ));
    }
    let device = crate::paths::device();
    if pieces.is_empty() {
        let text = std::ffi::CString::new(tail.clone()).map_err(|e| Error::new(span, e))?;
        let literal = proc_macro2::Literal::c_string(&text);
        return Ok(quote!({ let _ = #device::printf::printf0(#literal); }));
    }
    if pieces.len() > 12 {
        return Err(Error::new(span, "at most 12 values in one `gpu_printf!`"));
    }
    // Room for the texts, and for each conversion `%`, flags, `llX`; and the NUL.
    let n: usize = pieces
        .iter()
        .map(|p| p.text.len() + p.flags.len() + 4)
        .sum::<usize>()
        + tail.len()
        + 1;
    let function = format_ident!("printf{}", pieces.len());
    let rows = pieces.iter().map(|p| {
        let (text, flags, kind) = (&p.text, &p.flags, p.kind);
        quote!(#device::printf::Piece { text: #text, flags: #flags, kind: #kind })
    });
    let inferred = values.iter().map(|_| quote!(_));
    Ok(quote!({
        struct __Format;
        impl #device::printf::Format for __Format {
            const PIECES: &'static [#device::printf::Piece] = &[#(#rows),*];
            const TAIL: &'static str = #tail;
        }
        let _ = #device::printf::#function::<__Format, #n, #(#inferred),*>(__Format, #(#values),*);
    }))
}

/// Whether the text has a placeholder or an escaped brace.
fn is_rust(text: &str) -> bool {
    text.contains('{') || text.contains('}')
}

fn rust_pieces(text: &str) -> std::result::Result<(Vec<Piece>, String), String> {
    let (mut pieces, mut literal) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.peek() == Some(&'{') => {
                chars.next();
                literal.push('{');
            }
            '}' if chars.peek() == Some(&'}') => {
                chars.next();
                literal.push('}');
            }
            '}' => return Err("unmatched `}`: write `}}` for a brace".into()),
            '%' => literal.push_str("%%"),
            '{' => {
                let mut inside = String::new();
                loop {
                    match chars.next() {
                        Some('}') => break,
                        Some(c) => inside.push(c),
                        None => return Err("unmatched `{`: write `{{` for a brace".into()),
                    }
                }
                pieces.push(placeholder(&inside, std::mem::take(&mut literal))?);
            }
            c => literal.push(c),
        }
    }
    Ok((pieces, literal))
}

/// `arg:flags width .precision kind`, as in `std::fmt`, as far as C's printf has it.
fn placeholder(inside: &str, text: String) -> std::result::Result<Piece, String> {
    let (arg, spec) = inside.split_once(':').unwrap_or((inside, ""));
    let arg = match arg.trim() {
        "" => Which::Next,
        a if a.bytes().all(|b| b.is_ascii_digit()) => {
            Which::Index(a.parse().map_err(|_| format!("`{a}` is too big"))?)
        }
        a if a.chars().all(|c| c.is_alphanumeric() || c == '_') => Which::Name(a.to_owned()),
        a => {
            return Err(format!(
                "`{a}` is not a name: only names and numbers can stand in a placeholder"
            ));
        }
    };
    let mut rest = spec.trim_end();
    let mut flags = String::new();
    let take = |rest: &mut &str, c: char| rest.strip_prefix(c).map(|r| *rest = r).is_some();
    if take(&mut rest, '<') {
        flags.push('-');
    } else if rest.starts_with('^') {
        return Err("centring is not there on the device: C's printf has none".into());
    } else {
        take(&mut rest, '>');
    }
    for flag in ['+', '#', '0'] {
        if take(&mut rest, flag) {
            flags.push(flag);
        }
    }
    let digits = |rest: &mut &str| {
        let n = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(n);
        *rest = after;
        digits.to_owned()
    };
    flags.push_str(&digits(&mut rest));
    if take(&mut rest, '.') {
        flags.push('.');
        let precision = digits(&mut rest);
        if precision.is_empty() {
            return Err("a precision is a number here".into());
        }
        flags.push_str(&precision);
    }
    let kind = match rest {
        "" | "?" => 0,
        "x" | "X" | "o" | "e" | "E" | "p" => rest.as_bytes()[0],
        other => return Err(format!("the format `{other}` is not there on the device")),
    };
    Ok(Piece {
        text,
        flags,
        kind,
        arg,
    })
}

fn c_pieces(text: &str) -> std::result::Result<(Vec<Piece>, String), String> {
    let (mut pieces, mut literal) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        literal.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            literal.push_str("%%");
            rest = after;
            continue;
        }
        let n = rest
            .bytes()
            .take_while(|b| b"-+ #0123456789.".contains(b))
            .count();
        let (flags, after) = rest.split_at(n);
        // Length modifiers follow from the argument's type.
        let after = after.trim_start_matches(['l', 'h', 'z', 'j', 't']);
        let Some(letter) = after.chars().next() else {
            return Err("a conversion ends too early".into());
        };
        let kind = match letter {
            'd' | 'i' | 'u' | 'f' | 'F' | 'c' | 's' => 0,
            'x' | 'X' | 'o' | 'e' | 'E' | 'g' | 'p' => letter as u8,
            other => return Err(format!("the conversion `%{other}` is not known")),
        };
        rest = &after[1..];
        pieces.push(Piece {
            text: std::mem::take(&mut literal),
            flags: flags.to_owned(),
            kind,
            arg: Which::Next,
        });
    }
    literal.push_str(rest);
    Ok((pieces, literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, flags: &str, kind: u8, arg: Which) -> Piece {
        Piece {
            text: text.into(),
            flags: flags.into(),
            kind,
            arg,
        }
    }

    #[test]
    fn rust_style() {
        let (pieces, tail) = rust_pieces("a {} {x:08x}{{%}}{1:<+6.3}\n").unwrap();
        assert_eq!(
            pieces,
            [
                piece("a ", "", 0, Which::Next),
                piece(" ", "08", b'x', Which::Name("x".into())),
                piece("{%%}", "-+6.3", 0, Which::Index(1)),
            ]
        );
        assert_eq!(tail, "\n");
        assert!(rust_pieces("{").is_err());
        assert!(rust_pieces("}").is_err());
        assert!(rust_pieces("{:^5}").is_err());
        assert!(rust_pieces("{:b}").is_err());
        assert!(rust_pieces("{a.b}").is_err());
    }

    #[test]
    fn c_style() {
        let (pieces, tail) = c_pieces("t %d: %5.2f%% %llx").unwrap();
        assert_eq!(
            pieces,
            [
                piece("t ", "", 0, Which::Next),
                piece(": ", "5.2", 0, Which::Next),
                piece("%% ", "", b'x', Which::Next),
            ]
        );
        assert_eq!(tail, "");
        assert!(c_pieces("%").is_err());
        assert!(c_pieces("%n").is_err());
    }
}
