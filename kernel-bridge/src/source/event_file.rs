//! Files of made-up events: text in, [`EventFile`] out. `docs/synthetic.md` describes the format.
//!
//! Reading is pure: no file is opened, no clock is read. Any text gives a file or one error with its line and column,
//! never a panic.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use dtrail_lang::builtins::consts::register;
use dtrail_lang::builtins::rates::{Bare, parse_rate};
use dtrail_lang::builtins::vars::REGISTERS;
use dtrail_lang::env::{Environment, FiredBy, NoMatch, Probe, ProbeArg, ProbeId, ProbePattern};
use dtrail_lang::env::{ProviderStability, Stability};
use dtrail_lang::options::MAX_FRAMES;
use dtrail_vm::host::TaskInfo;

use super::event_memory::EventMemory;
use super::event_names::EventNames;
use super::event_words::{Attribute, Cursor, Word};
use super::synthetic_event::{ProbeName, SyntheticEvent};
use crate::env::{MacroValues, SourceEnvironment};
use crate::providers;

pub use super::event_words::ParseError;

/// A parsed file.
#[derive(Debug)]
pub struct EventFile {
    /// The clock when tracing begins: `timestamp` in `BEGIN`.
    pub start: u64,
    /// The wall clock at that moment.
    pub wall: i64,
    /// The tracer's identity: what `pid` and its kin read in `BEGIN`, `END` and `tick`.
    pub tracer: TaskInfo,
    /// The CPU that the tracer runs on.
    pub tracer_cpu: u32,
    /// Its registers, by their index in `uregs[]`; those beyond are 0.
    pub tracer_registers: Arc<[u64]>,
    /// Number of CPUs: at least one more than the highest that occurs.
    pub cpus: u32,
    /// What can be named: the provider table, and the probes that the file declares.
    pub environment: SourceEnvironment,
    /// What addresses are called.
    pub names: EventNames,
    /// What happens, in order of time.
    pub steps: Vec<Step>,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A probe fires. Boxed: it is far larger than the other kind.
    Fire(Box<SyntheticEvent>),
    /// Nothing but time passes, up to this moment; ticks fire.
    Pass(u64),
    /// A probe appears: its place among those that do ([`SourceEnvironment::appear`]).
    Appear(u64, usize),
}

impl Step {
    /// When it happens.
    pub fn time(&self) -> u64 {
        match self {
            Step::Fire(event) => event.time,
            Step::Pass(time) | Step::Appear(time, _) => *time,
        }
    }
}

/// The attributes of declared probes: made up, like the probes.
const DECLARED_STABILITY: ProviderStability = {
    let private = Stability { name: "Private", data: "Private", class: "Unknown" };
    ProviderStability { description: private, args: private }
};

impl EventFile {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<EventFile, ParseError> {
        let mut reader = Reader::default();
        let mut cursor = Cursor::new(text);
        while cursor.next_line() {
            reader.line(&mut cursor)?;
        }
        Ok(reader.finish())
    }
}

/// What has been read so far.
struct Reader {
    start: u64,
    wall: i64,
    tracer: Thread,
    cpus: u32,
    target: u32,
    declared: Vec<Probe>,
    /// The descriptions that the declared probes answer: their components, module and function also left empty.
    taken: HashSet<[Box<str>; 4]>,
    /// What can be named without any declaration; made when the first one needs it.
    undeclared: Option<SourceEnvironment>,
    /// Made when the first event needs it; nothing may be declared afterwards.
    environment: Option<SourceEnvironment>,
    /// The probes of words that events were made with, or that can mean a declared probe alone.
    found: HashMap<Box<str>, Probe>,
    threads: BTreeMap<u32, Thread>,
    /// The thread of events that name none.
    current: Option<u32>,
    memory: EventMemory,
    names: EventNames,
    now: u64,
    steps: Vec<Step>,
}

/// A thread and where it runs.
#[derive(Clone, Debug, Default)]
struct Thread {
    task: TaskInfo,
    cpu: u32,
    kernel_stack: Arc<[u64]>,
    user_stack: Arc<[u64]>,
    registers: Arc<[u64]>,
}

impl Default for Reader {
    fn default() -> Reader {
        let task = TaskInfo { pid: 1, tid: 1, execname: b"dtrail".to_vec(), ..TaskInfo::default() };
        Reader {
            start: 0,
            wall: 0,
            tracer: Thread { task, ..Thread::default() },
            cpus: 1,
            target: 0,
            declared: Vec::new(),
            taken: HashSet::new(),
            undeclared: None,
            environment: None,
            found: HashMap::new(),
            threads: BTreeMap::new(),
            current: None,
            memory: EventMemory::default(),
            names: EventNames::default(),
            now: 0,
            steps: Vec::new(),
        }
    }
}

