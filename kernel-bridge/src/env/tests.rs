//! Matching, numbering and refusals, over the real provider table.

use dtrail_lang::env::FiredBy;

use super::*;

fn pattern(text: &str) -> ProbePattern {
    let mut parts: Vec<&str> = text.split(':').collect();
    while parts.len() < 4 {
        parts.insert(0, "");
    }
    let [provider, module, function, name] = [parts[0], parts[1], parts[2], parts[3]].map(str::to_owned);
    ProbePattern { provider, module, function, name }
}

fn full_name(probe: &Probe) -> String {
    format!("{}:{}:{}:{}", probe.provider, probe.module, probe.function, probe.name)
}

fn check(environment: &SourceEnvironment, text: &str, expected: &[&str]) {
    let names: Vec<String> = match environment.match_probes(&pattern(text)) {
        Ok(probes) => probes.iter().map(full_name).collect(),
        Err(NoMatch::Zero) => Vec::new(),
        Err(other) => panic!("{text}: {other:?}"),
    };
    assert_eq!(names, expected, "{text}");
}

#[test]
fn descriptions() {
    let environment = SourceEnvironment::bpf(None);
    for (text, expected) in [
        ("BEGIN", &["dtrace:::BEGIN"][..]),
        ("dtrace:::[BE]*", &["dtrace:::BEGIN", "dtrace:::END", "dtrace:::ERROR"]),
        ("dtrace:::!BEGIN", &[]),
        ("dtrace:::BEG?", &[]),
        ("syscall::read:entry", &["syscall:vmlinux:read:entry"]),
        ("syscall:vmlinux:read:", &["syscall:vmlinux:read:entry", "syscall:vmlinux:read:return"]),
        ("syscall:ext4:read:", &[]),
        ("read:entry", &["syscall:vmlinux:read:entry"]),
        (
            "syscall::pre*:entry",
            &[
                "syscall:vmlinux:pread64:entry",
                "syscall:vmlinux:preadv:entry",
                "syscall:vmlinux:preadv2:entry",
            ],
        ),
        ("syscall::exit_group:", &["syscall:vmlinux:exit_group:entry"]),
        (
            "syscall::rt_sigreturn:",
            &["syscall:vmlinux:rt_sigreturn:entry", "syscall:vmlinux:rt_sigreturn:return"],
        ),
        ("proc:::exec*", &["proc:vmlinux::exec", "proc:vmlinux::exec-failure", "proc:vmlinux::exec-success"]),
        ("proc:::start", &["proc:vmlinux::start"]),
        ("ghost:::x", &[]),
        ("profile-97", &["profile:::profile-97"]),
        ("tick-5*", &["profile:::tick-500", "profile:::tick-5000"]),
        ("profile-0", &[]),
        ("tick-199us", &[]),
    ] {
        check(&environment, text, expected);
    }
}

#[test]
fn aliases_find_the_primary_probe_once() {
    let environment = SourceEnvironment::bpf(None);
    for (text, expected) in [
        ("syscall::stat:entry", &["syscall:vmlinux:newstat:entry"][..]),
        ("syscall::newstat:entry", &["syscall:vmlinux:newstat:entry"]),
        ("syscall::fstatat:return", &["syscall:vmlinux:newfstatat:return"]),
        ("uname:entry", &["syscall:vmlinux:newuname:entry"]),
        ("syscall::pwrite:", &["syscall:vmlinux:pwrite64:entry", "syscall:vmlinux:pwrite64:return"]),
        ("syscall::umount*:entry", &["syscall:vmlinux:umount:entry"]),
        ("syscall::[fl]stat:entry", &["syscall:vmlinux:newfstat:entry", "syscall:vmlinux:newlstat:entry"]),
    ] {
        check(&environment, text, expected);
    }
}

#[test]
fn on_demand_probes_keep_their_number() {
    let environment = SourceEnvironment::bpf(None);
    let total = environment.listed.len() as u32;
    let id = |text: &str| environment.match_probes(&pattern(text)).map(|found| found[0].id.0);
    assert_eq!(id("tick-7ms"), Ok(total + 1));
    assert_eq!(id("profile:::profile-333"), Ok(total + 2));
    assert_eq!(id("profile:::tick-7ms"), Ok(total + 1));
    assert_eq!(id("tick-10"), Ok(12));
    let made = environment.probe_by_id(ProbeId(total + 1));
    assert_eq!(
        made.map(|probe| (full_name(&probe), probe.fired_by)),
        Some(("profile:::tick-7ms".into(), FiredBy::Tracer))
    );
    assert_eq!(environment.probe_by_id(ProbeId(total + 3)), None);
    assert_eq!(environment.probe_by_id(ProbeId(0)), None);
    check(&environment, "tick-7*", &["profile:::tick-7ms"]);
    check(&environment, "syscall:::tick-8ms", &[]);
    check(&environment, "prof*:::tick-8ms", &["profile:::tick-8ms"]);
}

