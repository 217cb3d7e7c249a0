//! The debugger on a terminal or from a script.
//!
//! The program is a child process whose simulated driver connects to a socket of ours; see `cudbg_sim`.

mod program;

use artifact::Artifact;
use oxide_debugger::{Reaction, Session, Signal};
use program::Program;
use std::ffi::{OsStr, OsString, c_void};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What to debug, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The program and its arguments.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Scripts, carried out before anything is read.
    pub scripts: Vec<PathBuf>,
    /// Leave when the scripts are done.
    pub batch: bool,
    /// The folder with the artifacts of the program's kernels.
    pub artifacts: Option<PathBuf>,
}

static SIGNAL: OnceLock<Arc<Signal>> = OnceLock::new();

extern "C" fn interrupted(_: libc::c_int) {
    // A handler may not take locks; a thread waits for this byte.
    let fd = INTERRUPT.load(std::sync::atomic::Ordering::Relaxed);
    if fd >= 0 {
        // SAFETY: `write` may be called in a handler; the pipe stays open.
        unsafe { libc::write(fd, [0u8].as_ptr().cast(), 1) };
    }
}

static INTERRUPT: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(-1);

/// Ctrl-C stops the program instead of ending the debugger.
fn catch_interrupts(signal: Arc<Signal>) -> std::io::Result<()> {
    let (reader, writer) = std::io::pipe()?;
    use std::os::fd::IntoRawFd;
    INTERRUPT.store(writer.into_raw_fd(), std::sync::atomic::Ordering::Relaxed);
    std::thread::Builder::new()
        .name("interrupts".into())
        .spawn(move || {
            let mut reader = reader;
            while std::io::Read::read_exact(&mut reader, &mut [0]).is_ok() {
                signal.interrupt();
            }
        })?;
    let handler: extern "C" fn(libc::c_int) = interrupted;
    // SAFETY: the handler only writes to a pipe.
    unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
    Ok(())
}

unsafe extern "C" fn notified(_: *mut cudbg::CUDBGEventCallbackData) {
    if let Some(s) = SIGNAL.get() {
        s.raise();
    }
}

fn artifacts(dir: &Path) -> Vec<Artifact> {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut all = Vec::new();
    for file in files
        .map(|f| f.path())
        .filter(|p| p.extension() == Some(OsStr::new("oxart")))
    {
        match std::fs::read(&file)
            .map_err(|e| e.to_string())
            .and_then(|b| Artifact::from_bytes(&b).map_err(|e| e.to_string()))
        {
            Ok(a) => all.push(a),
            Err(e) => eprintln!("warning: {}: {e}", file.display()),
        }
    }
    all
}

/// Prints what was answered. A reader that has gone ends the debugger, and with it the program.
fn flush(session: &mut Session) {
    let text = std::mem::take(&mut session.out);
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

struct Cli {
    session: Session,
    options: Options,
    program: Option<Program>,
    /// Whether a command has failed.
    failed: bool,
    code: i32,
}

/// Runs a debugging session; answers with the exit code: the program's when it has ended in a batch, 1 when a command of a script has failed.
pub fn run(options: Options) -> i32 {
    let signal = SIGNAL.get_or_init(Arc::default).clone();
    if let Err(e) = catch_interrupts(signal.clone()) {
        eprintln!("warning: Ctrl-C ends the debugger: {e}");
    }
    let known = options.artifacts.as_deref().map_or(Vec::new(), artifacts);
    let mut cli = Cli {
        session: Session::new(signal, known),
        options,
        program: None,
        failed: false,
        code: 0,
    };
    for script in cli.options.scripts.clone() {
        let text = match std::fs::read_to_string(&script) {
            Ok(t) => t,
            Err(e) => {
                eprintln!("error: {}: {e}", script.display());
                return 2;
            }
        };
        for line in text.lines() {
            if !line.trim().is_empty() && !line.trim().starts_with('#') {
                cli.print(&format!("(oxide) {}\n", line.trim()));
            }
            if !cli.line(line) || (cli.failed && cli.options.batch) {
                return cli.leave();
            }
        }
    }
    if !cli.options.batch {
        let terminal = std::io::stdin().is_terminal();
        let mut last = String::new();
        loop {
            if terminal {
                cli.print("(oxide) ");
            }
            let mut line = String::new();
            match std::io::stdin().lock().read_line(&mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            }
            // An empty line repeats, as in gdb.
            if line.trim().is_empty() && terminal {
                line.clone_from(&last);
            }
            if !terminal && !line.trim().is_empty() {
                cli.print(&format!("(oxide) {}\n", line.trim()));
            }
            last.clone_from(&line);
            if !cli.line(&line) {
                break;
            }
        }
    }
    cli.leave()
}

impl Cli {
    fn print(&mut self, text: &str) {
        self.session.out.push_str(text);
        flush(&mut self.session);
    }

    /// Carries out one line; `false` when the user leaves.
    fn line(&mut self, line: &str) -> bool {
        let mut reaction = self.session.command(line);
        loop {
            flush(&mut self.session);
            reaction = match reaction {
                Ok(Reaction::Go) => return true,
                Ok(Reaction::Quit) => return false,
                Ok(Reaction::Start) => self.start(),
                Ok(Reaction::Ended) => {
                    self.session.ended();
                    if let Some(mut p) = self.program.take() {
                        let (words, code) = p.wait();
                        self.code = code;
                        self.print(&format!("[The program {words}]\n"));
                    }
                    return true;
                }
                Err(e) => {
                    self.failed = true;
                    self.print(&format!("error: {e}\n"));
                    return true;
                }
            };
        }
    }

    fn start(&mut self) -> Result<Reaction, String> {
        let mut program = Program::start(&self.options.program, &self.options.args)?;
        let stream = match program.connection()? {
            Some(s) => s,
            None => {
                self.program = Some(program);
                self.print("The program has ended without using CUDA.\n");
                return Ok(Reaction::Ended);
            }
        };
        self.program = Some(program);
        let api = cudbg_sim::client::connect(stream)
            .map_err(|e| format!("no connection with the program: {e}"))?;
        // SAFETY: the callback only raises a flag that lives for ever.
        unsafe {
            api.set_notify_new_event_callback(Some(notified), std::ptr::null_mut::<c_void>())
        }
        .map_err(|e| e.to_string())?;
        self.session.started(api)
    }

    fn leave(&mut self) -> i32 {
        flush(&mut self.session);
        if let Some(mut p) = self.program.take() {
            p.kill();
        }
        if self.failed && self.options.batch {
            1
        } else {
            self.code
        }
    }
}
