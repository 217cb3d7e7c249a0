//! Runs the corpus: `cargo oxide run difftest-corpus -- --help`.

fn main() -> std::process::ExitCode {
    difftest::command(&difftest_corpus::cases())
}
