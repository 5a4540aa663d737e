//! docs/functions.md says where each subroutine runs under eBPF: its table names all of them, and the planner agrees.

use std::collections::BTreeSet;

use dtrail::{Environment, Invocation};
use dtrail_lang::builtins::Func;

const PAGE: &str = include_str!("../../docs/functions.md");

/// The rows of the page's first table: subroutine, where, a call.
fn table() -> Vec<(&'static str, &'static str, &'static str)> {
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.splitn(3, " | ");
        let (name, place, call) = (cells.next()?, cells.next()?, cells.next()?);
        Some((name.strip_suffix('`')?, place, call.strip_prefix('`')?.strip_suffix('`')?))
    };
    PAGE.lines().filter_map(row).collect()
}

/// Where the planner puts a call, in the words of the page.
fn placed(call: &str, is_void: bool) -> &'static str {
    let body = if is_void { call.to_owned() } else { format!("trace({call})") };
    let args = [
        "-q",
        "-w",
        "-xstrict=no",
        "--source=synthetic=/dev/null",
        "--engine=rbpf",
        "--explain",
        "-n",
        &format!("syscall::write:entry {{ {body}; }}"),
    ];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = dtrail::run(Invocation {
        progname: "dtrail".into(),
        args: args.iter().map(std::ffi::OsString::from).collect(),
        environment: Environment::Fixed(Vec::new()),
        stdout: &mut out,
        stderr: &mut err,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        interrupts: None,
    });
    let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    assert_eq!(outcome.status, 0, "{call}: {err}");
    // rbpf stands for a kernel that offers it.
    if out.contains("  kernel: writes to the process") {
        return "kernel, if it may";
    }
    let mut captured = out.lines().filter_map(|line| line.strip_prefix("    $"));
    if captured.clone().any(|line| line.contains(" memory: ")) {
        "kernel reads, user space computes"
    } else if captured.any(|line| line.contains(&format!("`{call}`"))) {
        "kernel"
    } else {
        "user space"
    }
}

#[test]
fn the_page_has_every_subroutine() {
    let named: BTreeSet<&str> = table().into_iter().map(|(name, ..)| name).collect();
    // Those of the library alone, `dtrail_…`, are no part of D.
    let internal = |name: &str| name.starts_with('<') || name.starts_with("dtrail_");
    let known: BTreeSet<&str> =
        Func::ROWS.iter().map(|row| row.name).filter(|name| !internal(name)).collect();
    let missing: Vec<_> = known.difference(&named).collect();
    assert!(missing.is_empty(), "docs/functions.md lacks {missing:?}");
    assert!(named.is_subset(&known), "docs/functions.md names what is not there");
}

#[test]
fn the_planner_agrees_with_the_page() {
    for (name, place, call) in table() {
        let is_void = matches!(name, "bcopy" | "copyinto" | "copyout" | "copyoutstr");
        assert_eq!(placed(call, is_void), place, "{call}");
    }
}
