//! What a D program can name on this machine: the provider table as one event source can serve it.
//!
//! In: descriptions. Out: probes, or the reason why there are none. Numbers are the same under every source, so that a
//! script with `-i` means one thing. It opens `/proc/PID`, to tell a dead process from an unsupported provider, and what
//! the kernel says of its types and symbols when a program names one; no other file.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;

use dtrail_lang::builtins::foreign;
use dtrail_lang::env::{
    Environment, KernelSymbol, KernelTypes, MACRO_VARIABLES, NoMatch, PerCpu, Probe, ProbeId, ProbePattern,
    glob_match,
};
use dtrail_lang::options::TypeData;
use dtrail_vm::event::reason;

use crate::providers;
use crate::readers::kallsyms;
use crate::readers::tracefs;
use crate::readers::types::RunningTypes;
use crate::shortage;
use crate::sys;
use trace_events::TraceEvents;
use tracepoints::Tracepoints;

mod suggest;
mod trace_events;
mod tracepoints;

/// The values of `$pid` and its kin (language spec §2.13).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacroValues(HashMap<&'static str, i64>);

impl MacroValues {
    /// Of the calling process; `target` is the process of `-p` or `-c`.
    pub fn of_this_process(target: Option<u32>) -> MacroValues {
        use rustix::process::{getegid, geteuid, getgid, getppid, getuid};
        let (pgid, sid) = sys::group_and_session();
        let ppid = getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
        MacroValues(HashMap::from([
            ("egid", i64::from(getegid().as_raw())),
            ("euid", i64::from(geteuid().as_raw())),
            ("gid", i64::from(getgid().as_raw())),
            ("pgid", i64::from(pgid)),
            ("pid", i64::from(std::process::id())),
            ("ppid", i64::from(ppid)),
            ("sid", i64::from(sid)),
            ("target", i64::from(target.unwrap_or(0))),
            ("uid", i64::from(getuid().as_raw())),
        ]))
    }

    /// Made-up values; every name that is not given reads 0.
    pub fn made_up(values: impl IntoIterator<Item = (&'static str, i64)>) -> MacroValues {
        let mut all: HashMap<_, _> = MACRO_VARIABLES.into_iter().map(|name| (name, 0)).collect();
        all.extend(values.into_iter().filter(|(name, _)| MACRO_VARIABLES.contains(name)));
        MacroValues(all)
    }
}

/// Why a source cannot give a probe: `None` if it can, else a text that names the source that can.
pub type Refusal = fn(&Probe) -> Option<String>;

/// The number of the first probe that appears later.
const FIRST_LATE: u32 = 90_000;

/// The probes that exist, as one source can serve them.
#[derive(Debug)]
pub struct SourceEnvironment {
    /// The probes of the provider table, then those that the source itself adds; a probe's number is its position + 1.
    listed: Vec<Probe>,
    /// Those that appear while tracing goes on, with whether they have.
    late: Vec<(Probe, bool)>,
    /// Those made by being named; their numbers go on after `listed`.
    made: RefCell<Vec<Probe>>,
    refuses: Refusal,
    macros: MacroValues,
    /// The kernel's types, opened when a program first names one, or why there are none.
    types: OnceCell<Result<RunningTypes, String>>,
    /// Where they are read.
    type_data: TypeData,
    tracepoints: Tracepoints,
    trace_events: TraceEvents,
}

impl SourceEnvironment {
    /// Of the `bpf` source, which has everything.
    pub fn bpf(target: Option<u32>) -> SourceEnvironment {
        SourceEnvironment::new(|_| None, MacroValues::of_this_process(target), Vec::new())
    }

    /// Of the `ptrace` source.
    pub fn ptrace(target: Option<u32>) -> SourceEnvironment {
        SourceEnvironment::new(ptrace_refuses, MacroValues::of_this_process(target), Vec::new())
    }

    /// Of made-up events: everything, and the probes that the file of events declares. Those are renumbered.
    pub fn synthetic(macros: MacroValues, declared: Vec<Probe>) -> SourceEnvironment {
        SourceEnvironment::new(|_| None, macros, declared)
    }

