//! The importer's inputs over `rustc-mir`'s files and `layout`'s database.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use layout::{Layout, LayoutDb};
use rustc_mir::{
    ItemId, ItemKind, MirError, MirFile,
    ast::{Alloc, AllocId, Body, BodyKind},
    ty::{Mutability, Ty},
};

use crate::source::{Item, Layouts, MirCrate};

/// A crate's `.mir` file; bodies are read once.
pub struct FileCrate<'f> {
    name: String,
    file: &'f MirFile,
    items: Vec<Item>,
    bodies: RefCell<HashMap<usize, Result<Arc<Body>, MirError>>>,
    allocs: RefCell<HashMap<AllocId, Option<Arc<Alloc>>>>,
}

impl<'f> FileCrate<'f> {
    /// `name`: as the crate's name stands in paths.
    pub fn new(name: impl Into<String>, file: &'f MirFile) -> Self {
        let items = file
            .items()
            .iter()
            .map(|i| Item {
                id: i.id.0 as usize,
                kind: match i.kind {
                    ItemKind::Fn => BodyKind::Fn,
                    ItemKind::Const => BodyKind::Const,
                    ItemKind::Static { mutable } => BodyKind::Static(if mutable {
                        Mutability::Mut
                    } else {
                        Mutability::Not
                    }),
                    ItemKind::Promoted(n) => BodyKind::Promoted(n),
                },
                path: i.name.clone(),
                for_ctfe: i.for_ctfe,
            })
            .collect();
        FileCrate {
            name: name.into(),
            file,
            items,
            bodies: RefCell::default(),
            allocs: RefCell::default(),
        }
    }
}

impl MirCrate for FileCrate<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn items(&self) -> &[Item] {
        &self.items
    }

    fn body(&self, id: usize) -> Result<Arc<Body>, MirError> {
        if let Some(b) = self.bodies.borrow().get(&id) {
            return b.clone();
        }
        let body = self.file.body(ItemId(id as u32)).map(Arc::new);
        self.bodies.borrow_mut().insert(id, body.clone());
        body
    }

    fn alloc(&self, id: AllocId) -> Result<Option<Arc<Alloc>>, MirError> {
        if let Some(a) = self.allocs.borrow().get(&id) {
            return Ok(a.clone());
        }
        let alloc = self.file.alloc(id)?.map(Arc::new);
        self.allocs.borrow_mut().insert(id, alloc.clone());
        Ok(alloc)
    }
}

impl Layouts for LayoutDb {
    fn layout(&self, ty: &Ty) -> Result<Arc<Layout>, String> {
        LayoutDb::layout(self, ty).map_err(|e| e.to_string())
    }
}
