//! Runs a case on an engine, in this process, through the library behind the `dtrail` command.

use std::ffi::OsString;
use std::path::PathBuf;

use dtrail::{Environment, Invocation};

use crate::case::{Case, Kind};
use crate::engine::Engine;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status.
    pub status: u8,
    /// Whether the plan had a kernel part.
    pub kernel: bool,
}

/// Runs a case.
pub fn run(case: &Case, engine: Engine) -> Ran {
    let mut args: Vec<OsString> = case.args.iter().map(OsString::from).collect();
    let mut source = OsString::from("--source=synthetic=");
    source.push(case.events.as_deref().unwrap_or("/dev/null".as_ref()));
    args.push(source);
    args.push(format!("--engine={}", engine.name()).into());
    if matches!(case.kind, Kind::Refused(_)) {
        args.push("-xerrtags".into());
    }
    match &case.string {
        Some((option, text)) => args.extend([format!("-{option}").into(), text.into()]),
        None => args.extend(["-s".into(), case.program.clone().into()]),
    }
    args.push("--".into());
    let file = case.file.then(|| OwnFile::new(case, engine));
    args.extend(case.operands.iter().map(|operand| match &file {
        Some(file) if operand == "FILE" => file.0.clone().into_os_string(),
        _ => OsString::from(operand),
    }));

    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = dtrail::run(Invocation {
        progname: "dtrace".into(),
        args,
        environment: Environment::Fixed(case.env.clone()),
        stdout: &mut out,
        stderr: &mut err,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        interrupts: None,
    });
    if let Some(file) = file {
        out.extend(b"--- FILE\n");
        out.extend(std::fs::read(&file.0).unwrap_or_else(|_| b"(none)\n".to_vec()));
        err = replaced(&err, file.0.as_os_str().as_encoded_bytes(), b"FILE");
    }
    Ran { out, err, status: outcome.status, kernel: outcome.kernel_part }
}

/// The path of a file for one run, which is removed with this value.
struct OwnFile(PathBuf);

impl OwnFile {
    fn new(case: &Case, engine: Engine) -> OwnFile {
        let name = case.name.replace('/', "-");
        let path =
            std::env::temp_dir().join(format!("dtrail-{}-{}-{name}", std::process::id(), engine.name()));
        let _ = std::fs::remove_file(&path);
        OwnFile(path)
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The bytes with every occurrence of some others replaced.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(from) {
            Some(behind) => {
                out.extend(to);
                rest = behind;
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}