/// The most CPUs a file may speak of.
const MAX_CPUS: u32 = 1024;

impl Reader {
    fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let Some(keyword) = cursor.word()? else { return Ok(()) };
        match keyword.text {
            "start" => self.start(cursor)?,
            "wall" => {
                let word = cursor.expect("a time")?;
                self.before_events(&word, "wall")?;
                self.wall = word.parse("a time", parse_time)? as i64;
            }
            "target" => {
                let word = cursor.expect("a process ID")?;
                self.before_events(&word, "target")?;
                self.target = word.number()?;
            }
            "cpus" => {
                let word = cursor.expect("a number of CPUs")?;
                let cpus: u32 = word.parse("a number of CPUs from 1 to 1024", |text| text.parse().ok())?;
                if !(1..=MAX_CPUS).contains(&cpus) {
                    return Err(word.error("expected a number of CPUs from 1 to 1024"));
                }
                self.cpus = self.cpus.max(cpus);
            }
            "tracer" => {
                self.before_events(&keyword, "tracer")?;
                for attribute in cursor.attributes()? {
                    self.tracer.set(&attribute)?;
                }
                self.see_cpu(self.tracer.cpu);
            }
            "thread" => self.thread(cursor)?,
            "stack" => self.stack(cursor, &keyword, |thread| &mut thread.kernel_stack)?,
            "ustack" => self.stack(cursor, &keyword, |thread| &mut thread.user_stack)?,
            "mapping" => self.name(cursor, EventNames::map)?,
            "symbol" => self.name(cursor, EventNames::symbol)?,
            "made" => self.name(cursor, EventNames::made)?,
            "probe" => self.declare(cursor)?,
            "memory" => self.memory(cursor)?,
            "unmap" => {
                let addr = cursor.expect("an address")?.parse("an address", parse_addr)?;
                let size = cursor.expect("a number of bytes")?.parse("a number of bytes", parse_addr)?;
                self.memory.unmap(addr, size);
            }
            "at" => self.at(cursor)?,
            _ => return Err(keyword.error(format!("unknown keyword `{}`", keyword.text))),
        }
        cursor.end_of_line()
    }

    /// Refuses a line that must stand before the first event.
    fn before_events(&self, word: &Word<'_>, what: &str) -> Result<(), ParseError> {
        if self.environment.is_none() {
            Ok(())
        } else {
            Err(word.error(format!("`{what}` must stand before the first `at`")))
        }
    }

    fn start(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let word = cursor.expect("a time")?;
        self.before_events(&word, "start")?;
        self.start = word.parse("a time", parse_time)?;
        self.now = self.start;
        Ok(())
    }

    /// `thread 100 pid=100 execname=cat`: declares a thread or changes one, and makes it the current one.
    fn thread(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let tid = cursor.expect("a thread ID")?.number()?;
        let mut thread = self.threads.get(&tid).cloned().unwrap_or_else(|| Thread::new(tid));
        for attribute in cursor.attributes()? {
            thread.set(&attribute)?;
        }
        self.see_cpu(thread.cpu);
        self.threads.insert(tid, thread);
        self.current = Some(tid);
        Ok(())
    }

    /// `stack 0xffffffff81000010 …`: the stack of the current thread from now on, innermost address first.
    fn stack(
        &mut self,
        cursor: &mut Cursor<'_>,
        keyword: &Word<'_>,
        which: fn(&mut Thread) -> &mut Arc<[u64]>,
    ) -> Result<(), ParseError> {
        let mut addresses = Vec::new();
        while let Some(word) = cursor.word()? {
            addresses.push(word.parse("an address", parse_addr)?);
        }
        if addresses.len() > MAX_FRAMES as usize {
            return Err(keyword.error(format!("a stack has at most {MAX_FRAMES} addresses")));
        }
        match self.current.and_then(|tid| self.threads.get_mut(&tid)) {
            Some(thread) => *which(thread) = addresses.into(),
            None => return Err(keyword.error("whose stack? put a `thread` line before")),
        }
        Ok(())
    }

    /// `symbol 100 0x401000 0x20 main`: what addresses of a process, or of the `kernel`, are called.
    fn name(
        &mut self,
        cursor: &mut Cursor<'_>,
        set: fn(&mut EventNames, Option<u32>, u64, u64, &str),
    ) -> Result<(), ParseError> {
        let whose = cursor.expect("a process ID or `kernel`")?;
        let pid = if whose.text == "kernel" { None } else { Some(whose.number()?) };
        let start = cursor.expect("an address")?.parse("an address", parse_addr)?;
        let size = cursor.expect("a number of bytes")?.parse("a number of bytes", parse_addr)?;
        let name = cursor.expect("a name")?;
        let name = String::from_utf8(name.bytes()?).map_err(|_| name.error("a name is text"))?;
        set(&mut self.names, pid, start, size, &name);
        Ok(())
    }

    /// `probe sdt:sched::wakeup "int" "char *user"`: a probe that the provider table lacks, and the types of its
    /// arguments.
    fn declare(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let word = cursor.expect("a probe")?;
        self.before_events(&word, "probe")?;
        let probe = self.declared_probe(cursor, &word)?;
        self.declared.push(probe);
        Ok(())
    }

    fn declared_probe(&mut self, cursor: &mut Cursor<'_>, word: &Word<'_>) -> Result<Probe, ParseError> {
        let parts: Vec<&str> = word.text.split(':').collect();
        let [provider, module, function, name] = parts[..] else {
            return Err(
                word.error("a declared probe needs all four components, provider:module:function:name")
            );
        };
        if provider.is_empty() || name.is_empty() || word.text.contains(['*', '?', '[', '\\']) {
            return Err(word.error("a declared probe needs a provider and a name, without wildcards"));
        }
        let mut args = Vec::new();
        while let Some(ty) = cursor.word()? {
            let ty = String::from_utf8(ty.bytes()?).map_err(|_| ty.error("a type is text"))?;
            let (ty, userland) = match ty.strip_suffix(" user") {
                Some(ty) => (ty.to_owned(), true),
                None => (ty, false),
            };
            args.push(ProbeArg { ty: ty.into(), userland });
        }
        let undeclared = self
            .undeclared
            .get_or_insert_with(|| SourceEnvironment::synthetic(MacroValues::default(), Vec::new()));
        let described =
            |module: &str, function: &str| [provider, module, function, name].map(Box::<str>::from);
        // A provider that is in no table has no probe but those declared. What this user may not look up does not count.
        let in_table = || undeclared.match_probes(&description(&parts)).is_ok();
        if self.taken.contains(&described(module, function))
            || (providers::by_name(provider).is_some() && in_table())
        {
            return Err(word.error(format!("probe `{}` exists already", word.text)));
        }
        for module in [module, ""] {
            self.taken.extend([function, ""].map(|function| described(module, function)));
        }
        Ok(Probe {
            id: ProbeId(0),
            provider: provider.into(),
            module: module.into(),
            function: function.into(),
            name: name.into(),
            fired_by: FiredBy::Source,
            args: args.into(),
            stability: DECLARED_STABILITY,
        })
    }

    /// `memory 0x1000 "text\0" 0a ff zero=16`: bytes at an address from now on.
    fn memory(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let at = cursor.expect("an address")?;
        let addr = at.parse("an address", parse_addr)?;
        let mut bytes = Vec::new();
        let mut any = false;
        while let Some(word) = cursor.word()? {
            any = true;
            if word.is_quoted() {
                bytes.extend(word.bytes()?);
            } else if let Some(count) = word.text.strip_prefix("zero=") {
                let count = count.parse::<usize>().ok().filter(|n| *n <= EventMemory::LIMIT);
                let Some(count) = count else {
                    return Err(word.error("expected zero=N with at most 16777216 bytes"));
                };
                bytes.resize(bytes.len() + count, 0);
            } else {
                let byte =
                    |text: &str| (text.len() == 2).then(|| u8::from_str_radix(text, 16).ok()).flatten();
                bytes.push(word.parse("two hexadecimal digits, a string or zero=N", byte)?);
            }
        }
        if !any {
            return Err(at.error("no bytes after the address"));
        }
        self.memory.write(addr, &bytes).map_err(|message| at.error(message))
    }

    /// `at 10ms` or `at +1us syscall::read:entry tid=100 args=3,0x1000,64`.
    fn at(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let word = cursor.expect("a time")?;
        let time = match word.text.strip_prefix('+') {
            Some(text) => parse_time(text).and_then(|step| self.now.checked_add(step)),
            None => parse_time(word.text),
        };
        // A clock past 63 bits would be negative where D prints it.
        let Some(time) = time.filter(|time| i64::try_from(*time).is_ok()) else {
            return Err(word.error(format!("expected a time, found `{}`", word.text)));
        };
        if time < self.now {
            return Err(word.error(format!("time goes back: {time} ns after {} ns", self.now)));
        }
        self.now = time;
        if self.environment.is_none() {
            self.environment = Some(self.make_environment());
        }
        let Some(word) = cursor.word()? else {
            self.steps.push(Step::Pass(time));
            return Ok(());
        };
        if word.text == "probe" {
            let word = cursor.expect("a probe")?;
            let probe = self.declared_probe(cursor, &word)?;
            let place = self.environment.as_mut().map_or(0, |environment| environment.add_late(probe));
            // What a word means may be two probes now.
            self.found.clear();
            self.steps.push(Step::Appear(time, place));
            return Ok(());
        }
        let Some(environment) = &self.environment else { return Err(word.error("no environment")) };
        let probe = match self.found.remove_entry(word.text) {
            Some(found) => found,
            None => (word.text.into(), find_probe(environment, &word)?),
        };
        let event = self.event(cursor, &word, &probe.1)?;
        self.found.insert(probe.0, probe.1);
        self.steps.push(Step::Fire(Box::new(event)));
        Ok(())
    }

    fn event(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: &Word<'_>,
        probe: &Probe,
    ) -> Result<SyntheticEvent, ParseError> {
        let attributes = cursor.attributes()?;
        let mut thread = match attributes.iter().rfind(|attribute| attribute.key.text == "tid") {
            Some(attribute) => {
                let tid = attribute.value.number()?;
                self.threads.get(&tid).cloned().unwrap_or_else(|| Thread::new(tid))
            }
            None => match self.current.and_then(|tid| self.threads.get(&tid)) {
                Some(thread) => thread.clone(),
                None => return Err(at.error("whose event? give tid=N, or a `thread` line before")),
            },
        };
        let mut args = [0; 10];
        let mut errno = None;
        for attribute in &attributes {
            let (key, value) = (&attribute.key, &attribute.value);
            match key.text {
                "tid" => {}
                "args" => {
                    for (i, text) in value.text.split(',').enumerate() {
                        let Some(arg) = args.get_mut(i) else {
                            return Err(value.error("at most 10 arguments"));
                        };
                        let found = || value.error(format!("expected an integer, found `{text}`"));
                        *arg = parse_int(text).ok_or_else(found)?;
                    }
                }
                "ret" => {
                    let result = value.parse("an integer", parse_int)?;
                    args[..2].fill(result);
                    if (-4095..0).contains(&result) {
                        errno.get_or_insert(-result as i32);
                    }
                }
                "errno" => errno = Some(value.number()? as i32),
                text => match arg_index(text) {
                    Some(i) => args[i] = value.parse("an integer", parse_int)?,
                    None => thread.set(attribute)?,
                },
            }
        }
        self.see_cpu(thread.cpu);
        Ok(SyntheticEvent {
            probe: ProbeName::of(probe),
            time: self.now,
            wall: self.wall.saturating_add((self.now - self.start) as i64),
            task: thread.task,
            cpu: thread.cpu,
            errno: errno.unwrap_or(0),
            args,
            kernel_stack: thread.kernel_stack,
            user_stack: thread.user_stack,
            registers: thread.registers,
            memory: self.memory.snapshot(),
        })
    }

    fn make_environment(&mut self) -> SourceEnvironment {
        let tracer = &self.tracer.task;
        let macros = MacroValues::made_up([
            ("target", i64::from(self.target)),
            ("pid", i64::from(tracer.pid)),
            ("ppid", i64::from(tracer.ppid)),
            ("uid", i64::from(tracer.uid)),
            ("euid", i64::from(tracer.uid)),
            ("gid", i64::from(tracer.gid)),
            ("egid", i64::from(tracer.gid)),
        ]);
        // A description without an empty component means one probe, and none of the table is called so.
        let whole =
            self.declared.iter().filter(|probe| !probe.module.is_empty() && !probe.function.is_empty());
        self.found = whole
            .map(|p| {
                let word = format!("{}:{}:{}:{}", p.provider, p.module, p.function, p.name);
                (word.into(), p.clone())
            })
            .collect();
        SourceEnvironment::synthetic(macros, std::mem::take(&mut self.declared))
    }

    fn see_cpu(&mut self, cpu: u32) {
        self.cpus = self.cpus.max(cpu + 1);
    }

    fn finish(mut self) -> EventFile {
        self.names.target = self.target;
        let mut environment = self.environment.take().unwrap_or_else(|| self.make_environment());
        environment.hide_late();
        EventFile {
            start: self.start,
            wall: self.wall,
            tracer: self.tracer.task,
            tracer_cpu: self.tracer.cpu,
            tracer_registers: self.tracer.registers,
            cpus: self.cpus,
            environment,
            names: self.names,
            steps: self.steps,
        }
    }
}

