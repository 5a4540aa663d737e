//! Descriptions that match no probe because another tracer writes them so, or because a timer's rate is none: what to
//! write instead. In: a pattern that matched nothing. Out: one sentence, or nothing.

use super::rates::{Bare, MIN_TIMER_PERIOD, UNITS, parse_rate};
use crate::env::ProbePattern;
use crate::stability::is_known_provider;

/// What follows the first word of a foreign description.
type Advice = fn(&[&str]) -> Option<String>;

/// First words of other tracers' descriptions.
const FOREIGN: &[(&[&str], Advice)] = &[
    (&["kprobe", "kfunc", "fentry", "k"], |rest| kernel_function(rest, "entry")),
    (&["kretprobe", "kretfunc", "fexit", "kr"], |rest| kernel_function(rest, "return")),
    (&["tracepoint", "t"], tracepoint),
    (&["rawtracepoint", "rt"], raw_tracepoint),
    (&["interval", "i", "tick"], |rest| timer("tick", rest)),
    (&["profile", "p"], |rest| timer("profile", rest)),
    (&["iter", "it"], |_| {
        Some(
            "D has no iterators over tasks and files: a probe tells of the thread that it fires in"
                .to_owned(),
        )
    }),
    (IN_PROCESSES, |_| Some(NOT_IN_PROCESSES.to_owned())),
    (&["software", "hardware", "s", "h"], |_| {
        Some("performance counters are not supported yet; `profile-97` samples every CPU".to_owned())
    }),
];

/// First words of other tracers' descriptions of probes in processes.
const IN_PROCESSES: &[&str] = &["uprobe", "uretprobe", "usdt", "u", "ur", "U"];

/// What is said of [`IN_PROCESSES`].
pub const NOT_IN_PROCESSES: &str = "probes in processes are not supported yet";

/// What does the job of the providers of a process meanwhile.
pub const MEANWHILE_IN_PROCESSES: &str =
    "`ustack()` at system calls and in `profile-997` tells what a process does meanwhile";

/// Advice for a description that D cannot read: one with the path of a program, `uprobe:/bin/bash:readline`.
pub fn unreadable(text: &str) -> Option<&'static str> {
    let (word, rest) = text.split_once(':')?;
    (IN_PROCESSES.contains(&word) && rest.starts_with(['/', '.'])).then_some(NOT_IN_PROCESSES)
}

