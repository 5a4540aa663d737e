//! Reads a case: its program, the `@@` lines in the program's comments, and the files beside it.
//!
//! | line | meaning |
//! |---|---|
//! | `/* @@ args: -q -x strsize=8 */` | options of the command (default `-q`) |
//! | `/* @@ operands: one "two words" */` | `$1`, `$2`, … |
//! | `/* @@ env: NAME=value */` | environment; may be repeated |
//! | `/* @@ status: 3 */` | the exit status (default 0, for `err.` cases 1) |
//! | `/* @@ kernel: nonempty */` | the plan must have a kernel part |
//! | `/* @@ needs: cpp */` | not run where there is no such command |
//! | `/* @@ engines: interp rbpf */` | run on these only |
//! | `/* @@ bpf: writes */` | run on `bpf` only where the kernel lets programs write to processes; `cannot-write`: only where it does not |
//! | `/* @@ file: shown */` | the operand `FILE` is the path of a file that does not exist, other for each run; what the program leaves in it is added to standard output behind a line `--- FILE` |
//! | `/* @@ string: n */` | the program is the text of `-n` (or `P`, `m`, `f`, `i`), not a script |

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::Engine;

/// What kind of outcome a case shows; the first word of its file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `tst.`: it compiles and runs.
    Runs,
    /// `err.TAG.`: it does not compile, with this tag.
    Refused(String),
    /// `drp.`: it runs and loses data, which is reported.
    Drops,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `topic/kind.name`
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Made-up events, if there are any.
    pub events: Option<PathBuf>,
    /// What it shows.
    pub kind: Kind,
    /// Options.
    pub args: Vec<String>,
    /// Operands.
    pub operands: Vec<String>,
    /// Environment.
    pub env: Vec<(String, String)>,
    /// The option whose text the program is, and that text without these lines; `None` for a script.
    pub string: Option<(char, String)>,
    /// Expected exit status.
    pub status: u8,
    /// Whether the plan must have a kernel part.
    pub kernel: bool,
    /// Whether it writes to a file of its own, which is shown after standard output.
    pub file: bool,
    /// Commands that it cannot do without.
    pub needs: Vec<String>,
    /// Engines to run on; empty for all.
    pub engines: Vec<Engine>,
    /// Whether `bpf` runs it only where programs may write to processes, or only where they may not.
    pub writes: Option<bool>,
    /// Expected standard output.
    pub out: Vec<u8>,
    /// Expected standard error, after [`crate::judge::as_in_a_file`]; `None`: nothing but notices.
    pub err: Option<String>,
}

impl Case {
    /// The first command that it needs and this machine has not.
    pub fn lacks(&self) -> Option<&str> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
        self.needs.iter().map(String::as_str).find(|name| !has(name))
    }
}

/// Every case under a folder, sorted by name. A case that cannot be read is an error that names it.
pub fn load_all(suite: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for topic in list(suite)? {
        for file in list(&topic)? {
            if file.extension().is_some_and(|e| e == "d") {
                cases.push(load(&file).map_err(|e| format!("{}: {e}", file.display()))?);
            }
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn list(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect())
}

fn load(program: &Path) -> Result<Case, String> {
    let stem = program.file_stem().and_then(|s| s.to_str()).ok_or("no name")?;
    let topic = program.parent().and_then(|p| p.file_name()).and_then(|s| s.to_str()).ok_or("no topic")?;
    let kind = match stem.split_once('.') {
        Some(("tst", _)) => Kind::Runs,
        Some(("drp", _)) => Kind::Drops,
        Some(("err", rest)) => Kind::Refused(rest.split('.').next().unwrap_or("").to_string()),
        _ => return Err("a case is called tst.NAME.d, err.TAG.NAME.d or drp.NAME.d".into()),
    };
    let beside = |extension: &str| program.with_extension(extension);
    let text = fs::read(program).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&text);
    let mut case = Case {
        name: format!("{topic}/{stem}"),
        program: program.to_path_buf(),
        events: Some(beside("events")).filter(|path| path.exists()),
        args: vec!["-q".into()],
        operands: Vec::new(),
        env: Vec::new(),
        status: u8::from(matches!(kind, Kind::Refused(_))),
        string: None,
        kernel: false,
        file: false,
        needs: Vec::new(),
        engines: Vec::new(),
        writes: None,
        out: read(&beside("out")).map_err(|e| format!("its .out: {e}"))?.unwrap_or_default(),
        err: read(&beside("err"))
            .map_err(|e| format!("its .err: {e}"))?
            .map(|b| String::from_utf8_lossy(&b).into_owned()),
        kind,
    };
    if case.err.is_none() && matches!(case.kind, Kind::Refused(_)) {
        return Err(
            "it has no .err: a refused program's message is what it is for (bless writes an empty one anew)"
                .into(),
        );
    }
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("/* @@ ") else { continue };
        let (key, value) = rest
            .strip_suffix("*/")
            .and_then(|s| s.split_once(':'))
            .ok_or_else(|| format!("malformed line: {line}"))?;
        apply(&mut case, key.trim(), value.trim())?;
    }
    if let Some((_, program)) = &mut case.string {
        let lines = text.lines().filter(|line| !line.trim().starts_with("/* @@ "));
        *program = lines.collect::<Vec<_>>().join("\n");
    }
    Ok(case)
}

fn apply(case: &mut Case, key: &str, value: &str) -> Result<(), String> {
    match key {
        "args" => case.args = words(value),
        "operands" => case.operands = words(value),
        "env" => {
            let (name, value) = value.split_once('=').ok_or("env wants NAME=value")?;
            case.env.push((name.into(), value.into()));
        }
        "status" => case.status = value.parse().map_err(|_| format!("bad status {value}"))?,
        "string" => {
            let option = value.chars().next().filter(|c| "nPmfi".contains(*c) && value.len() == 1);
            case.string = Some((option.ok_or(format!("unknown option {value}"))?, String::new()));
        }
        "file" if value == "shown" => case.file = true,
        "needs" => case.needs.push(value.into()),
        "kernel" if value == "nonempty" => case.kernel = true,
        "bpf" if value == "writes" => case.writes = Some(true),
        "bpf" if value == "cannot-write" => case.writes = Some(false),
        "engines" => {
            let names = value.split_whitespace();
            case.engines = names
                .map(Engine::by_name)
                .collect::<Option<_>>()
                .ok_or(format!("unknown engine in {value}"))?;
        }
        _ => return Err(format!("unknown line {key}: {value}")),
    }
    Ok(())
}

/// Blank-separated words; quotes of either kind keep blanks and the other kind.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (word, after) = match quote {
            Some(quote) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_string());
        rest = after.trim_start();
    }
    words
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quoted_words() {
        assert_eq!(words(r#" -q  "two words" x "" "#), ["-q", "two words", "x", ""]);
        assert!(words("  ").is_empty());
    }
}
