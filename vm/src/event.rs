//! The seam between event sources and the consumer.
//!
//! A source drives: it is asked to wait until a moment and meanwhile hands each event to the sink, in order. The
//! consumer owns timers (`tick`, status), engines, tables and output. Whatever a source does to get its events (a ring
//! buffer, ptrace stops, a file) is its own affair; the order in which it calls the sink is the order of output.

use std::io;
use std::time::Instant;

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::Environment;
use dtrail_lang::ir::{AddrSpace, AggId, ProbeIndex, VarId};
use dtrail_lang::options::Options;
use dtrail_lang::plan::{AskedStack, Capabilities, Overflow, Plan};

use crate::agg::AggState;
use crate::fault::{Drops, FaultKind, Raised};
use crate::names::Process;
use crate::speculation::words::Words;
use crate::value::Value;
use crate::vars::Thread;

/// One firing, as a source hands it over.
pub enum Event<'a> {
    /// At the very moment of the event, nothing captured yet: the whole clauses run in user space and take what they
    /// need from the context (`ptrace`, `synthetic`, tracer-fired probes).
    Live {
        /// Which probe fired.
        probe: ProbeIndex,
        /// The machine at that moment.
        context: &'a mut dyn EventContext,
        /// The kernel part's state, where there is one (an injected tracer-fired probe).
        kernel: Option<&'a mut dyn KernelState>,
    },
    /// A record of a kernel part.
    Record {
        /// [`dtrail_lang::plan::layout`] gives its bytes.
        record: &'a [u8],
        /// The kernel part's state: a `printa` in the record sweeps it, and the source itself is busy delivering.
        kernel: &'a mut dyn KernelState,
        /// What is left of the event, for `ERROR` clauses
        /// ([`Afterwards`](dtrail_lang::plan::Afterwards)): its memory, its stacks. Its values are the record's.
        left: Option<&'a mut dyn EventContext>,
    },
}

/// The machine at the moment of an event. Reads are of the thread that fired it.
pub trait EventContext {
    /// An integer built-in; `index` is that of `arg0`…`arg9`.
    fn int(&mut self, var: BuiltinVar, index: u32) -> Result<i64, Raised>;
    /// `argN` from `first` on, as many as there is room for: what [`EventContext::int`] gives for each. `false` if it raises
    /// for any; then they are to be asked for one by one.
    fn args(&mut self, first: u32, values: &mut [i64]) -> bool {
        (first..).zip(values).all(|(index, value)| {
            let given = self.int(BuiltinVar::Arg, index);
            given.is_ok_and(|given| {
                *value = given;
                true
            })
        })
    }
    /// Appends a string built-in (`execname`) to `out`. The probe's own names never come here.
    fn string(&mut self, var: BuiltinVar, out: &mut Vec<u8>) -> Result<(), Raised>;
    /// Fills `buf` from memory, or raises `BADADDR` with the address. Never called for scratch memory.
    fn read(&mut self, space: AddrSpace, addr: u64, buf: &mut [u8]) -> Result<(), Raised>;
    /// Appends bytes from memory up to a NUL or `limit`; raises `BADADDR` only if not even the first can be read.
    fn read_string(
        &mut self,
        space: AddrSpace,
        addr: u64,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Raised> {
        let start = out.len();
        let mut chunk = [0; STRING_CHUNK];
        while out.len() - start < limit {
            let done = out.len() - start;
            let next = addr.wrapping_add(done as u64);
            let size = (STRING_CHUNK - next as usize % STRING_CHUNK).min(limit - done);
            match self.read(space, next, &mut chunk[..size]) {
                Err(raised) if done == 0 => return Err(raised),
                // What could be read is the string.
                Err(_) => return Ok(()),
                Ok(()) => {}
            }
            let end = chunk[..size].iter().position(|&byte| byte == 0);
            out.extend_from_slice(&chunk[..end.unwrap_or(size)]);
            if end.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }
    /// Appends the stack of the firing thread, innermost address first, at most so many. Nothing if it has none or none
    /// can be walked.
    fn stack(&mut self, side: StackSide, frames: usize, out: &mut Vec<u64>) {
        let _ = (side, frames, out);
    }
    /// The number of such a stack of the firing thread, if the kernel part has taken it at the event; it keeps the addresses.
    fn stack_number(&mut self, asked: AskedStack) -> Option<u64> {
        let _ = asked;
        None
    }
    /// The address space that these user addresses of the firing thread belong to.
    fn process(&mut self, addresses: &[u64]) -> Process {
        let _ = addresses;
        let mut int = |var| self.int(var, 0).unwrap_or(0);
        Process {
            pid: int(BuiltinVar::Pid) as u32,
            seen: int(BuiltinVar::Timestamp) as u64,
            ..Process::default()
        }
    }
    /// Writes to the process's memory (`copyout`), or raises `BADADDR` with the address.
    fn write(&mut self, addr: u64, _bytes: &[u8]) -> Result<(), Raised> {
        Err(Raised::new(FaultKind::BadAddr, addr))
    }
    /// Sends a signal to the process (`raise`, `stop`). That it cannot be sent is nobody's business.
    fn signal(&mut self, _signal: i32) {}
    /// All clauses of a firing have run: what waited so that none of them sees it (a signal) is done now, before anything
    /// that they recorded is printed or carried out.
    fn settle(&mut self) {}
    /// The parent of a process other than the one that fired, if it can be told.
    fn parent(&mut self, _pid: u32) -> Option<u32> {
        None
    }
}

/// Strings are read in pieces up to the next multiple of this, a divisor of the size of a page: what is behind a string need
/// not be readable.
const STRING_CHUNK: usize = 128;

/// Which stack of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackSide {
    /// The kernel's.
    Kernel,
    /// The one in user space.
    User,
}

/// What the sink says after each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Tracing is over (an `exit` ran, output failed): deliver nothing more.
    Stop,
}

