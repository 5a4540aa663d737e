//! Advice that depends on the machine and on the command line: what the kernel has instead of a name, and what an argument was
//! meant to be.

use super::*;
use crate::env::{KernelMember, KernelSymbol, KernelType, KernelTypeId, KernelTypes};
use crate::types::TagKind;

/// A kernel that lists functions only, and has one type.
struct Kernel {
    machine: Machine,
    lists_data: bool,
}

const TIMESPEC: KernelTypeId = KernelTypeId { object: 0, id: 1 };

impl KernelTypes for Kernel {
    fn find(&self, _: Option<&str>, tag: Option<TagKind>, name: &str) -> Option<KernelTypeId> {
        (tag == Some(TagKind::Struct) && name == "__kernel_timespec").then_some(TIMESPEC)
    }

    fn names(&self, tag: Option<TagKind>) -> Vec<String> {
        let names: &[&str] = match tag {
            Some(TagKind::Struct) => &["__kernel_timespec", "task_struct"],
            None => &["sector_count_t"],
            _ => &[],
        };
        names.iter().map(ToString::to_string).collect()
    }

    fn describe(&self, _: KernelTypeId) -> KernelType {
        KernelType::Record { kind: TagKind::Struct, tag: Some("__kernel_timespec".into()), bytes: 16 }
    }

    fn members(&self, _: KernelTypeId) -> Vec<KernelMember> {
        Vec::new()
    }

    fn enumerators(&self, _: KernelTypeId) -> Vec<(Arc<str>, i64)> {
        Vec::new()
    }

    fn parameters(&self, _: KernelTypeId) -> Vec<KernelTypeId> {
        Vec::new()
    }

    fn module_name(&self, _: KernelTypeId) -> Arc<str> {
        "vmlinux".into()
    }
}

impl Environment for Kernel {
    fn match_probes(&self, pattern: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        match pattern.provider.as_str() {
            "nfsv3" | "sysinfo" | "io" | "python7" => {
                let text = format!("provider `{}` is not supported yet", pattern.provider);
                Err(NoMatch::Refused { tag: "D_PDESC_ZERO", text })
            }
            "pid123" => {
                let text = "failed to grab process 123: no such process".to_owned();
                Err(NoMatch::Refused { tag: "D_PROC_GRAB", text })
            }
            _ => self.machine.match_probes(pattern),
        }
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        self.machine.probe_by_id(id)
    }

    fn macro_variable(&self, name: &str) -> Option<i64> {
        self.machine.macro_variable(name)
    }

    fn suggest(&self, pattern: &ProbePattern) -> Vec<String> {
        self.machine.suggest(pattern)
    }

    fn kernel_types(&self) -> Result<&dyn KernelTypes, String> {
        Ok(self)
    }

    fn kernel_symbol(&self, _: Option<&str>, name: &str) -> Result<Option<KernelSymbol>, String> {
        let function = name == "schedule";
        let known = function || (self.lists_data && name == "init_task");
        let symbol = KernelSymbol { ty: None, address: Some(4096), per_cpu: None, function, size: 0 };
        Ok(known.then_some(symbol))
    }
}

/// The message and the advice for a script with an argument.
fn told(source: &str, lists_data: bool, argument: &str) -> (String, Option<String>) {
    let mut sources = SourceMap::default();
    sources.add(Source { name: "a.d".into(), kind: SourceKind::Script, text: source.into() });
    let kernel = Kernel { machine: Machine::new(), lists_data };
    let args = ["a.d".to_string(), argument.to_string()];
    match crate::compile(&sources, &kernel, &mut Options { argref: true, ..Options::default() }, &args) {
        Ok(_) => panic!("accepted: {source}"),
        Err(error) => (error.message, error.help),
    }
}