#[test]
fn numbers_are_the_same_under_every_source() {
    let (bpf, ptrace) = (SourceEnvironment::bpf(None), SourceEnvironment::ptrace(None));
    for text in ["BEGIN", "tick-1", "proc:::exit", "syscall::write:return"] {
        let id = |environment: &SourceEnvironment| {
            environment.match_probes(&pattern(text)).map(|found| found[0].id)
        };
        assert_eq!(id(&bpf), id(&ptrace), "{text}");
    }
}

#[test]
fn both_sources_have_the_timers() {
    for environment in [SourceEnvironment::ptrace(None), SourceEnvironment::bpf(None)] {
        check(&environment, "profile-97", &["profile:::profile-97"]);
        check(&environment, "profile-1234", &["profile:::profile-1234"]);
    }
}

#[test]
fn refusals() {
    let environment = SourceEnvironment::bpf(None);
    let pid = std::process::id();
    for (text, tag, message) in [
        ("fbt::vfs_read:entry", "D_PDESC_ZERO", "provider `fbt` is not supported yet".to_owned()),
        ("pid0:::", "D_PROC_BADPID", "provider `pid0` has no valid process ID: 0".to_owned()),
        (
            "pid99999999999:::",
            "D_PROC_BADPID",
            "provider `pid99999999999` has no valid process ID: 99999999999".to_owned(),
        ),
        ("pid2147483647:::", "D_PROC_GRAB", "failed to grab process 2147483647: no such process".to_owned()),
        (&format!("pid{pid}:::"), "D_PDESC_ZERO", "provider `pid` is not supported yet".to_owned()),
        (
            &format!("node{pid}:::"),
            "D_PDESC_ZERO",
            format!("provider `node{pid}` (probes in a process) is not supported yet"),
        ),
    ] {
        assert_eq!(
            environment.match_probes(&pattern(text)),
            Err(NoMatch::Refused { tag, text: message }),
            "{text}"
        );
    }
}

#[test]
fn what_only_the_kernel_sees() {
    let environment = SourceEnvironment::ptrace(None);
    for name in ["fault", "signal-discard", "signal-handle", "signal-send"] {
        let text = format!("`proc:::{name}` needs source `bpf`: root, or CAP_BPF and CAP_PERFMON");
        assert_eq!(
            environment.match_probes(&pattern(&format!("proc:::{name}"))),
            Err(NoMatch::OtherSource(text))
        );
    }
    check(
        &environment,
        "proc:::lwp-*",
        &["proc:vmlinux::lwp-create", "proc:vmlinux::lwp-exit", "proc:vmlinux::lwp-start"],
    );
}

#[test]
fn typed_arguments() {
    let environment = SourceEnvironment::bpf(None);
    for (text, expected) in [
        ("syscall::write:entry", &[("unsigned int", false), ("char *", false), ("size_t", false)][..]),
        ("syscall::write:return", &[("long", false)]),
        ("syscall::fork:entry", &[]),
        ("proc:::exec", &[("string", true)]),
        ("proc:::create", &[("psinfo_t *", false)]),
        ("proc:::signal-send", &[("lwpsinfo_t *", false), ("psinfo_t *", false), ("int", false)]),
        ("proc:::lwp-exit", &[]),
        ("BEGIN", &[]),
    ] {
        let found = environment.match_probes(&pattern(text)).unwrap_or_default();
        let args: Vec<(&str, bool)> = found[0].args.iter().map(|arg| (&*arg.ty, arg.userland)).collect();
        assert_eq!(args, expected, "{text}");
    }
}

#[test]
fn macro_variables() {
    let environment = SourceEnvironment::bpf(Some(4711));
    assert_eq!(environment.macro_variable("target"), Some(4711));
    assert_eq!(environment.macro_variable("pid"), Some(i64::from(std::process::id())));
    assert_eq!(environment.macro_variable("projid"), None);
    let made_up = SourceEnvironment::synthetic(MacroValues::made_up([("target", 5)]), Vec::new());
    assert_eq!(made_up.macro_variable("target"), Some(5));
    assert_eq!(made_up.macro_variable("uid"), Some(0));
}

/// Whatever a tracepoint is given fits the places that `args[]` reads, and has a type that a register can have.
#[test]
fn arguments_of_tracepoints_are_values() {
    let environment = SourceEnvironment::bpf(None);
    let pattern = ProbePattern { provider: "rawtp".to_owned(), ..ProbePattern::default() };
    let Ok(probes) = environment.match_probes(&pattern) else {
        println!("skipped: no types of the kernel");
        return;
    };
    assert!(probes.len() > 100, "{}", probes.len());
    for probe in probes {
        assert!(probe.args.len() <= dtrail_lang::builtins::vars::ARGS as usize, "{}", probe.name);
        for arg in probe.args.iter().filter(|arg| !arg.ty.ends_with('*')) {
            let whole = arg.ty.starts_with("struct ") || arg.ty.starts_with("union ");
            assert!(!whole, "{}: {}", probe.name, arg.ty);
        }
    }
}
