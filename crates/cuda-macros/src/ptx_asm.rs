//! `ptx_asm!`: a device function whose name says template and operands (see `dialect_nvvm::asm`), and its call.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Ident, LitStr, Result, Token};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
    Both,
}

struct Operand {
    name: Option<Ident>,
    direction: Direction,
    class: char,
    value: Expr,
}

struct Asm {
    template: String,
    span: Span,
    operands: Vec<Operand>,
    pure: bool,
    convergent: bool,
}

impl Parse for Asm {
    fn parse(input: ParseStream) -> Result<Self> {
        let first: LitStr = input.parse()?;
        let mut asm = Asm {
            template: first.value(),
            span: first.span(),
            operands: Vec::new(),
            pure: false,
            convergent: false,
        };
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            if input.peek(LitStr) {
                let line: LitStr = input.parse()?;
                asm.template.push('\n');
                asm.template.push_str(&line.value());
                continue;
            }
            let name = if input.peek(Ident) && input.peek2(Token![=]) {
                let name: Ident = input.parse()?;
                input.parse::<Token![=]>()?;
                Some(name)
            } else {
                None
            };
            let (word, span) = if input.peek(Token![in]) {
                ("in".to_string(), input.parse::<Token![in]>()?.span)
            } else {
                let word: Ident = input.parse()?;
                (word.to_string(), word.span())
            };
            let content;
            syn::parenthesized!(content in input);
            let direction = match word.as_str() {
                "in" => Direction::In,
                "out" => Direction::Out,
                "inout" => Direction::Both,
                "options" => {
                    for option in content.parse_terminated(Ident::parse, Token![,])? {
                        match option.to_string().as_str() {
                            "pure" => asm.pure = true,
                            "convergent" => asm.convergent = true,
                            _ => {
                                return Err(Error::new(
                                    option.span(),
                                    "expected `pure` or `convergent`",
                                ));
                            }
                        }
                    }
                    continue;
                }
                _ => {
                    return Err(Error::new(
                        span,
                        "expected `in`, `out`, `inout` or `options`",
                    ));
                }
            };
            let class: LitStr = content.parse()?;
            let text = class.value();
            let class = match text.as_str() {
                "h" | "r" | "l" | "f" | "d" => text.chars().next().unwrap_or('r'),
                _ => {
                    let words = "a register is `\"h\"` (16 bits), `\"r\"` (32), `\"l\"` (64), `\"f\"` (f32) or `\"d\"` (f64)";
                    return Err(Error::new(class.span(), words));
                }
            };
            asm.operands.push(Operand {
                name,
                direction,
                class,
                value: input.parse()?,
            });
        }
        if !input.is_empty() {
            return Err(input.error("expected `,`"));
        }
        Ok(asm)
    }
}

impl Asm {
    /// The template with `$n` for operands.
    fn numbered(&self) -> Result<String> {
        let error = |text: String| Error::new(self.span, text);
        let mut out = String::new();
        let mut used = vec![false; self.operands.len()];
        let mut next = 0;
        let mut chars = self.template.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '$' => out.push_str("$$"),
                '{' | '}' if chars.peek() == Some(&c) => {
                    chars.next();
                    out.push(c);
                }
                '}' => return Err(error("a `}` of PTX is written `}}`".into())),
                '{' => {
                    let mut word = String::new();
                    loop {
                        match chars.next() {
                            Some('}') => break,
                            Some(c) if c.is_alphanumeric() || c == '_' => word.push(c),
                            _ => return Err(error("a `{` of PTX is written `{{`".into())),
                        }
                    }
                    let index = if word.is_empty() {
                        next += 1;
                        next - 1
                    } else if let Ok(index) = word.parse() {
                        index
                    } else {
                        let named = |o: &Operand| o.name.as_ref().is_some_and(|n| *n == word);
                        let found = self.operands.iter().position(named);
                        found.ok_or_else(|| error(format!("no operand is called `{word}`")))?
                    };
                    *used
                        .get_mut(index)
                        .ok_or_else(|| error(format!("there is no operand {index}")))? = true;
                    out.push_str(&format!("${index}"));
                }
                c => out.push(c),
            }
        }
        match used.iter().position(|used| !used) {
            Some(index) => Err(error(format!("operand {index} is not used"))),
            None => Ok(out),
        }
    }
}

