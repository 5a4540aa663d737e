//! The `dtrail` command: this process's arguments, environment and streams into [`dtrail::run`], its status out.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use dtrail::{Environment, Interrupts, Invocation, Patience, closed_output};
use dtrail_vm::event::reason;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    let progname = std::path::Path::new(&name)
        .file_name()
        .map_or("dtrail".into(), |name| dtrail_lang::bytes::to_text(name.as_bytes()));
    let interrupts = match Interrupts::new() {
        Ok(interrupts) => Some(interrupts),
        Err(e) => {
            dtrail::say(&progname, &format!("cannot watch for signals: {}", reason(&e)), None);
            None
        }
    };
    // The descriptor itself: lines need no second buffer, and a slow reader is waited for with patience.
    let stdout =
        match closed_output().map_or_else(|| io::stdout().as_fd().try_clone_to_owned().map(Into::into), Ok) {
            Ok(stdout) => stdout,
            Err(e) => {
                let text = format!("cannot use standard output: {}", reason(&e));
                dtrail::say(&progname, &text, dtrail_kernel_bridge::shortage::advice(&e));
                return ExitCode::from(1);
            }
        };
    let mut stdout = Patience::new(stdout, interrupts.clone());
    let outcome = dtrail::run(Invocation {
        progname,
        args: args.collect(),
        environment: Environment::Process,
        stdout: &mut stdout,
        stderr: &mut io::stderr().lock(),
        stdout_is_terminal: io::stdout().is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        interrupts,
    });
    ExitCode::from(outcome.status)
}
