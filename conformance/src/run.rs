//! Runs a case on an engine, in this process, through the library behind the `dtrail` command.

use std::ffi::OsString;

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
    args.extend(case.operands.iter().map(OsString::from));

    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut env = case.env.clone();
    if !env.iter().any(|(name, _)| name == "TZ") {
        env.push(("TZ".into(), "UTC".into()));
    }
    let outcome = dtrail::run(Invocation {
        progname: "dtrace".into(),
        args,
        environment: Environment::Fixed(env),
        stdout: &mut out,
        stderr: &mut err,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        interrupts: None,
    });
    Ran { out, err, status: outcome.status, kernel: outcome.kernel_part }
}
