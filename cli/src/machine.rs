//! Chooses the event source and makes it: what the process may do and what was asked for in, a source and its host out.

use std::rc::Rc;

use dtrail_kernel_bridge::caps;
use dtrail_kernel_bridge::ebpf::harness::Harness;
use dtrail_kernel_bridge::env::SourceEnvironment;
use dtrail_kernel_bridge::host::LinuxHost;
use dtrail_kernel_bridge::readers::whole::Content;
use dtrail_kernel_bridge::source::bpf::BpfSource;
use dtrail_kernel_bridge::source::event_file::EventFile;
use dtrail_kernel_bridge::source::idle::IdleSource;
use dtrail_kernel_bridge::source::inject::{Injection, KernelMachine};
use dtrail_kernel_bridge::source::ptrace::PtraceSource;
use dtrail_kernel_bridge::source::synthetic::SyntheticSource;
use dtrail_kernel_bridge::source::targets::{self, Target};
use dtrail_kernel_bridge::symbols::Symbols;
use dtrail_lang::bytes;
use dtrail_lang::env::Environment;
use dtrail_lang::options::Options as Settings;
use dtrail_lang::plan::Capabilities;
use dtrail_vm::event::{Error, EventSource, reason};
use dtrail_vm::host::Host;

use crate::Interrupts;
use crate::failure::Failure;
use crate::native;
use crate::options::{EngineChoice, Mode, Options, SourceChoice, TargetArg};

/// Where a program's events will come from, before it is compiled.
pub(crate) enum Machine {
    /// Made already: its targets decide what the program can name.
    Ready {
        /// The source.
        source: Box<dyn EventSource>,
        /// Its clocks and tracer.
        host: Box<dyn Host>,
    },
    /// Only named: which one is made depends on what the program traces.
    Open {
        /// The probes there would be.
        environment: Box<SourceEnvironment>,
        /// Which.
        kind: Kind,
    },
}

/// The live sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// eBPF.
    Bpf,
    /// ptrace.
    Ptrace,
}

/// A source that is ready to trace a program.
pub(crate) struct Tracer {
    /// The source.
    pub(crate) source: Box<dyn EventSource>,
    /// Its clocks and tracer.
    pub(crate) host: Box<dyn Host>,
}

impl Machine {
    /// What can be probed.
    pub(crate) fn environment(&self) -> &dyn Environment {
        match self {
            Machine::Ready { source, .. } => source.environment(),
            Machine::Open { environment, .. } => &**environment,
        }
    }

    /// Why this process may not use the source that it would trace the whole machine with.
    pub(crate) fn missing_privilege(&self) -> Option<String> {
        match self {
            Machine::Open { kind: Kind::Bpf, .. } => {
                let why = caps::can_bpf().err().filter(|_| caps::lacks_privilege())?;
                Some(format!("{}; with -c, source ptrace needs no privilege", why.message))
            }
            _ => None,
        }
    }

    /// What the source decides before an event leaves the kernel, and its name; for `--explain` and `--dump`.
    pub(crate) fn capabilities(&self) -> (Capabilities, &'static str) {
        match self {
            Machine::Ready { source, .. } => (source.capabilities(), source.name()),
            Machine::Open { kind: Kind::Bpf, .. } => (Capabilities::BASELINE, "bpf"),
            Machine::Open { kind: Kind::Ptrace, .. } => (Capabilities::NONE, "ptrace"),
        }
    }
}

/// Decides where events come from. Targets are started here, unless the mode traces nothing. The second value is the
/// notice that says what was chosen, if the user did not choose.
pub(crate) fn choose(
    options: &Options,
    settings: &Settings,
    interrupts: Option<&Interrupts>,
    terse: bool,
) -> Result<(Machine, Option<String>), Failure> {
    let traces = matches!(options.mode, Mode::Trace);
    if let SourceChoice::Synthetic(file) = &options.source {
        return synthetic(file, options, settings);
    }
    match options.engine {
        Some(EngineChoice::Rbpf) => {
            return Err(Failure::usage(
                "engine 'rbpf' runs made-up events only: give --source=synthetic=FILE",
            ));
        }
        Some(EngineChoice::Bpf) if options.source == SourceChoice::Ptrace => {
            return Err(Failure::usage("source 'ptrace' has no kernel part: engine 'bpf' cannot run it"));
        }
        Some(EngineChoice::Interp | EngineChoice::Jit) if options.source == SourceChoice::Bpf => {
            return Err(Failure::usage(
                "source 'bpf' runs its kernel part in the kernel: leave --engine out",
            ));
        }
        _ => {}
    }
    let wants_bpf = options.source == SourceChoice::Bpf || options.engine == Some(EngineChoice::Bpf);
    let in_user_space = matches!(options.engine, Some(EngineChoice::Interp | EngineChoice::Jit));
    let wants_ptrace = options.source == SourceChoice::Ptrace || in_user_space;
    let may = caps::can_bpf();
    if terse
        && traces | (options.mode == Mode::List)
        && options.source == SourceChoice::Auto
        && caps::lacks_privilege()
    {
        return Err(Failure::usage("run as root for tracing and listing probes"));
    }
    let targets = named(&options.targets)?;
    let kind = match (wants_bpf, wants_ptrace, &may) {
        (_, true, _) => Kind::Ptrace,
        (true, _, _) | (_, _, Ok(())) => Kind::Bpf,
        (_, _, Err(_)) if !targets.is_empty() => Kind::Ptrace,
        // What is missing is said when the program turns out to need it.
        (_, _, Err(_)) => Kind::Bpf,
    };
    let notice = match (&options.source, kind, &may) {
        (SourceChoice::Auto, Kind::Bpf, _) => Some("source bpf".to_string()),
        (SourceChoice::Auto, Kind::Ptrace, Err(why)) => Some(format!("source ptrace ({})", why.message)),
        (SourceChoice::Auto, Kind::Ptrace, Ok(())) => Some("source ptrace".to_string()),
        _ => None,
    };
    let wake = interrupts.map(Interrupts::descriptor);
    let data = &settings.types_from;
    let machine = if targets.is_empty() || !traces {
        let target = targets.first().map(target_of_no_trace).transpose()?;
        let mut environment = match kind {
            Kind::Bpf => SourceEnvironment::bpf(target),
            Kind::Ptrace => SourceEnvironment::ptrace(target),
        };
        environment.read_types_from(data);
        Machine::Open { environment: Box::new(environment), kind }
    } else {
        let symbols: Rc<Symbols> = Rc::default();
        let source: Box<dyn EventSource> = match kind {
            Kind::Bpf => {
                Box::new(BpfSource::new(&targets, wake)?.with_symbols(symbols.clone()).with_types(data))
            }
            Kind::Ptrace => {
                let source = PtraceSource::new(&targets, wake)?;
                Box::new(source.with_symbols(symbols.clone()).with_types(data))
            }
        };
        Machine::Ready { source, host: Box::new(LinuxHost::new().with_symbols(symbols)) }
    };
    Ok((machine, notice))
}

