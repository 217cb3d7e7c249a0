//! Reads what `#[derive(Debug)]` prints with `{:#?}`: the form in which rustc shows a whole layout.

/// A printed value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// `Name { a: 1 }`, `Name(1)`, `Name`; the name may be empty.
    Node {
        name: String,
        fields: Vec<(String, Value)>,
    },
    List(Vec<Value>),
    /// Anything else up to a comma or bracket: numbers, ranges, `Size(8 bytes)`'s inside.
    Atom(String),
}

impl Value {
    pub fn name(&self) -> &str {
        match self {
            Value::Node { name, .. } => name,
            Value::Atom(a) => a,
            Value::List(_) => "",
        }
    }

    pub fn get(&self, field: &str) -> Option<&Value> {
        match self {
            Value::Node { fields, .. } => fields.iter().find(|(n, _)| n == field).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The n-th of a list or tuple.
    pub fn at(&self, n: usize) -> Option<&Value> {
        match self {
            Value::Node { fields, .. } => fields.get(n).map(|(_, v)| v),
            Value::List(items) => items.get(n),
            Value::Atom(_) => None,
        }
    }

    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Value::Atom(a) => Some(a),
            Value::Node { name, fields } if fields.is_empty() => Some(name),
            _ => None,
        }
    }

    pub fn number<T: std::str::FromStr>(&self) -> Option<T> {
        self.atom()?.parse().ok()
    }

    /// `Size(8 bytes)`, `Align(4 bytes)`
    pub fn bytes(&self) -> Option<u64> {
        self.at(0)?.atom()?.strip_suffix(" bytes")?.parse().ok()
    }
}

/// `None` where the text is not of that form.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let mut p = Parser {
        text,
        pos: 0,
        depth: 0,
    };
    let v = p.value()?;
    p.blank();
    (p.pos == text.len()).then_some(v)
}

struct Parser<'a> {
    text: &'a str,
    pos: usize,
    depth: u32,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.pos += 1;
        }
    }

    fn eat(&mut self, b: u8) -> bool {
        self.blank();
        let there = self.peek() == Some(b);
        self.pos += there as usize;
        there
    }

    fn value(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let v = self.value_inner();
        self.depth -= 1;
        v
    }

    fn value_inner(&mut self) -> Option<Value> {
        self.blank();
        if self.eat(b'[') {
            let mut items = Vec::new();
            while !self.eat(b']') {
                items.push(self.value()?);
                if !self.eat(b',') {
                    self.blank();
                    if self.peek() != Some(b']') {
                        return None;
                    }
                }
            }
            return Some(Value::List(items));
        }
        let start = self.pos;
        while let Some(b) = self.peek() {
            match b {
                b',' | b'{' | b'(' | b')' | b'}' | b']' | b'\n' => break,
                _ => self.pos += 1,
            }
        }
        let name = self.text.get(start..self.pos)?.trim().to_string();
        let close = match self.peek() {
            Some(b'{') => b'}',
            // A wrapping range, `(..=1) | (200..)`, is an atom.
            Some(b'(') if name.is_empty() && self.text.get(self.pos..)?.starts_with("(..=") => {
                let rest = self.text.get(self.pos..)?;
                let n = rest.find([',', '\n']).unwrap_or(rest.len());
                self.pos += n;
                return Some(Value::Atom(rest[..n].to_string()));
            }
            Some(b'(') => b')',
            _ => {
                return if name.is_empty() {
                    None
                } else {
                    Some(Value::Atom(name))
                };
            }
        };
        self.pos += 1;
        let mut fields = Vec::new();
        while !self.eat(close) {
            let mut field = String::new();
            if close == b'}' {
                let start = self.pos;
                while self
                    .peek()
                    .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
                {
                    self.pos += 1;
                }
                field = self.text.get(start..self.pos)?.to_string();
                if !self.eat(b':') {
                    return None;
                }
            }
            fields.push((field, self.value()?));
            if !self.eat(b',') {
                self.blank();
                if self.peek() != Some(close) {
                    return None;
                }
            }
        }
        Some(Value::Node { name, fields })
    }
}