    fn new(refuses: Refusal, macros: MacroValues, declared: Vec<Probe>) -> SourceEnvironment {
        let mut listed = providers::listed();
        for mut probe in declared {
            probe.id = ProbeId(listed.len() as u32 + 1);
            listed.push(probe);
        }
        SourceEnvironment {
            listed,
            late: Vec::new(),
            made: RefCell::new(Vec::new()),
            refuses,
            macros,
            types: OnceCell::new(),
            type_data: TypeData::default(),
            tracepoints: Tracepoints::default(),
            trace_events: TraceEvents::default(),
        }
    }

    /// Adds a probe that appears later; until [`SourceEnvironment::hide_late`] it can be named. Gives its place among
    /// those.
    pub fn add_late(&mut self, mut probe: Probe) -> usize {
        probe.id = ProbeId(FIRST_LATE + self.late.len() as u32);
        self.late.push((probe, true));
        self.late.len() - 1
    }

    /// Lets the probes that appear later be unknown.
    pub fn hide_late(&mut self) {
        self.late.iter_mut().for_each(|(_, there)| *there = false);
    }

    /// A probe that was to appear later is there.
    pub fn appear(&mut self, place: usize) {
        if let Some((_, there)) = self.late.get_mut(place) {
            *there = true;
        }
    }

    /// Whether there are probes that have not appeared yet.
    pub fn may_appear(&self) -> bool {
        self.late.iter().any(|(_, there)| !there)
    }

    /// Those that have appeared.
    fn appeared(&self) -> impl Iterator<Item = &Probe> {
        self.late.iter().filter(|(_, there)| *there).map(|(probe, _)| probe)
    }

    /// Says where the kernel's types are read, before anybody has asked for one.
    pub fn read_types_from(&mut self, data: &TypeData) {
        self.type_data = data.clone();
    }

    fn running_types(&self) -> &Result<RunningTypes, String> {
        self.types.get_or_init(|| RunningTypes::open(&self.type_data))
    }

    /// The probe of this name that a description names by its words alone: made on demand, or made before.
    fn made_for(&self, pattern: &ProbePattern) -> Option<Probe> {
        let accepts = |component: &str, text: &str| component.is_empty() || glob_match(component, text);
        let provider = providers::PROVIDERS.iter().copied().find(|provider| {
            accepts(&pattern.provider, provider.name)
                && accepts(&pattern.module, provider.module)
                && accepts(&pattern.function, "")
                && providers::on_demand(provider, &pattern.name, ProbeId(0)).is_some()
        })?;
        let mut made = self.made.borrow_mut();
        if let Some(probe) = made.iter().find(|probe| *probe.name == *pattern.name) {
            return Some(probe.clone());
        }
        let id = ProbeId((self.listed.len() + made.len()) as u32 + 1);
        let probe = providers::on_demand(provider, &pattern.name, id)?;
        made.push(probe.clone());
        Some(probe)
    }

    /// Whether tracepoints are worth a look: their provider is named, or nothing else fits, or all probes are asked for.
    fn may_be_tracepoint(&self, pattern: &ProbePattern, matched: &[Probe]) -> bool {
        let everything = [&pattern.provider, &pattern.module, &pattern.function, &pattern.name];
        match pattern.provider.as_str() {
            "" => matched.is_empty() || everything.iter().all(|component| component.is_empty()),
            provider => TRACEPOINTS.iter().any(|name| glob_match(provider, name)),
        }
    }

