//! What can be typed.

use crate::breakpoints::{Breakpoint, Spec};
use crate::session::{Answer, Focus, Reaction, Session, plural, triple};
use crate::source::same_function;

/// Commands with their words: name, short forms, what it does.
const COMMANDS: &[(&str, &[&str], &str)] = &[
    (
        "backtrace",
        &["bt", "where"],
        "the frames of the focus, inlined ones too",
    ),
    ("block", &[], "block X[,Y,Z]: focus on a block"),
    (
        "break",
        &["b"],
        "break FILE:LINE | FUNCTION | LINE | *ADDRESS [if block (X,Y,Z)] [and thread (X,Y,Z)]",
    ),
    ("continue", &["c"], "run to the next stop"),
    ("delete", &["d"], "delete [N]: take breakpoints away"),
    (
        "disable",
        &[],
        "disable N: a breakpoint does not stop any more",
    ),
    (
        "disassemble",
        &["disas"],
        "the PTX around the focus, with Rust lines; `disassemble all` for the whole function",
    ),
    ("display", &[], "display EXPR: print it at each stop"),
    ("down", &[], "to the frame inside this one"),
    ("enable", &[], "enable N"),
    ("finish", &["fin"], "run until this frame is left"),
    ("frame", &["f"], "frame [N]: choose a frame, or show it"),
    ("help", &["h"], "this"),
    (
        "info",
        &["i"],
        "info breakpoints | registers | args | cuda devices|sms|warps|lanes|kernels|blocks|threads",
    ),
    ("kernel", &[], "the kernel in focus"),
    ("list", &["l"], "list [LINE | FILE:LINE]: source lines"),
    ("next", &["n"], "next [N]: to the next line of this frame"),
    (
        "print",
        &["p"],
        "print EXPR: an argument, a[i], a[i..j], threadIdx.x, %r1, $pc",
    ),
    ("quit", &["q"], "leave; the program ends"),
    ("run", &["r"], "start the program"),
    ("step", &["s"], "step [N]: to the next line, into calls"),
    (
        "stepi",
        &["si"],
        "stepi [N]: one instruction of the warp in focus",
    ),
    ("tbreak", &["tb"], "as break, for one stop"),
    (
        "thread",
        &[],
        "thread X[,Y,Z]: focus on a thread of the block; `block B thread T` for both",
    ),
    ("undisplay", &[], "no more displays"),
    ("up", &[], "to the frame around this one"),
    ("x", &[], "x/N[b|h|w|g|f] ADDRESS: global memory"),
];

/// What cuda-gdb has and this has not.
const MISSING: &[&str] = &[
    "attach",
    "detach",
    "until",
    "advance",
    "watch",
    "rwatch",
    "awatch",
    "set",
    "call",
    "jump",
    "catch",
    "condition",
    "ignore",
    "commands",
    "reverse-step",
    "reverse-continue",
    "generate-core-file",
    "target",
    "autostep",
    "signal",
    "cluster",
    "race",
    "uninit",
    "ptype",
    "whatis",
];