/// Prefixes of the kernel's functions behind system calls.
const CALL_SYMBOLS: &[&str] =
    &["__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "do_sys_", "ksys_", "sys_"];

/// Functions that have the name of one system call and are behind another, which most programs make.
const BEHIND_OTHERS: &[(&str, &str)] = &[("do_sys_open", "openat"), ("do_sys_openat2", "openat")];

/// Groups of the kernel's trace events that perf and ftrace name before a colon, `sched:sched_switch`, and D elsewhere.
#[rustfmt::skip]
const GROUPS: &[&str] = &[
    "raw_syscalls", "syscalls", "sched", "block", "irq", "kmem", "net", "signal", "skb", "sock", "task", "tcp", "timer",
    "vmscan", "workqueue", "writeback",
];

/// Whether a word is a group of trace events that most kernels have.
pub fn is_event_group(word: &str) -> bool {
    GROUPS.contains(&word)
}

/// Advice for a description that matches nothing.
pub fn advice(pattern: &ProbePattern) -> Option<String> {
    let ProbePattern { provider, module, function, name } = pattern;
    if let Some(advice) = rate(name).or_else(|| rate_apart(provider, name)) {
        return Some(advice);
    }
    if let Some(advice) =
        dotted(name).filter(|_| [provider, module, function].iter().all(|part| part.is_empty()))
    {
        return Some(advice);
    }
    let parts = [provider.as_str(), module, function, name];
    let first = parts.iter().position(|part| !part.is_empty())?;
    let (word, rest) = (parts[first], &parts[first + 1..]);
    let foreign = FOREIGN.iter().find(|(words, _)| !rest.is_empty() && words.contains(&word));
    if let Some(advice) = foreign.and_then(|(_, advice)| advice(rest)) {
        return Some(advice);
    }
    // An underscore tells an event from a probe of D: `sched:on-cpu` has lost two colons.
    if let ("", true, true) = (provider.as_str(), GROUPS.contains(&word), name.contains('_')) {
        return tracepoint(&[word, name]);
    }
    (name == "exit" && matches!(provider.as_str(), "" | "syscall"))
        .then(|| "the end of a call is `return`".to_owned())
}

/// What is wrong with the rate of a timer.
fn rate(name: &str) -> Option<String> {
    let (kind, rate) = name.split_once('-').filter(|(kind, _)| matches!(*kind, "tick" | "profile"))?;
    let unit = rate.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &rate[..rate.len() - unit.len()];
    let known = unit.is_empty()
        || unit.eq_ignore_ascii_case("hz")
        || UNITS.iter().any(|(name, _)| unit.eq_ignore_ascii_case(name));
    if rate.contains(['*', '?', '[']) {
        return None;
    }
    if number.is_empty() {
        return Some(format!("a rate begins with a number: `{kind}-1s`, `{kind}-100hz`"));
    }
    if !known {
        return Some(format!("unknown unit `{unit}`: use ns, us, ms, s, m, h, d or hz"));
    }
    if number.bytes().all(|b| b == b'0') {
        return Some("a rate of 0 never fires".to_owned());
    }
    match parse_rate(rate, Bare::Hertz) {
        None => Some("the period is too long".to_owned()),
        Some(period) if period < MIN_TIMER_PERIOD => {
            let shortest = MIN_TIMER_PERIOD / 1000;
            Some(format!("the shortest period is {shortest}us: use `{kind}-{shortest}us`"))
        }
        Some(_) => None,
    }
}

/// `tick1s`, `profile_97`, `profile:::97`
fn rate_apart(provider: &str, name: &str) -> Option<String> {
    let kinds = ["tick", "profile"];
    let within =
        kinds.iter().find_map(|kind| Some((*kind, name.strip_prefix(kind)?.trim_start_matches('_'))));
    let apart = kinds.iter().find(|kind| **kind == provider).map(|kind| (*kind, name));
    let (kind, rate) = within.or(apart)?;
    parse_rate(rate, Bare::Hertz).map(|_| format!("timers are written `{kind}-{rate}`"))
}

/// `kprobe:do_sys_openat2`
fn kernel_function(rest: &[&str], name: &str) -> Option<String> {
    let function = rest.last()?;
    let other = BEHIND_OTHERS.iter().find(|row| row.0 == *function).map(|row| row.1);
    let call = other.or_else(|| CALL_SYMBOLS.iter().find_map(|prefix| function.strip_prefix(prefix)));
    Some(match call {
        Some(call) => format!("system calls are probed by name: `syscall::{call}:{name}`"),
        None => format!("this is `fbt::{function}:{name}`, and provider `fbt` is not supported yet"),
    })
}

/// `tracepoint:syscalls:sys_enter_openat`
fn tracepoint(rest: &[&str]) -> Option<String> {
    let [.., group, event] = rest else { return None };
    let names = [("sys_enter", "entry"), ("sys_exit", "return")];
    let call = names.iter().find_map(|(prefix, name)| Some((event.strip_prefix(prefix)?, name)));
    match (*group, call) {
        ("syscalls" | "raw_syscalls", Some((call, name))) => {
            let call = call.trim_start_matches('_');
            Some(format!("system calls are probed by name: `syscall::{call}:{name}`"))
        }
        _ => Some(format!("trace events of the kernel are written `sdt:{group}::{event}`")),
    }
}

/// `rawtracepoint:sched_switch`
fn raw_tracepoint(rest: &[&str]) -> Option<String> {
    let event = rest.last()?;
    Some(format!("tracepoints of the kernel are written `rawtp:::{event}`"))
}

/// `interval:s:5`, `profile:hz:99`, `tick:1s`
fn timer(kind: &str, rest: &[&str]) -> Option<String> {
    let rate = match rest {
        [rate] => (*rate).to_owned(),
        [unit, number] => format!("{number}{unit}"),
        _ => return None,
    };
    parse_rate(&rate, Bare::Hertz).map(|_| format!("timers are written `{kind}-{rate}`"))
}

/// `syscall.openat.entry`
fn dotted(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let [provider, function, name] = parts[..] else { return None };
    is_known_provider(provider).then(|| {
        format!("the parts of a description have colons between them: `{provider}::{function}:{name}`")
    })
}

/// What does the job of a provider that is not there yet: by provider and the beginning of the probe's name.
#[rustfmt::skip]
const INSTEAD: &[(&str, &str, &str)] = &[
    ("sched", "enqueue", "`rawtp:::sched_wakeup` fires when a thread becomes ready"),
    ("sched", "wakeup", "`rawtp:::sched_wakeup` fires when a thread becomes ready"),
    ("sched", "", "`rawtp:::sched_switch` fires when a CPU goes from one thread to another"),
    ("io", "done", "`sdt:block::block_rq_complete` fires when a request to a disk has ended"),
    ("io", "", "`sdt:block::block_rq_issue` fires when a request goes to a disk"),
    ("tcp", "", "`sdt:sock::inet_sock_set_state` fires when a connection changes its state; `dtrail -lm net`, as root, lists more"),
    ("udp", "", "`dtrail -lm net`, as root, lists trace events of the network"),
    ("ip", "", "`dtrail -lm net`, as root, lists trace events of the network"),
    ("lockstat", "", "`sdt:lock::contention_begin` fires when a thread begins to wait for a lock"),
    ("fbt", "", "the kernel's own trace points are `rawtp` and `sdt`: `dtrail -lP rawtp` lists them"),
];

/// What to trace instead of a probe whose provider is not there yet.
pub fn instead(pattern: &ProbePattern) -> Option<&'static str> {
    let ProbePattern { provider, name, .. } = pattern;
    INSTEAD.iter().find(|row| row.0 == provider && name.starts_with(row.1)).map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The advice for a description as it is written.
    fn of(text: &str) -> Option<String> {
        let mut parts: Vec<String> = vec![String::new(); 3 - text.matches(':').count()];
        parts.extend(text.split(':').map(str::to_owned));
        let [provider, module, function, name] = parts.try_into().expect("four parts");
        advice(&ProbePattern { provider, module, function, name })
    }

    #[test]
    fn descriptions_of_other_tracers() {
        for (text, expected) in [
            ("kprobe:vfs_read", "this is `fbt::vfs_read:entry`, and provider `fbt` is not supported yet"),
            ("kretprobe:vfs_read", "this is `fbt::vfs_read:return`, and provider `fbt` is not supported yet"),
            ("kprobe:__x64_sys_openat", "system calls are probed by name: `syscall::openat:entry`"),
            ("kprobe:do_sys_openat2", "system calls are probed by name: `syscall::openat:entry`"),
            ("kprobe:do_sys_open", "system calls are probed by name: `syscall::openat:entry`"),
            ("kretprobe:__x64_sys_open", "system calls are probed by name: `syscall::open:return`"),
            ("raw_syscalls:sys_enter", "system calls are probed by name: `syscall:::entry`"),
            ("syscalls:sys_exit_openat", "system calls are probed by name: `syscall::openat:return`"),
            ("sched:sched_switch", "trace events of the kernel are written `sdt:sched::sched_switch`"),
            ("sched::sched_switch", "trace events of the kernel are written `sdt:sched::sched_switch`"),
            (
                "iter:task",
                "D has no iterators over tasks and files: a probe tells of the thread that it fires in",
            ),
            (
                "tracepoint:syscalls:sys_enter_openat",
                "system calls are probed by name: `syscall::openat:entry`",
            ),
            ("tracepoint:syscalls:sys_exit_read", "system calls are probed by name: `syscall::read:return`"),
            ("tracepoint:raw_syscalls:sys_enter", "system calls are probed by name: `syscall:::entry`"),
            (
                "tracepoint:sched:sched_switch",
                "trace events of the kernel are written `sdt:sched::sched_switch`",
            ),
            ("rawtracepoint:sched_switch", "tracepoints of the kernel are written `rawtp:::sched_switch`"),
            ("interval:s:5", "timers are written `tick-5s`"),
            ("interval:ms:100", "timers are written `tick-100ms`"),
            ("profile:hz:99", "timers are written `profile-99hz`"),
            ("tick:1s", "timers are written `tick-1s`"),
            ("tick:s:1", "timers are written `tick-1s`"),
            ("tick1s", "timers are written `tick-1s`"),
            ("profile_97", "timers are written `profile-97`"),
            ("profile:::97hz", "timers are written `profile-97hz`"),
            (
                "syscall.openat.entry",
                "the parts of a description have colons between them: `syscall::openat:entry`",
            ),
            ("uprobe:libc:malloc", "probes in processes are not supported yet"),
            ("syscall::read:exit", "the end of a call is `return`"),
            ("read:exit", "the end of a call is `return`"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "syscall::nosuch:entry",
            "proc:::exit",
            "interval:s",
            "interval:s:x",
            "kprobe",
            "",
            ":::",
            "sched:on-cpu",
            "sched:::sched_switch",
            "sched_switch",
            "read:sys_enter",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_does_the_job_meanwhile() {
        let of = |provider: &str, name: &str| {
            let pattern =
                ProbePattern { provider: provider.into(), name: name.into(), ..ProbePattern::default() };
            instead(&pattern)
        };
        let switch = "`rawtp:::sched_switch` fires when a CPU goes from one thread to another";
        assert_eq!(of("sched", "on-cpu"), Some(switch));
        assert_eq!(of("sched", "enqueue"), Some("`rawtp:::sched_wakeup` fires when a thread becomes ready"));
        assert_eq!(
            of("io", "start"),
            Some("`sdt:block::block_rq_issue` fires when a request goes to a disk")
        );
        assert_eq!(of("syscall", "entry"), None);
    }

    #[test]
    fn paths_of_programs() {
        for text in ["uprobe:/bin/bash:readline ", "usdt:./a.out:p:q", "ur:/lib/libc.so.6:malloc"] {
            assert_eq!(unreadable(text), Some("probes in processes are not supported yet"), "{text}");
        }
        for text in ["uprobe", "syscall:/bin", "uprobe:libc:malloc"] {
            assert_eq!(unreadable(text), None, "{text}");
        }
    }

    #[test]
    fn rates() {
        for (text, expected) in [
            ("tick-100us", "the shortest period is 200us: use `tick-200us`"),
            ("profile-10khz", "unknown unit `khz`: use ns, us, ms, s, m, h, d or hz"),
            ("profile:::profile-10000", "the shortest period is 200us: use `profile-200us`"),
            ("tick-5parsecs", "unknown unit `parsecs`: use ns, us, ms, s, m, h, d or hz"),
            ("tick-0", "a rate of 0 never fires"),
            ("tick-0s", "a rate of 0 never fires"),
            ("tick-sec", "a rate begins with a number: `tick-1s`, `tick-100hz`"),
            ("tick-99999999999999d", "the period is too long"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["tick-1s", "tick-*", "tock-0"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
