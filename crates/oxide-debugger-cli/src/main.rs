//! `oxide-debugger [--batch] [-x FILE]… [--artifacts DIR] PROGRAM [ARGS]…`.

use oxide_debugger_cli::{Options, run};

const USAGE: &str = "oxide-debugger [--batch] [-x FILE]... [--artifacts DIR] PROGRAM [ARGS]...";

fn main() {
    let mut options = Options::default();
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--batch") => options.batch = true,
            Some("-x") => options.scripts.extend(args.next().map(Into::into)),
            Some("--artifacts") => options.artifacts = args.next().map(Into::into),
            Some("--help" | "-h") => {
                println!("{USAGE}");
                return;
            }
            Some(flag) if flag.starts_with('-') => {
                eprintln!("error: {flag} is unknown\n{USAGE}");
                std::process::exit(2);
            }
            _ => {
                options.program = arg.into();
                options.args.extend(args.by_ref());
            }
        }
    }
    if options.program.as_os_str().is_empty() {
        eprintln!("error: no program is named\n{USAGE}");
        std::process::exit(2);
    }
    std::process::exit(run(options));
}
