//! The debugged program: a child process, and the socket that its driver connects to.

use std::ffi::OsString;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// A program under the debugger. Dropped, it is ended.
pub(crate) struct Program {
    child: Child,
    listener: UnixListener,
    folder: PathBuf,
}

impl Program {
    pub fn start(path: &Path, args: &[OsString]) -> Result<Program, String> {
        let folder = std::env::temp_dir().join(format!("oxide-debug-{}", std::process::id()));
        // A folder of one's own, so that nobody else can connect.
        let _ = std::fs::remove_dir_all(&folder);
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?;
        let socket = folder.join("socket");
        let listener =
            UnixListener::bind(&socket).map_err(|e| format!("{}: {e}", socket.display()))?;
        listener.set_nonblocking(true).map_err(|e| e.to_string())?;
        let mut command = Command::new(path);
        command
            .args(args)
            .env(cudbg_sim::VARIABLE, &socket)
            .env("CUDA_OXIDE_DEVICE", "sim");
        // The terminal's Ctrl-C is for the debugger.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|e| {
            let _ = std::fs::remove_dir_all(&folder);
            format!("{} cannot be started: {e}", path.display())
        })?;
        Ok(Program {
            child,
            listener,
            folder,
        })
    }

    /// The connection of the program's driver; `None` when the program has ended without one.
    pub fn connection(&mut self) -> Result<Option<UnixStream>, String> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).map_err(|e| e.to_string())?;
                    return Ok(Some(stream));
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(e) => return Err(e.to_string()),
            }
            if self.child.try_wait().map_err(|e| e.to_string())?.is_some() {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// How the program has ended, in words and as an exit code.
    pub fn wait(&mut self) -> (String, i32) {
        match self.child.wait() {
            Ok(status) => (
                words(status),
                status.code().unwrap_or(128 + status.signal().unwrap_or(0)),
            ),
            Err(e) => (format!("cannot be waited for: {e}"), 1),
        }
    }

    pub fn kill(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => "has ended".into(),
        (Some(code), _) => format!("has ended with exit code {code}"),
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        _ => "has ended".into(),
    }
}