    /// Why a description that matches nothing here would match elsewhere or later.
    fn reason(&self, pattern: &ProbePattern) -> NoMatch {
        let provider = pattern.provider.as_str();
        if let Some(known) = providers::by_name(provider) {
            if provider == providers::sdt::PROVIDER.name
                && let Some(error) = tracefs::unreadable()
            {
                return NoMatch::OtherSource(match shortage::advice(&error) {
                    Some(advice) => {
                        format!("/sys/kernel/tracing cannot be read: {}; {advice}", reason(&error))
                    }
                    None => "provider `sdt` needs /sys/kernel/tracing, which root may read, and source `bpf`"
                        .to_owned(),
                });
            }
            if provider == providers::rawtp::PROVIDER.name {
                if let Err(why) = self.running_types() {
                    return NoMatch::OtherSource(why.clone());
                }
                if !pattern.module.is_empty() && tracefs::unreadable().is_some() {
                    return NoMatch::OtherSource(format!(
                        "which group a tracepoint is in only /sys/kernel/tracing tells, which root may read: leave it out, \
                         `rawtp:::{}`, and have CAP_BPF and CAP_PERFMON to trace it",
                        pattern.name
                    ));
                }
            }
            let missing = known.missing.iter().find(|missing| **missing == pattern.name);
            return missing
                .map_or(NoMatch::Zero, |name| unsupported(&format!("probe `{provider}:::{name}`")));
        }
        if provider.is_empty() && foreign::is_event_group(&pattern.module) && tracefs::unreadable().is_some()
        {
            return NoMatch::OtherSource(format!(
                "`{}` is a group of trace events, which /sys/kernel/tracing lists and root may read",
                pattern.module
            ));
        }
        if self.listed.iter().any(|probe| *probe.provider == *provider) {
            return NoMatch::Zero;
        }
        if providers::MISSING_PROVIDERS.contains(&provider) {
            return unsupported(&format!("provider `{provider}`"));
        }
        process_provider(provider).unwrap_or(NoMatch::Zero)
    }
}

/// The providers of the kernel's tracepoints.
const TRACEPOINTS: [&str; 2] = [providers::rawtp::PROVIDER.name, providers::sdt::PROVIDER.name];

/// The kernel's tracepoints are out of reach of who only traces processes.
fn ptrace_refuses(probe: &Probe) -> Option<String> {
    if TRACEPOINTS.contains(&&*probe.provider) {
        return Some(
            "tracepoints of the kernel need source `bpf`: root, or CAP_BPF and CAP_PERFMON".to_owned(),
        );
    }
    let of_bpf = *probe.provider == *providers::proc::PROVIDER.name
        && providers::proc::ONLY_BPF.contains(&&*probe.name);
    of_bpf.then(|| format!("`proc:::{}` needs source `bpf`: root, or CAP_BPF and CAP_PERFMON", probe.name))
}

fn unsupported(what: &str) -> NoMatch {
    NoMatch::Refused { tag: "D_PDESC_ZERO", text: format!("{what} is not supported yet") }
}

/// What to say of `pid123` and `name123` (language spec §4.4); `None` if it is no such name.
fn process_provider(provider: &str) -> Option<NoMatch> {
    let name = provider.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &provider[name.len()..];
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || digits.is_empty() || !name.chars().all(word) {
        return None;
    }
    let refused = |tag, text| Some(NoMatch::Refused { tag, text });
    match digits.parse::<i32>() {
        Err(_) | Ok(0) => {
            refused("D_PROC_BADPID", format!("provider `{provider}` has no valid process ID: {digits}"))
        }
        Ok(pid) if !Path::new(&format!("/proc/{pid}")).exists() => {
            refused("D_PROC_GRAB", format!("failed to grab process {pid}: no such process"))
        }
        Ok(_) if name == "pid" => Some(unsupported("provider `pid`")),
        Ok(_) => Some(unsupported(&format!("provider `{provider}` (probes in a process)"))),
    }
}

impl Environment for SourceEnvironment {
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        let mut matched: Vec<Probe> = self
            .listed
            .iter()
            .chain(self.appeared())
            .filter(|probe| matches(pattern, probe))
            .cloned()
            .collect();
        let asked_for = matched.iter().any(|probe| *probe.name == *pattern.name);
        if !asked_for && let Some(probe) = self.made_for(pattern) {
            matched.push(probe);
        } else if !asked_for {
            // A glob also finds what was made before, as `-l` shows it.
            matched.extend(self.made.borrow().iter().filter(|probe| matches(pattern, probe)).cloned());
        }
        if self.may_be_tracepoint(pattern, &matched) {
            let types = self.running_types().as_ref().ok();
            matched.extend(types.into_iter().flat_map(|types| self.tracepoints.matching(types, pattern)));
            matched.extend(self.trace_events.matching(types, pattern));
        }
        let mut refusal = None;
        matched.retain(|probe| match (self.refuses)(probe) {
            None => true,
            Some(text) => {
                refusal.get_or_insert(text);
                false
            }
        });
        match (matched.is_empty(), refusal) {
            (false, _) => Ok(matched),
            (true, Some(text)) => Err(NoMatch::OtherSource(text)),
            (true, None) => Err(self.reason(pattern)),
        }
    }