impl Thread {
    fn new(tid: u32) -> Thread {
        let task = TaskInfo { pid: tid, tid, ppid: 1, ..TaskInfo::default() };
        Thread { task, ..Thread::default() }
    }

    fn set(&mut self, attribute: &Attribute<'_>) -> Result<(), ParseError> {
        let value = &attribute.value;
        let task = &mut self.task;
        match attribute.key.text {
            "tid" => task.tid = value.number()?,
            "pid" => task.pid = value.number()?,
            "ppid" => task.ppid = value.number()?,
            "uid" => task.uid = value.number()?,
            "gid" => task.gid = value.number()?,
            "start" => task.start = value.parse("a time", parse_time)?,
            "vtimestamp" => task.on_cpu = value.parse("a time", parse_time)?,
            "curthread" => task.task_struct = value.parse("an address", parse_addr)?,
            "cpu" => {
                self.cpu = value.number()?;
                if self.cpu >= MAX_CPUS {
                    return Err(value.error("expected a CPU from 0 to 1023"));
                }
            }
            "execname" => {
                task.execname = value.bytes()?;
                if task.execname.len() > 15 || task.execname.contains(&0) {
                    return Err(value.error("a command name has at most 15 bytes and no NUL"));
                }
            }
            "uregs" => self.set_registers(value)?,
            key => return Err(attribute.key.error(format!("unknown attribute `{key}`"))),
        }
        Ok(())
    }

