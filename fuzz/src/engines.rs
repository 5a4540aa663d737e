//! One program over one file of events on several engines: what a user sees must not tell which it was.

use std::sync::atomic::AtomicU32;

use dtrail_kernel_bridge::ebpf::harness::Harness;
use dtrail_kernel_bridge::source::event_file::EventFile;
use dtrail_kernel_bridge::source::inject::Injection;
use dtrail_kernel_bridge::source::synthetic::SyntheticSource;
use dtrail_lang::options::Options;
use dtrail_lang::plan::{self, PlanOptions};
use dtrail_lang::source::{Source, SourceKind, SourceMap};
use dtrail_vm::consumer::{self, Settings};
use dtrail_vm::engine::Engine;
use dtrail_vm::event::EventSource;
use dtrail_vm::interp::Interp;
use dtrail_vm::jit::Jit;
use dtrail_vm::output::CaptureOutput;

/// Where a program's clauses run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In user space.
    User,
    /// Kernel parts in rbpf.
    Rbpf,
}

/// What a user sees of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    out: String,
    err: String,
    result: Result<consumer::Outcome, String>,
}

/// Runs a script over events; `None` if it does not compile or has no place there, or if the events do
/// not parse.
fn seen(text: &str, events: &str, place: Place, engine: &mut dyn Engine) -> Option<Seen> {
    let events = EventFile::parse(events).ok()?;
    let mut source = match place {
        Place::User => SyntheticSource::new(events),
        Place::Rbpf => {
            let kernel = Injection::<Harness>::new(&Options::default());
            SyntheticSource::with_kernel(events, Box::new(kernel))
        }
    };
    let mut sources = SourceMap::default();
    sources.add(Source { name: "fuzz.d".to_string(), kind: SourceKind::Script, text: text.to_string() });
    let mut options = Options { quiet: true, ..Options::default() };
    let compiled =
        dtrail_lang::compile(&sources, source.environment(), &mut options, &["fuzz.d".to_string()]).ok()?;
    let plan = plan::plan(compiled.program, source.capabilities(), &PlanOptions::default()).ok()?;
    let settings = Settings { quiet: true, ..Settings::default() };
    let (host, mut output) = (source.host(), CaptureOutput::default());
    let result =
        consumer::run(&plan, &mut source, engine, &host, &mut output, &settings, &AtomicU32::new(0), None);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let result = result.map_err(|error| error.to_string());
    Some(Seen { out: text(output.out), err: text(output.err), result })
}

/// A script does on the JIT what the interpreter does, compiled from the first run or from the second, whole or as the
/// user parts of kernel programs. Gives whether it ran at all.
pub fn agree(text: &str, events: &str) -> Result<bool, String> {
    let mut ran = false;
    for place in [Place::User, Place::Rbpf] {
        let Some(expected) = seen(text, events, place, &mut Interp::default()) else { continue };
        ran = true;
        for hot in [0, 1] {
            let got = seen(text, events, place, &mut Jit::after(hot));
            if got.as_ref() != Some(&expected) {
                return Err(format!(
                    "{place:?}, compiled after {hot} runs\ninterpreted: {expected:#?}\ncompiled: {got:#?}\nin:\n{text}"
                ));
            }
        }
    }
    Ok(ran)
}