impl Machine {
    /// The source for a compiled program; `traces` says whether any of its probes is fired by the traced system.
    pub(crate) fn ready(
        self,
        traces: bool,
        settings: &Settings,
        interrupts: Option<&Interrupts>,
    ) -> Result<Tracer, Failure> {
        let wake = interrupts.map(Interrupts::descriptor);
        let (environment, kind) = match self {
            Machine::Ready { mut source, host } => {
                source.configure(settings);
                known_cpu(settings, &*source)?;
                return Ok(Tracer { source, host });
            }
            Machine::Open { environment, kind } => (environment, kind),
        };
        let symbols: Rc<Symbols> = Rc::default();
        let mut source: Box<dyn EventSource> = match kind {
            _ if !traces => Box::new(IdleSource::new(*environment, wake)),
            Kind::Bpf => {
                caps::can_bpf_or("run as root, or give a command with -c to trace only that")?;
                Box::new(
                    BpfSource::new(&[], wake)?.with_symbols(symbols.clone()).with_types(&settings.types_from),
                )
            }
            Kind::Ptrace => {
                return Err(Error::new("source 'ptrace' traces processes that it is told of")
                    .help("give a command with -c or a process with -p; as root, --source bpf traces the whole machine")
                    .into());
            }
        };
        source.configure(settings);
        known_cpu(settings, &*source)?;
        Ok(Tracer { source, host: Box::new(LinuxHost::new().with_symbols(symbols)) })
    }
}

/// The CPU of `-x cpu` must be one of the source's.
fn known_cpu(settings: &Settings, source: &dyn EventSource) -> Result<(), Failure> {
    let cpus = source.cpus();
    match settings.cpu {
        Some(cpu) if cpu >= cpus => Err(Failure::fatal(format!(
            "could not enable tracing: no CPU {cpu}: the last one is {}",
            cpus.saturating_sub(1)
        ))),
        _ => Ok(()),
    }
}

fn named(args: &[TargetArg]) -> Result<Vec<Target>, Failure> {
    args.iter()
        .map(|arg| match arg {
            TargetArg::Command(command) => Ok(Target::Command(bytes::of_text(command).into_owned())),
            TargetArg::Pid(text) => match text.parse() {
                Ok(pid) if pid > 0 => Ok(Target::Process(pid)),
                _ => Err(Failure::fatal(format!("invalid pid: {text}"))),
            },
        })
        .collect()
}

/// What `$target` is where nothing is traced: a process that must be there, or for a command, which is not started, some
/// number that a process can have.
fn target_of_no_trace(target: &Target) -> Result<u32, Failure> {
    match target {
        Target::Process(pid) => Ok(targets::existing(*pid)?),
        Target::Command(_) => Ok(std::process::id()),
    }
}

fn synthetic(
    path: &str,
    options: &Options,
    settings: &Settings,
) -> Result<(Machine, Option<String>), Failure> {
    if !options.targets.is_empty() {
        return Err(Failure::usage("made-up events have no processes: leave -c and -p out"));
    }
    let text = Content::EVENTS
        .read(&native::path(path))
        .map_err(|e| Failure::fatal(format!("failed to open {path}: {}", reason(&e))))?;
    let mut file = EventFile::parse(&bytes::to_text(&text))
        .map_err(|e| Failure::fatal(format!("failed to read events from {path}: {e}")))?;
    file.environment.read_types_from(&settings.types_from);
    let notice = file.steps.is_empty().then(|| format!("warning: no events in {path}"));
    let source = match options.engine.unwrap_or(EngineChoice::Interp) {
        EngineChoice::Interp | EngineChoice::Jit => SyntheticSource::new(file),
        EngineChoice::Rbpf => {
            SyntheticSource::with_kernel(file, Box::new(Injection::<Harness>::new(settings)))
        }
        EngineChoice::Bpf => {
            caps::can_bpf_or("run as root, or use `--engine rbpf`")?;
            SyntheticSource::with_kernel(file, Box::new(Injection::<KernelMachine>::new(settings)))
        }
    };
    let host = Box::new(source.host());
    Ok((Machine::Ready { source: Box::new(source), host }, notice))
}