/// Receives what a source has.
pub trait EventSink {
    /// One firing.
    fn event(&mut self, event: Event<'_>) -> Flow;
    /// A thread is gone: no further event is its, and its `self->` variables go with it. A source that sees threads end
    /// says so after their last event, for what the consumer keeps; the kernel frees what it keeps itself.
    fn thread_ended(&mut self, _thread: Thread) {}
}

/// Why [`EventSource::wait`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The deadline passed, or something was delivered; call again.
    Again,
    /// The sink said stop, or an `exit` in the kernel part shut the gate.
    Stopped,
    /// All processes of `-c` and `-p` are gone, or the file of events is at its end.
    TargetsGone,
    /// The wake-up descriptor was readable (a signal).
    Woken,
    /// Probes have appeared that the environment did not have before; [`EventSource::renew`] may follow. Call again.
    Appeared,
}

/// A source of events. Calls come in this order: `attach`, then `BEGIN` clauses run, `open`, any number of `wait`s,
/// `shut`, then `END` clauses run, `KernelState::sweep`, `detach`.
pub trait EventSource {
    /// `bpf`, `ptrace`, `synthetic`: what the notice on stderr says.
    fn name(&self) -> &'static str;
    /// What can be probed here.
    fn environment(&self) -> &dyn Environment;
    /// What can be decided before an event leaves the kernel.
    fn capabilities(&self) -> Capabilities;
    /// How many CPUs events can come from, numbered from 0.
    fn cpus(&self) -> u32 {
        1
    }
    /// Whether the source itself fires `tick-…` probes (a recording, made-up events): the consumer's own timers then
    /// stay off.
    fn fires_ticks(&self) -> bool {
        false
    }
    /// Whether a read of a process's memory fails where its page is not in memory at that moment, although the process
    /// itself could read it: kernel programs cannot wait for a page.
    fn reads_only_resident_memory(&self) -> bool {
        false
    }
    /// Takes the sizes and rates that hold from the next `attach`: a program may set some that were not known when the
    /// source was made.
    fn configure(&mut self, _options: &Options) {}
    /// What a plan has more of than a kernel takes, if anything. If nothing, `attach` of this very plan may come next, and
    /// need not make the programs again.
    fn overflow(&mut self, _plan: &Plan) -> Option<Overflow> {
        None
    }
    /// What the kernel says of the programs of a plan as it checks them, a line a call, whether it takes them or not: for
    /// those who asked for it with `bpflog`. `attach` of this very plan comes next.
    fn verifier_log(&mut self, _plan: &Plan, _line: &mut dyn FnMut(&str)) -> Result<(), Error> {
        Ok(())
    }
    /// Loads and attaches; nothing fires into the plan before `open`.
    fn attach(&mut self, plan: &Plan) -> Result<(), Error>;
    /// What the user should know of the last `attach`, a line each.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Whether probes may appear while tracing goes on ([`Wait::Appeared`]). A program that waits for some must then be
    /// planned without a kernel part, so that its state can go over to the next plan.
    fn may_appear(&self) -> bool {
        false
    }
    /// Takes another plan of the same programs, without a kernel part, in the place of the one that is attached.
    fn renew(&mut self, _plan: &Plan) -> Result<(), Error> {
        Err(Error::new("this source cannot change what it traces"))
    }
    /// Opens the gate and lets a `-c` child go.
    fn open(&mut self) -> Result<(), Error>;
    /// Delivers events until `deadline`, a wake-up, or the end; records are drained and flushed as they come.
    fn wait(&mut self, deadline: Option<Instant>, sink: &mut dyn EventSink) -> Result<Wait, Error>;
    /// Delivers everything that happened up to now, without waiting: called before a tracer-fired probe runs.
    fn drain(&mut self, sink: &mut dyn EventSink) -> Result<Wait, Error>;
    /// Shuts the gate and delivers what is still under way.
    fn shut(&mut self, sink: &mut dyn EventSink) -> Result<(), Error>;
    /// What the user should know before a `detach` that takes long.
    fn detaching(&self) -> Option<String> {
        None
    }
    /// Takes apart what `attach` built. A `-p` target is left running; a `-c` child that still runs ends with the source.
    /// Once `impatient` says so, what would take long is left to others, and this process must end.
    fn detach(&mut self, impatient: &dyn Fn() -> bool) -> Result<(), Error>;
    /// The source's own state: variables and aggregations of the kernel part. `None` without one.
    fn kernel(&mut self) -> Option<&mut dyn KernelState> {
        None
    }
    /// What was lost since the last call.
    fn drops(&mut self) -> Drops {
        Drops::default()
    }
    /// How each `-c`/`-p` process that has gone ended, in order, since the last call.
    fn exited(&mut self) -> Vec<Exited> {
        Vec::new()
    }
}