    /// `R_RDI:3,R_RIP:0x401000`: registers by their names in D. Those that are not named stay.
    fn set_registers(&mut self, value: &Word<'_>) -> Result<(), ParseError> {
        let mut registers = self.registers.to_vec();
        registers.resize(REGISTERS as usize, 0);
        for text in value.text.split(',') {
            let (name, number) = text.split_once(':').unwrap_or((text, ""));
            let place = register(name).and_then(|index| registers.get_mut(index as usize));
            let (Some(place), Some(number)) = (place, parse_int(number)) else {
                return Err(value.error(format!("expected R_NAME:INTEGER, found `{text}`")));
            };
            *place = number as u64;
        }
        self.registers = registers.into();
        Ok(())
    }
}

/// The one source-fired probe that a word names, all components or fewer.
fn find_probe(environment: &SourceEnvironment, word: &Word<'_>) -> Result<Probe, ParseError> {
    let parts: Vec<&str> = word.text.split(':').collect();
    if parts.len() > 4 {
        return Err(word.error(format!("`{}` has more than four components", word.text)));
    }
    let pattern = description(&parts);
    let found = match environment.match_probes(&pattern) {
        Ok(found) => found,
        Err(NoMatch::OtherSource(text) | NoMatch::Refused { text, .. }) => return Err(word.error(text)),
        Err(NoMatch::Zero) => {
            let close = environment.suggest(&pattern);
            let hint = if close.is_empty() {
                String::new()
            } else {
                format!("; did you mean {}?", close.join(", "))
            };
            return Err(word.error(format!("no probe `{}`{hint}", word.text)));
        }
    };
    match &found[..] {
        [probe] if probe.fired_by == FiredBy::Source => Ok(probe.clone()),
        [probe] => Err(word.error(format!("`{}` cannot be made up: dtrail fires it itself", probe.name))),
        _ => Err(word.error(format!("`{}` names {} probes, expected one", word.text, found.len()))),
    }
}

/// A description from its components, filled from the right.
fn description(parts: &[&str]) -> ProbePattern {
    let part = |from_right: usize| parts.iter().rev().nth(from_right).copied().unwrap_or("").to_owned();
    ProbePattern { provider: part(3), module: part(2), function: part(1), name: part(0) }
}

/// `arg0` to `arg9`.
fn arg_index(key: &str) -> Option<usize> {
    match key.strip_prefix("arg")?.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

/// Nanoseconds with an optional unit, at most 63 bits.
fn parse_time(text: &str) -> Option<u64> {
    if text.to_ascii_lowercase().ends_with("hz") {
        return None;
    }
    parse_rate(text, Bare::Nanoseconds).filter(|time| i64::try_from(*time).is_ok())
}

/// A decimal or `0x` hexadecimal integer of 64 bits, with an optional minus sign; large ones wrap to negative values.
fn parse_int(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(magnitude) => 0i64.checked_sub_unsigned(parse_addr(magnitude)?),
        None => Some(parse_addr(text)? as i64),
    }
}

fn parse_addr(text: &str) -> Option<u64> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, radix).ok() }
}

#[cfg(test)]
mod tests;
