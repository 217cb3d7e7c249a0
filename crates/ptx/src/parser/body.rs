//! What stands in a function: statements, instructions, operands.

use super::{Parsed, Parser, Reported};
use crate::ast::*;
use crate::lexer::*;

impl Parser<'_> {
    /// `{ … }`, with recovery for each statement.
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.nested(|p| {
            p.expect('{')?;
            let mut statements = Vec::new();
            loop {
                if p.eat('}') {
                    return Ok(statements);
                }
                if p.peek().kind == TokenKind::Eof {
                    return p.fail("`}`");
                }
                if p.eat(';') {
                    continue;
                }
                let before = p.at;
                match p.statement() {
                    Ok(s) => statements.push(s),
                    Err(Reported) => {
                        p.recover();
                        if p.at == before {
                            p.next();
                        }
                    }
                }
            }
        })
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let start = self.peek();
        match start.kind {
            TokenKind::Punct('{') => {
                let statements = self.block()?;
                Ok(Statement::Block {
                    statements,
                    span: self.span_from(start),
                })
            }
            TokenKind::Ident if self.peek_ahead(1).kind == TokenKind::Punct(':') => {
                self.next();
                self.next();
                Ok(Statement::Label {
                    name: self.text_of(start).to_string(),
                    span: self.span_from(start),
                })
            }
            TokenKind::Ident | TokenKind::Punct('@') => {
                self.instruction().map(Statement::Instruction)
            }
            TokenKind::Dot => self.body_directive(start),
            _ => self.fail("a statement"),
        }
    }

    pub(super) fn body_directive(&mut self, start: Token) -> Parsed<Statement> {
        match &self.text_of(start)[1..] {
            "reg" => {
                self.next();
                let vector = match self.dot() {
                    Some(v @ ("v2" | "v4")) => {
                        self.next();
                        u32::from(v.as_bytes()[1] - b'0')
                    }
                    _ => 1,
                };
                let Some(ty) = self.dot().and_then(Type::from_name) else {
                    return self.fail("a type");
                };
                self.next();
                let mut names = Vec::new();
                loop {
                    let name = self.ident("the name of a register")?;
                    let count = if self.eat('<') {
                        let n = self.u32("a count of registers")?;
                        self.expect('>')?;
                        Some(n)
                    } else {
                        None
                    };
                    names.push((name, count));
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(';')?;
                Ok(Statement::Reg {
                    ty,
                    vector,
                    names,
                    span: self.span_from(start),
                })
            }
            "loc" | "loc_intermediate" => {
                self.next();
                let file = self.uint("a file number")?;
                let line = self.uint("a line")?;
                let column = self.uint("a column")?;
                let rest_start = self.tokens[self.at - 1].span.end as usize;
                while self.eat(',') {
                    self.ident("`function_name` or `inlined_at`")?;
                    loop {
                        match self.peek().kind {
                            TokenKind::Int(_) => drop(self.next()),
                            TokenKind::Ident
                                if self.peek_ahead(1).kind != TokenKind::Punct(':') =>
                            {
                                // The label of `function_name`, but not the instruction that follows.
                                if !self.text_of(self.tokens[self.at - 1]).eq("function_name") {
                                    break;
                                }
                                self.next();
                                self.offset()?;
                            }
                            _ => break,
                        }
                    }
                }
                let rest_end = self.tokens[self.at - 1].span.end as usize;
                let rest = self.text[rest_start..rest_end.max(rest_start)].to_string();
                let directive = self.text_of(start).to_string();
                Ok(Statement::Loc(Loc {
                    directive,
                    file,
                    line,
                    column,
                    rest,
                    span: self.span_from(start),
                }))
            }
            "pragma" => {
                self.next();
                let texts = self.strings()?;
                self.expect(';')?;
                Ok(Statement::Pragma {
                    texts,
                    span: self.span_from(start),
                })
            }
            "branchtargets" | "calltargets" => {
                self.next();
                let mut names = vec![self.ident("a target")?];
                while self.eat(',') {
                    names.push(self.ident("a target")?);
                }
                self.expect(';')?;
                let directive = self.text_of(start).to_string();
                Ok(Statement::Targets {
                    directive,
                    names,
                    span: self.span_from(start),
                })
            }
            "callprototype" => {
                self.next();
                let returns = if self.is_punct('(') {
                    self.params()?
                } else {
                    Vec::new()
                };
                self.ident("`_`")?;
                let params = if self.is_punct('(') {
                    self.params()?
                } else {
                    Vec::new()
                };
                let mut directives = Vec::new();
                while self.dot().is_some() {
                    directives.push(self.directive()?);
                }
                self.expect(';')?;
                Ok(Statement::Prototype {
                    returns,
                    params,
                    directives,
                    span: self.span_from(start),
                })
            }
            _ => {
                let linkage = self.linkage();
                let v = self.variable(start, linkage, true)?;
                self.expect(';')?;
                Ok(Statement::Variable(v))
            }
        }
    }

    pub(super) fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.peek();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some(Guard {
                negated,
                register: self.ident("a predicate")?,
            })
        } else {
            None
        };
        let name = self.ident("an instruction")?;
        let mut modifiers = Vec::new();
        while let Some(m) = self.dot() {
            modifiers.push(m.to_string());
            self.next();
        }
        let mut operands = Vec::new();
        if !self.is_punct(';') {
            loop {
                operands.push(self.operand()?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.expect(';')?;
        Ok(Instruction {
            guard,
            name,
            modifiers,
            operands,
            span: self.span_from(start),
        })
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let first = self.nested(Self::simple_operand)?;
        if self.eat('|') {
            let second = self.nested(Self::simple_operand)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    pub(super) fn operands_until(&mut self, close: char) -> Parsed<Vec<Operand>> {
        let mut all = Vec::new();
        if self.eat(close) {
            return Ok(all);
        }
        loop {
            all.push(self.operand()?);
            if self.eat(close) {
                return Ok(all);
            }
            self.expect(',')?;
        }
    }

    pub(super) fn simple_operand(&mut self) -> Parsed<Operand> {
        match self.peek().kind {
            TokenKind::Punct('{') => {
                self.next();
                self.operands_until('}').map(Operand::Vector)
            }
            TokenKind::Punct('(') => {
                self.next();
                self.operands_until(')').map(Operand::List)
            }
            TokenKind::Punct('[') => {
                self.next();
                let parts = self.operands_until(']')?;
                match <[Operand; 1]>::try_from(parts) {
                    Ok([Operand::Name(base)]) => Ok(Operand::Address {
                        base: Some(base),
                        offset: 0,
                    }),
                    Ok([Operand::Offset(base, offset)]) => Ok(Operand::Address {
                        base: Some(base),
                        offset,
                    }),
                    Ok([Operand::Int(n)])
                        if i64::try_from(n).is_ok() || u64::try_from(n).is_ok() =>
                    {
                        Ok(Operand::Address {
                            base: None,
                            offset: n as i64,
                        })
                    }
                    Ok([other]) => Ok(Operand::Tuple(vec![other])),
                    Err(parts) => Ok(Operand::Tuple(parts)),
                }
            }
            TokenKind::Punct('!') => {
                self.next();
                let inner = self.nested(Self::simple_operand)?;
                Ok(Operand::Not(Box::new(inner)))
            }
            TokenKind::F32(b) => {
                self.next();
                Ok(Operand::F32(b))
            }
            TokenKind::F64(b) => {
                self.next();
                Ok(Operand::F64(b))
            }
            TokenKind::Punct('-')
                if matches!(
                    self.peek_ahead(1).kind,
                    TokenKind::F32(_) | TokenKind::F64(_)
                ) =>
            {
                self.next();
                match self.next().kind {
                    TokenKind::F32(b) => Ok(Operand::F32(b ^ 1 << 31)),
                    TokenKind::F64(b) => Ok(Operand::F64(b ^ 1 << 63)),
                    _ => self.fail("a number"),
                }
            }
            TokenKind::Int(_) | TokenKind::Punct('-' | '+') => {
                self.int("an operand").map(Operand::Int)
            }
            TokenKind::Ident => {
                let mut name = self.ident("an operand")?;
                while let Some(d) = self.dot() {
                    if self.peek().spaced {
                        break;
                    }
                    name.push('.');
                    name.push_str(d);
                    self.next();
                }
                let offset = self.offset()?;
                Ok(if offset == 0 {
                    Operand::Name(name)
                } else {
                    Operand::Offset(name, offset)
                })
            }
            _ => self.fail("an operand"),
        }
    }
}