impl Session {
    /// Carries out one line. The words of the answer are in [`Session::out`]; the error is for the user.
    pub fn command(&mut self, line: &str) -> Result<Reaction, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(Reaction::Go);
        }
        let end = line
            .find(|c: char| c.is_whitespace() || c == '/')
            .unwrap_or(line.len());
        let (word, rest) = (&line[..end], line[end..].trim());
        let name = find(word)?;
        // `cuda kernel 0 block 1` is how cuda-gdb says it.
        match name {
            "run" if self.running() => Err("the program is being run already".into()),
            "run" => Ok(Reaction::Start),
            "quit" => Ok(Reaction::Quit),
            "continue" => {
                self.api()?;
                self.go()
            }
            "step" => self.step(count(rest)?, true),
            "next" => self.step(count(rest)?, false),
            "stepi" => self.step_instructions(count(rest)?),
            "finish" => self.finish(),
            _ => {
                match name {
                    "break" => self.set_breakpoint(rest, false)?,
                    "tbreak" => self.set_breakpoint(rest, true)?,
                    "delete" => self.delete(rest)?,
                    "enable" | "disable" => self.enable(rest, name == "enable")?,
                    "info" => self.info(rest)?,
                    "kernel" => self.info("cuda kernels")?,
                    "block" | "thread" => self.refocus(name, rest)?,
                    "backtrace" => self.backtrace()?,
                    "frame" if rest.is_empty() => self.show_place(None)?,
                    "frame" => self.choose(number(rest)? as usize)?,
                    "up" => {
                        let at = self.focused()?.frame;
                        self.choose(at + 1)?;
                    }
                    "down" => {
                        let at = self.focused()?.frame;
                        self.choose(at.checked_sub(1).ok_or("this is the innermost frame")?)?;
                    }
                    "list" => self.list(rest)?,
                    "print" => {
                        let value = self.evaluate(rest)?;
                        self.say(format!("{rest} = {value}"));
                    }
                    "display" if rest.is_empty() => return Err("display EXPR".into()),
                    "display" => {
                        self.displays.push(rest.into());
                        if let Ok(value) = self.evaluate(rest) {
                            self.say(format!("{rest} = {value}"));
                        }
                    }
                    "undisplay" => self.displays.clear(),
                    "x" => self.examine(rest)?,
                    "disassemble" => self.disassemble(rest)?,
                    "help" => self.help(),
                    other => return Err(format!("`{other}` has no meaning yet")),
                }
                Ok(Reaction::Go)
            }
        }
    }

    fn help(&mut self) {
        for (name, short, what) in COMMANDS {
            let names = std::iter::once(*name)
                .chain(short.iter().copied())
                .collect::<Vec<_>>()
                .join(", ");
            self.say(format!("{names:<20} {what}"));
        }
        self.say(format!("Not supported yet: {}.", MISSING.join(", ")));
    }

    fn set_breakpoint(&mut self, text: &str, temporary: bool) -> Answer {
        let (place, condition) = match text.split_once(" if ") {
            Some((place, condition)) => (place.trim(), condition.trim()),
            None => (text, ""),
        };
        if place.is_empty() {
            return Err("break FILE:LINE, FUNCTION or *ADDRESS".into());
        }
        let file = self.listed.as_ref().map(|(f, _)| f.clone());
        let spec = Spec::parse(place, file.as_deref())?;
        let (block, thread) = self.condition(condition)?;
        let number = self.next_breakpoint;
        let mut b = Breakpoint {
            number,
            spec,
            text: text.into(),
            temporary,
            enabled: true,
            block,
            thread,
            hits: 0,
            addresses: Vec::new(),
        };
        let (mut why, mut moved) = (None, None);
        for image in &self.images {
            match b.spec.resolve(image) {
                Ok((addresses, other)) => {
                    b.addresses.extend(addresses);
                    moved = moved.or(other);
                }
                Err(e) => why = Some(e),
            }
        }
        self.next_breakpoint += 1;
        let n = b.addresses.len();
        let what = if temporary {
            "Temporary breakpoint"
        } else {
            "Breakpoint"
        };
        self.say(match (n, why) {
            (0, Some(why)) => format!("{what} {number} is pending: {why}."),
            (0, None) => format!("{what} {number} is pending: no kernel has been loaded yet."),
            _ => format!("{what} {number} is set: {n} location{}.", plural(n)),
        });
        if let Some(line) = moved {
            self.say(format!(
                "That line has no code of its own; it is at line {line}."
            ));
        }
        self.breakpoints.push(b);
        self.plant()
    }

    #[allow(clippy::type_complexity)]
    fn condition(&self, text: &str) -> Answer<(Option<[u32; 3]>, Option<[u32; 3]>)> {
        let (mut block, mut thread) = (None, None);
        for part in text
            .replace("&&", " and ")
            .split(" and ")
            .map(str::trim)
            .filter(|p| !p.is_empty())
        {
            let (word, value) = part
                .split_once(|c: char| c.is_whitespace() || c == '=')
                .ok_or_else(|| format!("`{part}` is no condition"))?;
            let value = coordinates(value.trim_start_matches('=').trim())?;
            match word {
                "block" | "blockIdx" => block = Some(value),
                "thread" | "threadIdx" => thread = Some(value),
                _ => {
                    return Err(format!(
                        "conditions are `block (X,Y,Z)` and `thread (X,Y,Z)`; `{word}` is not supported"
                    ));
                }
            }
        }
        Ok((block, thread))
    }

    fn breakpoint(&mut self, text: &str) -> Answer<usize> {
        let n = number(text)? as u32;
        self.breakpoints
            .iter()
            .position(|b| b.number == n)
            .ok_or_else(|| format!("there is no breakpoint {n}"))
    }

    fn delete(&mut self, text: &str) -> Answer {
        if text.is_empty() {
            self.breakpoints.clear();
        } else {
            let at = self.breakpoint(text)?;
            self.breakpoints.remove(at);
        }
        self.plant()
    }

    fn enable(&mut self, text: &str, on: bool) -> Answer {
        let at = self.breakpoint(text)?;
        self.breakpoints[at].enabled = on;
        self.plant()
    }

    fn choose(&mut self, frame: usize) -> Answer {
        let mut f = self.focused()?;
        let n = self.frames(&f)?.len();
        if frame >= n {
            return Err(format!("there are {n} frames"));
        }
        f.frame = frame;
        self.focus = Some(f);
        self.show_place(None)
    }

    fn refocus(&mut self, name: &str, rest: &str) -> Answer {
        let old = self.focused()?;
        let text = format!("{name} {rest}");
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() == 1 {
            self.say(format!(
                "block {}, thread {}",
                triple(old.block),
                triple(old.thread)
            ));
            return Ok(());
        }
        let (mut block, mut thread) = (old.block, None);
        for pair in words.chunks(2) {
            match pair {
                ["block", v] => block = coordinates(v)?,
                ["thread", v] => thread = Some(coordinates(v)?),
                _ => {
                    return Err(
                        "block X,Y,Z and thread X,Y,Z, without spaces in the coordinates".into(),
                    );
                }
            }
        }
        let found = match thread {
            Some(t) => self.thread(block, t)?,
            None => self.first_thread(Some(block))?,
        };
        let f = found.ok_or_else(|| {
            let what = thread.map_or(String::new(), |t| format!(" thread {}", triple(t)));
            format!("block {}{what} is not on the device: it has not begun, has ended, or is outside the grid", triple(block))
        })?;
        self.show_focus(f, None)
    }

    /// A thread by its coordinates.
    fn thread(&mut self, block: [u32; 3], thread: [u32; 3]) -> Answer<Option<Focus>> {
        let Some(kernel) = self
            .focus
            .and_then(|f| self.kernels.iter().find(|k| k.grid == f.grid))
        else {
            return Ok(None);
        };
        let [x, y, z] = kernel.block_dim;
        if thread[0] >= x || thread[1] >= y || thread[2] >= z {
            return Ok(None);
        }
        let lane = (thread[0] + x * (thread[1] + y * thread[2])) % 32;
        let api = self.api()?;
        for f in self.warps(false)?.into_iter().filter(|f| f.block == block) {
            let t = api.read_thread_idx(0, f.sm, f.wp, lane);
            if t.is_ok_and(|t| [t.x, t.y, t.z] == thread) {
                return Ok(Some(Focus {
                    lane,
                    thread,
                    frame: 0,
                    ..f
                }));
            }
        }
        Ok(None)
    }

    /// The lines of the focus, outermost first: what stepping compares.
    fn chain(&self, f: &Focus) -> Answer<Vec<(String, String, u32)>> {
        let mut chain: Vec<_> = self
            .frames(f)?
            .into_iter()
            .map(|f| match f.place {
                Some(p) => (p.function, p.file, p.line),
                None => (f.symbol, String::new(), 0),
            })
            .collect();
        chain.reverse();
        Ok(chain)
    }

    /// One instruction of the warp in focus. `false` when its thread has exited, or faulted.
    fn one(&mut self, f: &Focus) -> Answer<bool> {
        let api = self.api()?;
        api.single_step_warp(0, f.sm, f.wp, f.lane, 1, 0)
            .map_err(|e| e.to_string())?;
        let mut words = [0u64; 4];
        api.read_device_exception_state(0, &mut words)
            .map_err(|e| e.to_string())?;
        if words != [0; 4] {
            return Ok(false);
        }
        let same = api
            .read_block_idx(0, f.sm, f.wp)
            .is_ok_and(|b| [b.x, b.y, b.z] == f.block);
        Ok(same && api.read_thread_idx(0, f.sm, f.wp, f.lane).is_ok())
    }

    /// After a step that has brought the thread to its end or to a fault.
    fn stepped_out(&mut self, f: &Focus) -> Answer<Reaction> {
        if self.faulted()?.is_some() {
            return self.exception().map(|()| Reaction::Go);
        }
        self.say(format!(
            "Thread {} of block {} has exited.",
            triple(f.thread),
            triple(f.block)
        ));
        match self.first_thread(Some(f.block))? {
            Some(f) => self.show_focus(f, None).map(|()| Reaction::Go),
            None => match self.first_thread(None)? {
                Some(f) => self.show_focus(f, None).map(|()| Reaction::Go),
                // The last thread of the grid: the program goes on by itself.
                None => self.go(),
            },
        }
    }

    fn exception(&mut self) -> Answer {
        let (focus, kind) = self.faulted()?.ok_or("no lane has an exception")?;
        let api = self.api()?;
        let text = api
            .get_cuda_exception_string(0, focus.sm, focus.wp, focus.lane)
            .unwrap_or_default();
        let name = kind
            .name()
            .map_or(String::new(), |n| n.replace("CUDBG_EXCEPTION_", ""));
        self.say(format!("CUDA exception {name}:"));
        for line in text.lines() {
            self.say(format!("  {line}"));
        }
        self.show_focus(focus, None)
    }

    fn step_instructions(&mut self, n: u64) -> Answer<Reaction> {
        let mut f = self.focused()?;
        f.frame = 0;
        self.focus = Some(f);
        for _ in 0..n {
            if !self.one(&f)? {
                return self.stepped_out(&f);
            }
        }
        let pc = self.pc(&f)?;
        let words = self.instruction(pc);
        let place = self.frames(&f)?.into_iter().find_map(|f| f.place);
        let place = place.map_or(String::new(), |p| format!(" at {}:{}", p.file, p.line));
        self.say(format!("{pc:#x}: {words}{place}"));
        Ok(Reaction::Go)
    }

    /// Steps until `done` says so of the chain of lines.
    fn until(
        &mut self,
        done: impl Fn(&[(String, String, u32)]) -> bool,
    ) -> Answer<Option<Reaction>> {
        let mut f = self.focused()?;
        f.frame = 0;
        self.focus = Some(f);
        // A loop that never ends is the program's; the user gets the prompt back.
        for _ in 0..1_000_000 {
            let before = self.pc(&f)?;
            if !self.one(&f)? {
                return self.stepped_out(&f).map(Some);
            }
            let pc = self.pc(&f)?;
            if pc != before && self.set.contains(&pc) {
                let hit = self
                    .breakpoints
                    .iter()
                    .find(|b| b.enabled && b.addresses.contains(&pc))
                    .map(|b| format!("Breakpoint {}", b.number));
                self.show_focus(f, hit.as_deref())?;
                return Ok(Some(Reaction::Go));
            }
            if done(&self.chain(&f)?) {
                return Ok(None);
            }
        }
        self.say("After 1000000 instructions the line is still the same.");
        Ok(None)
    }

    fn step(&mut self, n: u64, into: bool) -> Answer<Reaction> {
        for _ in 0..n {
            let start = self.chain(&self.focused()?)?;
            let depth = start.len();
            let known = |c: &[(String, String, u32)]| c.last().is_some_and(|l| l.2 != 0);
            let done = |c: &[(String, String, u32)]| {
                if into {
                    known(c) && c != start
                } else {
                    // A frame that is left, or another line of this one; what it calls is passed by.
                    known(c) && (c.len() < depth || c[..depth] != start[..]) && c.len() <= depth
                }
            };
            if let Some(reaction) = self.until(done)? {
                return Ok(reaction);
            }
        }
        self.show_place(None)?;
        Ok(Reaction::Go)
    }

    fn finish(&mut self) -> Answer<Reaction> {
        let depth = self.chain(&self.focused()?)?.len();
        if depth == 1 {
            return Err("this is the kernel's own frame; `continue` runs it to its end".into());
        }
        if let Some(reaction) = self.until(|c| c.len() < depth)? {
            return Ok(reaction);
        }
        self.show_place(None)?;
        Ok(Reaction::Go)
    }

    fn backtrace(&mut self) -> Answer {
        let f = self.focused()?;
        let frames = self.frames(&f)?;
        for (n, frame) in frames.iter().enumerate() {
            let mark = if n == f.frame { "*" } else { " " };
            let inlined = if frame.inlined { " (inlined)" } else { "" };
            let outermost = n + 1 == frames.len();
            let args = if outermost {
                self.argument_list().unwrap_or_default()
            } else {
                String::new()
            };
            self.say(match &frame.place {
                Some(p) => format!(
                    "{mark}#{n} {}{args} at {}:{}:{}{inlined}",
                    p.function, p.file, p.line, p.column
                ),
                None => format!(
                    "{mark}#{n} {:#x} in {}{args} (no Rust line)",
                    frame.pc, frame.symbol
                ),
            });
        }
        Ok(())
    }

    fn list(&mut self, text: &str) -> Answer {
        let (file, line) = if text.is_empty() {
            self.listed
                .clone()
                .ok_or("there is no current line; say FILE:LINE")?
        } else {
            let current = self.listed.as_ref().map(|(f, _)| f.clone());
            match Spec::parse(text, current.as_deref())? {
                Spec::Line { file, line } => {
                    let files = self.images.iter().flat_map(|i| i.files().to_vec());
                    let known = files
                        .into_iter()
                        .find(|f| crate::source::same_file(&file, f));
                    (known.unwrap_or(file), line)
                }
                Spec::Function(name) => {
                    let places = self
                        .images
                        .iter()
                        .flat_map(|i| i.lines.keys().flat_map(|pc| i.places(*pc)));
                    let found = places.filter(|p| same_function(&name, &p.function)).min();
                    let p = found.ok_or_else(|| format!("no function is called `{name}`"))?;
                    (p.file, p.line)
                }
                Spec::Address(_) => return Err("list LINE, FILE:LINE or FUNCTION".into()),
            }
        };
        let first = line.saturating_sub(4).max(1);
        let mut any = false;
        for n in first..first + 10 {
            if let Some(text) = self.sources.line(&file, n).map(str::to_string) {
                let mark = if n == line { ">" } else { " " };
                self.say(format!("{mark}{n}\t{text}"));
                any = true;
            }
        }
        if !any {
            return Err(format!(
                "the source file {file} is not found from the current folder"
            ));
        }
        self.listed = Some((file, first + 14));
        Ok(())
    }

    fn disassemble(&mut self, text: &str) -> Answer {
        let f = self.focused()?;
        let pc = self.pc(&f)?;
        let image = self.image(pc).ok_or("the focus is in no module")?;
        let function = image
            .function(pc)
            .ok_or("the focus is in no function")?
            .clone();
        let all: Vec<u64> = function.range.clone().step_by(16).collect();
        let at = all.iter().position(|a| *a == pc).unwrap_or(0);
        let part = if text == "all" {
            0..all.len()
        } else {
            at.saturating_sub(5)..(at + 8).min(all.len())
        };
        let mut last = None;
        self.say(format!("{}:", function.name));
        for a in &all[part] {
            let place = self
                .image(*a)
                .and_then(|i| i.places(*a).into_iter().next())
                .map(|p| (p.file, p.line));
            if let Some((file, line)) = place.clone()
                && last != place
            {
                let source = self
                    .sources
                    .line(&file, line)
                    .unwrap_or("")
                    .trim()
                    .to_string();
                self.say(format!("  {file}:{line}  {source}"));
            }
            last = place.or(last);
            let mark = if *a == pc { "=>" } else { "  " };
            let words = self.instruction(*a);
            self.say(format!("{mark} {a:#x}  {words}"));
        }
        Ok(())
    }
}