    fn kernel_types(&self) -> Result<&dyn KernelTypes, String> {
        match self.running_types() {
            Ok(types) => Ok(types),
            Err(why) => Err(why.clone()),
        }
    }

    fn kernel_symbol(&self, module: Option<&str>, name: &str) -> Result<Option<KernelSymbol>, String> {
        let types = self.running_types().as_ref().ok();
        let core = types.filter(|_| module.is_none_or(|m| m == "vmlinux"));
        if let Some((types, (ty, offset))) =
            core.and_then(|types| Some((types, types.per_cpu_variable(name)?)))
        {
            let way = types.way_to_own_cpu().ok_or(
                "nothing leads from a task to the variables of its CPU in this kernel, which was built without \
                 CONFIG_FAIR_GROUP_SCHED",
            )?;
            let per_cpu = Some(PerCpu { offset: way.offset.wrapping_add(i64::from(offset)), ..way });
            let ty = Some(ty);
            return Ok(Some(KernelSymbol { ty, address: Some(0), per_cpu, function: false, size: 0 }));
        }
        let ty = core.and_then(|types| types.variable(name));
        let found = kallsyms::find(module, name).map_err(|e| {
            format!("the kernel's symbols cannot be read from /proc/kallsyms: {}", reason(&e))
        })?;
        Ok(found.map(|symbol| KernelSymbol {
            ty,
            address: (symbol.address != 0).then_some(symbol.address),
            per_cpu: None,
            function: symbol.function,
            size: if symbol.function { symbol.size } else { 0 },
        }))
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        let index = (id.0 as usize).checked_sub(1)?;
        let made = || self.made.borrow().get(index.checked_sub(self.listed.len())?).cloned();
        let tracepoint = || {
            let types = self.running_types().as_ref().ok();
            let raw = types.and_then(|types| self.tracepoints.by_id(types, id));
            raw.or_else(|| self.trace_events.by_id(types, id))
        };
        let late = || self.appeared().find(|probe| probe.id == id).cloned();
        let probe = self.listed.get(index).cloned().or_else(made).or_else(late).or_else(tracepoint)?;
        (self.refuses)(&probe).is_none().then_some(probe)
    }

    fn macro_variable(&self, name: &str) -> Option<i64> {
        self.macros.0.get(name).copied()
    }

    fn suggest(&self, pattern: &ProbePattern) -> Vec<String> {
        // Tracepoints are read from the kernel, and therefore only where their provider was named.
        let tracepoints = ProbePattern { provider: pattern.provider.clone(), ..ProbePattern::default() };
        let named = matches!(&*pattern.provider, "rawtp" | "sdt");
        match named.then(|| self.match_probes(&tracepoints)) {
            Some(Ok(probes)) => suggest::suggest(&probes, pattern),
            _ => suggest::suggest(&self.listed, pattern),
        }
    }
}

/// Whether a description names a probe: each component empty, a glob that matches, or for the function an alias.
fn matches(pattern: &ProbePattern, probe: &Probe) -> bool {
    let component = |pattern: &str, text: &str| pattern.is_empty() || glob_match(pattern, text);
    component(&pattern.provider, &probe.provider)
        && component(&pattern.module, &probe.module)
        && component(&pattern.name, &probe.name)
        && providers::function_matches(&pattern.function, probe)
}

#[cfg(test)]
mod tests;
