//! Reads every item of the `.mir` files that are named, and says how many could be read, how long it took, and each error.

use std::time::Instant;

use rustc_mir::MirFile;

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(t) => t,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let bytes = text.len();
        let start = Instant::now();
        let file = match MirFile::parse(&path, text) {
            Ok(f) => f,
            Err(e) => {
                println!("{e}");
                continue;
            }
        };
        let indexed = start.elapsed();
        let mut errors = 0;
        for item in file.items() {
            if let Err(e) = file.body(item.id) {
                errors += 1;
                println!("{e}\n    in {}", item.name);
            }
        }
        let mut allocs = 0;
        for id in file.alloc_ids() {
            allocs += 1;
            if let Err(e) = file.alloc(id) {
                errors += 1;
                println!("{e}");
            }
        }
        println!(
            "{path}: {bytes} bytes, {} items, {allocs} allocations, {errors} errors; index {indexed:.1?}, all {:.1?}",
            file.items().len(),
            start.elapsed()
        );
    }
}