pub fn ptx_asm(input: TokenStream) -> Result<TokenStream> {
    let asm: Asm = syn::parse2(input)?;
    let device = crate::paths::device();
    let mut name = format!(
        "__nvvm_asm_{}{}",
        if asm.pure { "p" } else { "v" },
        if asm.convergent { "c" } else { "" }
    );
    for operand in &asm.operands {
        name.push('_');
        name.push(match operand.direction {
            Direction::In => 'i',
            Direction::Out => 'o',
            Direction::Both => 'b',
        });
        name.push(operand.class);
    }
    name.push('_');
    for byte in asm.numbered()?.bytes() {
        name.push_str(&format!("{byte:02x}"));
    }
    let function = Ident::new(&name, Span::call_site());
    let (mut parameters, mut before, mut arguments, mut after) = (vec![], vec![], vec![], vec![]);
    for (index, operand) in asm.operands.iter().enumerate() {
        let local = format_ident!("__oxide_operand_{index}");
        let value = &operand.value;
        let ty = match operand.class {
            'h' => quote!(u16),
            'r' => quote!(u32),
            'l' => quote!(u64),
            'f' => quote!(f32),
            _ => quote!(f64),
        };
        let bits = quote!(#device::asm::Operand::<#ty>::into_reg(#value));
        if operand.direction == Direction::In {
            parameters.push(quote!(#local: #ty));
            before.push(quote!(let #local: #ty = #bits;));
            arguments.push(quote!(#local));
            continue;
        }
        parameters.push(quote!(#local: *mut #ty));
        let first = match operand.direction {
            Direction::Both => bits,
            _ => quote!(0 as #ty),
        };
        before.push(quote!(let mut #local: #ty = #first;));
        arguments.push(quote!(&raw mut #local));
        after.push(quote!(#value = #device::asm::Operand::<#ty>::from_reg(#local);));
    }
    Ok(quote! {{
        #device::__only_on_device! {
            unsafe extern "C" {
                fn #function(#(#parameters),*);
            }
        }
        #device::__only_on_host! {
            #[allow(non_snake_case, unused_variables)]
            unsafe fn #function(#(#parameters),*) {
                // SAFETY: it only panics.
                unsafe { #device::asm::only_on_the_device() }
            }
        }
        #(#before)*
        #function(#(#arguments),*);
        #(#after)*
    }})
}

#[cfg(test)]
mod tests {
    fn expand(text: &str) -> String {
        match super::ptx_asm(text.parse().expect("tokens")) {
            Ok(tokens) => tokens.to_string(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn the_name_says_what_it_does() {
        let out = expand("\"a {0}, {y};\", out(\"r\") x, y = in(\"l\") p, options(pure)");
        let hex: String = "a $0, $1;".bytes().map(|b| format!("{b:02x}")).collect();
        assert!(out.contains(&format!("__nvvm_asm_p_or_il_{hex}")), "{out}");
        assert!(out.contains("x = "), "{out}");
    }

    #[test]
    fn mistakes() {
        for (text, words) in [
            ("\"x {0};\"", "there is no operand 0"),
            ("\"x;\", in(\"r\") a", "operand 0 is not used"),
            ("\"x {0;\", in(\"r\") a", "`{{`"),
            ("\"x {0};\", in(\"q\") a", "a register is"),
            ("\"x {0};\", lateout(\"r\") a", "expected `in`"),
            ("\"x {b};\", in(\"r\") a", "no operand is called `b`"),
        ] {
            let out = expand(text);
            assert!(out.contains(words), "{text}: {out}");
        }
    }
}
