//! rustc's answers, kept in a file from one run to the next, so that an unchanged type is not asked for again (rustc takes 30 ms).
//!
//! An answer is found by a hash of 128 bits over everything that it can depend on: the compiler (its version, the size and time
//! of its file), its arguments, the question's text, and the bytes of the metadata of each crate that the text names. What those
//! crates depend on is in their metadata by hash. A line that was damaged is not an answer.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Beyond this, lines that this run did not use are dropped.
const MOST: usize = 4096;

type Key = [u64; 2];

/// The file of a crate's answers.
#[derive(Default)]
pub(crate) struct Kept {
    file: Option<PathBuf>,
    /// What all answers depend on.
    common: String,
    externs: Vec<(String, PathBuf)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    loaded: bool,
    answers: HashMap<Key, Result<String, String>>,
    used: HashSet<Key>,
    /// Hashes of the externs' metadata. `None`: it cannot be read, and nothing that names the crate is kept.
    metadata: HashMap<String, Option<Key>>,
    changed: bool,
}

impl Kept {
    pub fn new(file: PathBuf, common: String, externs: Vec<(String, PathBuf)>) -> Self {
        Self {
            file: Some(file),
            common,
            externs,
            state: Mutex::default(),
        }
    }

    /// The key of a question. `None`: its answer is not to be kept.
    pub fn key(&self, question: &str) -> Option<Key> {
        self.file.as_ref()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut of_crates = Vec::new();
        for (name, path) in &self.externs {
            if question.contains(&format!("::{name}::")) {
                let hash = state
                    .metadata
                    .entry(name.clone())
                    .or_insert_with(|| Some(hash(&std::fs::read(path).ok()?)));
                of_crates.push((name, (*hash)?));
            }
        }
        Some(hash(&(&self.common, question, of_crates)))
    }

    /// The answer from before.
    pub fn get(&self, key: Key) -> Option<Result<String, String>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.load(&mut state);
        let answer = state.answers.get(&key).cloned()?;
        state.used.insert(key);
        Some(answer)
    }

    pub fn put(&self, key: Key, answer: Result<String, String>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.load(&mut state);
        state.used.insert(key);
        state.changed = true;
        state.answers.insert(key, answer);
    }

    fn load(&self, state: &mut State) {
        if std::mem::replace(&mut state.loaded, true) {
            return;
        }
        let text = self.file.as_ref().map(std::fs::read_to_string);
        // No file: the first run. One that cannot be read is written anew.
        let Some(Ok(text)) = text else { return };
        state.answers.extend(text.lines().filter_map(read_line));
    }

    /// Writes the file if there is anything new. One that cannot be written costs time in the next run, nothing else.
    pub fn save(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(file), true) = (&self.file, std::mem::take(&mut state.changed)) else {
            return;
        };
        let all = state.answers.len() <= MOST;
        let mut text = String::new();
        for (key, answer) in &state.answers {
            if all || state.used.contains(key) {
                write_line(&mut text, *key, answer);
            }
        }
        // In one step: another run may be reading.
        let part = file.with_extension(format!("layouts-{}", std::process::id()));
        if std::fs::write(&part, text).is_ok() && std::fs::rename(&part, file).is_err() {
            let _ = std::fs::remove_file(&part);
        }
    }
}

/// What is known of a compiler without running it.
pub(crate) fn stamp(rustc: &Path) -> String {
    let m = std::fs::metadata(rustc).ok();
    format!(
        "{} {:?}",
        rustc.display(),
        m.map(|m| (m.len(), m.modified().ok()))
    )
}

/// Two hashes of the standard library with different starts.
fn hash(value: &(impl Hash + ?Sized)) -> Key {
    [0u8, 1].map(|start| {
        let mut h = DefaultHasher::new();
        h.write_u8(start);
        value.hash(&mut h);
        h.finish()
    })
}

/// `key check + text` or `key check - text`, numbers in hexadecimal.
fn write_line(out: &mut String, key: Key, answer: &Result<String, String>) {
    let (sign, text) = match answer {
        Ok(t) => ('+', t),
        Err(t) => ('-', t),
    };
    // A layout is printed over many lines; blanks mean nothing in it.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let [check, _] = hash(&(key, sign, &text));
    out.push_str(&format!(
        "{:016x}{:016x} {check:016x} {sign} {text}\n",
        key[0], key[1]
    ));
}

fn read_line(line: &str) -> Option<(Key, Result<String, String>)> {
    let mut parts = line.splitn(4, ' ');
    let (key, check, sign, text) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let number = |s: &str| u64::from_str_radix(s, 16).ok();
    let key = [number(key.get(..16)?)?, number(key.get(16..)?)?];
    let sign = sign.chars().next()?;
    let [expected, _] = hash(&(key, sign, text));
    if number(check)? != expected {
        return None;
    }
    let text = text.to_string();
    Some((key, if sign == '+' { Ok(text) } else { Err(text) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_damaged_ones_do_not() {
        let mut text = String::new();
        write_line(&mut text, [1, u64::MAX], &Ok("a = {\n  b: 1,\n}".into()));
        let line = text.trim_end();
        assert_eq!(
            read_line(line),
            Some(([1, u64::MAX], Ok("a = { b: 1, }".into())))
        );
        assert_eq!(read_line(&line.replace("b: 1", "b: 2")), None);
        assert_eq!(read_line(&line.replace(" + ", " - ")), None);
        for n in 0..line.len() {
            assert_eq!(read_line(&line[..n]), None, "{n}");
        }
    }
}
