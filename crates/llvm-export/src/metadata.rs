//! Metadata nodes: the one place that gives out their numbers.

use std::{collections::HashMap, fmt::Write};

/// The nodes of a module, in the order of their numbers, and its named lists.
#[derive(Default)]
pub(crate) struct Metadata {
    nodes: Vec<String>,
    interned: HashMap<String, usize>,
    named: Vec<(&'static str, Vec<String>)>,
}

impl Metadata {
    /// A number for a node that is written later.
    pub fn reserve(&mut self) -> usize {
        self.nodes.push(String::new());
        self.nodes.len() - 1
    }

    /// Writes a reserved node.
    pub fn set(&mut self, id: usize, node: String) {
        self.nodes[id] = node;
    }

    /// The number of this node; the same text gets the same number, unless it is `distinct`.
    pub fn add(&mut self, node: String) -> usize {
        if node.starts_with("distinct ") {
            self.nodes.push(node);
            return self.nodes.len() - 1;
        }
        if let Some(id) = self.interned.get(&node) {
            return *id;
        }
        let id = self.nodes.len();
        self.nodes.push(node.clone());
        self.interned.insert(node, id);
        id
    }

    /// The list `!name`.
    pub fn named(&mut self, name: &'static str) -> &mut Vec<String> {
        if let Some(index) = self.named.iter().position(|(n, _)| *n == name) {
            return &mut self.named[index].1;
        }
        self.named.push((name, Vec::new()));
        &mut self.named.last_mut().expect("just pushed").1
    }

    /// All of it, as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, members) in &self.named {
            writeln!(text, "!{name} = !{{{}}}", members.join(", "))
                .expect("a string takes everything");
        }
        for (id, node) in self.nodes.iter().enumerate() {
            writeln!(text, "!{id} = {node}").expect("a string takes everything");
        }
        text
    }
}
