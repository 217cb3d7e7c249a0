//! How many types of a crate's MIR have a known layout, and why the others have none:
//! `coverage CRATE MIR [LLVM_IR [RMETA]]`.

use std::collections::BTreeSet;
use std::time::Instant;

use layout::{LayoutDb, Probe};
use rustc_mir::MirFile;
use rustc_mir::ty::Ty;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [krate, mir, rest @ ..] = &args[..] else {
        return Err("coverage CRATE MIR [LLVM_IR [RMETA]]".into());
    };
    let file = MirFile::parse(mir.as_str(), std::fs::read_to_string(mir)?)?;
    let mut types: BTreeSet<Ty> = BTreeSet::new();
    for item in file.items() {
        let body = file.body(item.id)?;
        if body.is_certainly_generic() || body.maybe_params().iter().any(|n| n.len() == 1) {
            continue;
        }
        for l in &body.locals {
            types.insert(l.ty.clone());
        }
    }
    let mut db = LayoutDb::new(krate.as_str());
    db.add_mir(&file);
    let start = Instant::now();
    if let Some(ll) = rest.first() {
        db.add_llvm_ir(std::fs::read_to_string(ll)?);
    }
    let indexed = start.elapsed();
    let mut externs = Vec::new();
    if let Some(rmeta) = rest.get(1) {
        externs.push((krate.clone(), rmeta.into()));
    }
    let scratch = std::env::temp_dir();
    db.set_probe(Probe {
        rustc: "rustc".into(),
        externs,
        scratch,
        ..Probe::default()
    });
    let start = Instant::now();
    db.prefetch(&types)?;
    let probed = start.elapsed();
    let start = Instant::now();
    let mut known = 0;
    for t in &types {
        match db.layout(t) {
            Ok(_) => known += 1,
            Err(e) => println!("{e}"),
        }
    }
    println!(
        "{known} of {} types; metadata {indexed:.1?}, rustc {probed:.1?}, the rest {:.1?}",
        types.len(),
        start.elapsed()
    );
    Ok(())
}