/// A `-c` or `-p` process that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exited {
    /// Its process ID.
    pub pid: u32,
    /// Exit status, or the signal that ended it; `None` if it cannot be known (`-p` of another's child).
    pub how: Option<ExitedHow>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitedHow {
    /// By `exit`.
    Status(u8),
    /// By a signal.
    Signal(u8),
}

/// K-homed state, as tracer-fired clauses and the aggregation tables reach it.
pub trait KernelState {
    /// Reads a K-homed global, or with `keys` an element.
    fn get(&mut self, var: VarId, keys: &[Value]) -> Value;
    /// Writes one; zero or NULL removes an element. `false`: the store is full and nothing was written.
    fn set(&mut self, var: VarId, keys: &[Value], value: &Value) -> bool;
    /// Ends tracing (an `exit` in user space): no firing counts from now on, and none is under way any more when this
    /// returns. Without effect where events come one at a time, and nothing can happen between two calls.
    fn stop(&mut self) {}
    /// So many bytes of a CPU's buffer are taken by what a tracer-fired clause recorded (`bufpolicy=fill`): the kernel part
    /// counts what its own records take ([`crate::consumer::kept`]).
    fn kept(&mut self, cpu: u32, bytes: u64) {
        let _ = (cpu, bytes);
    }
    /// Flips the generation (a cut by a tracer-fired clause).
    fn cut(&mut self);
    /// Hands over, and removes from the kernel, everything that belongs to generations before `generation`; `None`
    /// takes the generation that is current now (after [`KernelState::cut`]), or everything once the gate is shut.
    /// One call per key, site and CPU; the values merge in any order. Waits until no program can still be writing there.
    fn sweep(&mut self, generation: Option<u32>, take: &mut dyn FnMut(AggId, u32, Box<[Value]>, AggState));
    /// Hands over, and removes from the kernel, the stacks that numbers of the kernel part stand for
    /// ([`dtrail_lang::plan::stacks`]): number, packed words, when it was first seen.
    fn stacks(&mut self, take: &mut dyn FnMut(u64, &[u64], u64)) {
        let _ = take;
    }
    /// Whether so many stacks wait to be handed over that there may soon be no room for more.
    fn stacks_waiting(&mut self) -> bool {
        false
    }
    /// Which speculations are in use, if the kernel part keeps that ([`Plan::speculations`](dtrail_lang::plan::Plan)).
    fn speculations(&mut self) -> Option<&mut dyn Words> {
        None
    }
    /// Status of an `exit` that the kernel part decided, `None` while none did. It reaches the consumer even if the
    /// record of its firing was lost.
    fn exit_status(&mut self) -> Option<i64>;
}

/// The words of a system's error as C programs print them, without Rust's ` (os error N)`: what every message shows.
pub fn reason(error: &io::Error) -> String {
    plain(&error.to_string())
}

/// A text that may hold such an error, made elsewhere, in the same form.
pub fn plain(text: &str) -> String {
    text.split(" (os error ").next().unwrap_or_default().to_owned()
}

/// The machine said no: what was tried, why it failed, what the user can do. Printed from intent to cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What failed, in DTrace's wording where it has one, e.g. `No such process`.
    pub message: String,
    /// What the user can do, one line.
    pub help: Option<String>,
    /// The message says it all: what was intended around it does not come before it.
    whole: bool,
    /// What the plan has too much of for the kernel, if a plan with less in it may do.
    pub overflow: Option<Overflow>,
}

impl Error {
    /// An error with a message only.
    pub fn new(message: impl Into<String>) -> Error {
        Error { message: message.into(), help: None, whole: false, overflow: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    /// Says that a plan with less in the kernel may do.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> Error {
        self.overflow = Some(overflow);
        self
    }

    /// Puts the intent before the message: `intent: message`, unless the message is whole.
    #[must_use]
    pub fn context(mut self, intent: &str) -> Error {
        if !self.whole {
            self.message = format!("{intent}: {}", self.message);
        }
        self
    }

    /// Lets no further intent come before the message: what DTrace says in these words and no others.
    #[must_use]
    pub fn whole(mut self) -> Error {
        self.whole = true;
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    /// Its words; what was intended is put before them by [`Error::context`].
    fn from(error: io::Error) -> Error {
        Error::new(reason(&error))
    }
}
