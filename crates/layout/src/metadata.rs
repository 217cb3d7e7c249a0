//! Metadata of textual LLVM IR: `!N = !DIKind(key: value, …)` lines, found in one pass and read on demand.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Where each node stands.
pub(crate) struct Metadata {
    pub text: Arc<str>,
    /// Behind the ` = `, to the line's end.
    nodes: HashMap<u32, Range<usize>>,
}

/// A struct-like view of one node: `key: value` pairs.
pub(crate) struct Node<'a> {
    pub kind: &'a str,
    pub body: &'a str,
}

impl<'a> Node<'a> {
    /// The value of a field, quotes removed.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let mut rest = self.body;
        loop {
            let (name, after) = rest.split_once(": ")?;
            let (value, next) = if let Some(quoted) = after.strip_prefix('"') {
                let end = quoted.find('"')?;
                (&quoted[..end], quoted[end + 1..].strip_prefix(", "))
            } else {
                match after.find(", ") {
                    Some(n) => (&after[..n], Some(&after[n + 2..])),
                    None => (after, None),
                }
            };
            if name == key {
                return Some(value);
            }
            rest = next?;
        }
    }

    pub fn reference(&self, key: &str) -> Option<u32> {
        self.get(key)?.strip_prefix('!')?.parse().ok()
    }

    /// Bits to bytes; absent is 0.
    pub fn bytes(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            None => Some(0),
            Some(v) => {
                let bits: u64 = v.parse().ok()?;
                bits.is_multiple_of(8).then_some(bits / 8)
            }
        }
    }
}

impl Metadata {
    /// `each` is called with every node's number and text.
    pub fn index(text: Arc<str>, mut each: impl FnMut(u32, &str)) -> Metadata {
        let mut nodes = HashMap::new();
        let mut pos = text.find("\n!").map_or(text.len(), |n| n + 1);
        while pos < text.len() {
            let len = text[pos..].find('\n').unwrap_or(text.len() - pos);
            let line = &text[pos..pos + len];
            if let Some(rest) = line.strip_prefix('!')
                && let Some((id, body)) = rest.split_once(" = ")
                && let Ok(id) = id.parse::<u32>()
            {
                let start = pos + len - body.len();
                nodes.insert(id, start..pos + len);
                each(id, body.strip_prefix("distinct ").unwrap_or(body));
            }
            pos += len + 1;
        }
        Metadata { text, nodes }
    }

    pub fn node(&self, id: u32) -> Option<Node<'_>> {
        let text = self.text.get(self.nodes.get(&id)?.clone())?;
        let text = text.strip_prefix("distinct ").unwrap_or(text);
        let (kind, body) = text.strip_prefix('!')?.split_once('(')?;
        Some(Node {
            kind,
            body: body.strip_suffix(')')?,
        })
    }

    /// `!{!1, !2}`
    pub fn list(&self, id: u32) -> Option<Vec<u32>> {
        let text = self.text.get(self.nodes.get(&id)?.clone())?;
        let text = text.strip_prefix("!{")?.strip_suffix('}')?;
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(", ")
            .map(|t| t.strip_prefix('!')?.parse().ok())
            .collect()
    }
}