#[test]
fn symbols_of_a_kernel_without_data() {
    let source = "BEGIN { trace(`linux_banner); }";
    let message = "failed to resolve `linux_banner: Unknown symbol name".to_string();
    let help =
        "/proc/kallsyms lists functions only: this kernel is built without CONFIG_KALLSYMS_ALL".to_string();
    assert_eq!(told(source, false, ""), (message.clone(), Some(help)));
    assert_eq!(told(source, true, ""), (message, None));
    let help = "two backquotes mean a symbol of a process; these are not supported yet".to_string();
    let message = "failed to resolve ``main: Unknown symbol name".to_string();
    assert_eq!(told("BEGIN { trace(``main); }", false, ""), (message, Some(help)));
}

#[test]
fn arguments_that_are_words() {
    let unknown = |word: &str| format!("failed to resolve {word}: Unknown variable name");
    let help = |number: u32| Some(format!("`$${number}` is the argument as a string"));
    for (source, argument, expected) in [
        ("BEGIN { trace($1); }", "nginx", (unknown("nginx"), help(1))),
        ("BEGIN /execname == $1/ { }", "nginx", (unknown("nginx"), help(1))),
        ("BEGIN { trace(nginx); }", "nginx", (unknown("nginx"), None)),
    ] {
        assert_eq!(told(source, true, argument), expected, "{source}");
    }
}

#[test]
fn types_that_the_kernel_calls_otherwise() {
    for (source, help) in [
        (
            "BEGIN { trace(sizeof (struct timespec)); }",
            "nothing is known of struct timespec: the kernel's is `struct __kernel_timespec`, and a script run with `-C` may \
             include the header",
        ),
        ("BEGIN { trace(sizeof (struct task_strct)); }", "did you mean struct task_struct?"),
        ("BEGIN { trace(((struct task_strct *)arg0)->pid); }", "did you mean struct task_struct?"),
        ("struct task_strct v; BEGIN { }", "did you mean struct task_struct?"),
        ("BEGIN { trace(sizeof (struct vmlinux`task_strct)); }", "did you mean struct task_struct?"),
        ("BEGIN { trace((sector_cuont_t)1); }", "did you mean sector_count_t?"),
        ("BEGIN { trace(sizeof (sector_cuont_t)); }", "did you mean sector_count_t?"),
        (
            "BEGIN { trace(sizeof (struct ghost)); }",
            "nothing is known of struct ghost: a script run with `-C` may include the header that defines it",
        ),
    ] {
        assert_eq!(told(source, true, "").1.as_deref(), Some(help), "{source}");
    }
}

#[test]
fn providers_of_other_systems() {
    let unsupported = |provider: &str| format!("provider `{provider}` is not supported yet");
    for (source, message, help) in [
        (
            "nfsv3:::op-read-start { }",
            "probe description nfsv3:::op-read-start does not match any probes".to_string(),
            Some("`nfsv3` is a provider of another system; Linux has no counterpart"),
        ),
        (
            "ghost:::x { }",
            "probe description ghost:::x does not match any probes".to_string(),
            Some("`-Z` permits descriptions that match nothing"),
        ),
        (
            "fsinfo:::read { }",
            "probe description fsinfo:::read does not match any probes".to_string(),
            Some("`fsinfo` is a provider of another system: `syscall` tells of calls on files"),
        ),
        (
            "sysinfo:::pread { }",
            unsupported("sysinfo"),
            Some("provider `sysinfo` counts for another system's kernel; Linux has no counterpart"),
        ),
        (
            "pid123::malloc:entry { }",
            "failed to grab process 123: no such process".to_string(),
            Some("probes in processes are not supported yet"),
        ),
        (
            "python7:::function-entry { }",
            unsupported("python7"),
            Some("`ustack()` at system calls and in `profile-997` tells what a process does meanwhile"),
        ),
        (
            "io::bdev_strategy:start { }",
            unsupported("io"),
            Some(
                "`bdev_strategy` is a function of another system's kernel: requests to disks start in `fbt::submit_bio:entry`, and \
                 provider `io` tells of them",
            ),
        ),
        (
            "io:::start { }",
            unsupported("io"),
            Some("`sdt:block::block_rq_issue` fires when a request goes to a disk"),
        ),
    ] {
        assert_eq!(told(source, true, ""), (message, help.map(str::to_string)), "{source}");
    }
}