/// The command that a word means: its name, a short form, or the only one that begins so.
fn find(word: &str) -> Answer<&'static str> {
    if let Some((name, ..)) = COMMANDS
        .iter()
        .find(|(n, short, _)| *n == word || short.contains(&word))
    {
        return Ok(name);
    }
    if MISSING.contains(&word) {
        return Err(format!("`{word}` is not supported yet"));
    }
    let begin: Vec<&str> = COMMANDS
        .iter()
        .map(|c| c.0)
        .filter(|n| n.starts_with(word))
        .collect();
    match &begin[..] {
        [one] => Ok(one),
        [] => Err(format!("`{word}` is no command; `help` names them")),
        several => Err(format!("`{word}` may be {}", several.join(", "))),
    }
}

pub(crate) fn number(text: &str) -> Answer<u64> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{text}` is no number"))
}

fn count(text: &str) -> Answer<u64> {
    if text.is_empty() { Ok(1) } else { number(text) }
}

/// `(1,2,3)`, `1,2` or `1`.
fn coordinates(text: &str) -> Answer<[u32; 3]> {
    let plain = text.trim().trim_start_matches('(').trim_end_matches(')');
    let mut out = [0; 3];
    for (n, part) in plain.split(',').enumerate() {
        let place = out
            .get_mut(n)
            .ok_or_else(|| format!("`{text}` has more than three coordinates"))?;
        *place = part
            .trim()
            .parse()
            .map_err(|_| format!("`{text}` are no coordinates; they look like (1,0,0)"))?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands() {
        assert_eq!(find("b"), Ok("break"));
        assert_eq!(find("disas"), Ok("disassemble"));
        assert_eq!(find("cont"), Ok("continue"));
        assert_eq!(find("watch"), Err("`watch` is not supported yet".into()));
        assert_eq!(
            find("zz"),
            Err("`zz` is no command; `help` names them".into())
        );
        assert!(find("di").unwrap_err().starts_with("`di` may be disable, "));
        assert!(COMMANDS.iter().all(|c| !MISSING.contains(&c.0)));
        assert_eq!(coordinates("(1,2,3)"), Ok([1, 2, 3]));
        assert_eq!(coordinates("7"), Ok([7, 0, 0]));
        assert!(coordinates("1,2,3,4").is_err() && coordinates("x").is_err());
    }

    #[test]
    fn without_a_program() {
        let mut s = Session::new(Default::default(), Vec::new());
        assert_eq!(s.command("run"), Ok(Reaction::Start));
        assert_eq!(
            s.command("c"),
            Err("the program is not being run; `run` starts it".into())
        );
        assert_eq!(
            s.command("b main.rs:17 if thread (3,0,0)"),
            Ok(Reaction::Go)
        );
        assert_eq!(
            s.out,
            "Breakpoint 1 is pending: no kernel has been loaded yet.\n"
        );
        assert!(s.command("b main.rs:17 if x > 3").is_err());
    }
}