/// What people who are new to D write, and what they are told.
#[test]
fn advice_for_newcomers() {
    let counts = "`@ = count()` counts, and `@ = sum(n)` adds";
    for (text, expected) in [
        ("BEGIN { self.x = 1; }", "variables are `self->x`"),
        ("BEGIN { this.x = 1; }", "variables are `this->x`"),
        ("BEGIN { @++; }", counts),
        ("BEGIN { @ += 2; }", counts),
        ("BEGIN { @ = count(); @++; }", counts),
        ("BEGIN { @a[pid]++; }", "`@a[pid] = count()` counts, and `@a[pid] = sum(n)` adds"),
        (
            "BEGIN /execname == ls/ { }",
            "strings stand in double quotes, `\"ls\"`, and a program on the command line in single ones, as in `-n 'BEGIN'`",
        ),
        ("BEGIN { trace(nsecs); }", "D has timestamp (and walltimestamp for the time of day) for that"),
        (
            "BEGIN { delete(@x); }",
            "a variable or element is deleted by storing 0 to it, an aggregation by `trunc(@name)`",
        ),
        ("syscall::read:entry { trace(args->buf); }", crate::check::errors::ARGUMENTS),
        (
            "END { printa(@a); } BEGIN { @a[1] = count(); }",
            "clauses are checked in the order of the text: move what makes @a up",
        ),
        (
            "END { clear(@); } BEGIN { @ = count(); }",
            "clauses are checked in the order of the text: move what makes @ up",
        ),
        ("io:::start { }", "`sdt:block::block_rq_issue` fires when a request goes to a disk"),
    ] {
        assert_eq!(told(text, false, "").1.as_deref(), Some(expected), "{text}");
    }
    assert_eq!(told("BEGIN { @++; }", false, "").0, "failed to resolve @_: Unknown variable name");
}

/// Words that want quotes, where a string is meant, and those that do not.
#[test]
fn words_without_quotes() {
    let quotes = |word: &str| {
        Some(format!(
            "strings stand in double quotes, `\"{word}\"`, and a program on the command line in single ones, as in `-n 'BEGIN'`"
        ))
    };
    let plain = |text: &str| Some(text.to_owned());
    for (text, expected) in [
        ("BEGIN /execname == cat/ { }", quotes("cat")),
        ("BEGIN /cat != execname/ { }", quotes("cat")),
        ("BEGIN /(execname) > (time)/ { }", quotes("time")),
        ("BEGIN /execname == firefox-bin && pid/ { }", quotes("firefox-bin")),
        ("BEGIN /execname == script.d/ { }", quotes("script.d")),
        ("BEGIN /execname == gdi/ { }", quotes("gdi")),
        ("BEGIN { x = strstr(execname, hist); }", quotes("hist")),
        ("BEGIN { x = strlen(hello); }", quotes("hello")),
        ("BEGIN { system(ls); }", quotes("ls")),
        ("BEGIN { printf(hello); }", quotes("hello")),
        ("BEGIN { self->s = \"\"; self->s = cat; }", quotes("cat")),
        // Strings under another name.
        ("BEGIN /comm == \"cat\"/ { }", plain("D has execname for that")),
        ("BEGIN /execname == comm/ { }", plain("D has execname for that")),
        ("BEGIN /execname == exename/ { }", plain("did you mean execname?")),
        ("BEGIN { command = \"\"; x = execname == comand; }", plain("did you mean command?")),
        // Numbers.
        (
            "BEGIN /pid == nsecs/ { }",
            plain("D has timestamp (and walltimestamp for the time of day) for that"),
        ),
        ("BEGIN /gdi == pid/ { }", plain("did you mean gid?")),
    ] {
        assert_eq!(told(text, false, "").1, expected, "{text}");
    }
}
