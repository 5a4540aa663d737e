//! Names of what is not a plain file at its path: run-time code, deleted files, other namespaces, stripped files, code that
//! replaced itself. Each as root through eBPF and as an ordinary user through ptrace, printed when the process is gone. What
//! cannot run here says `skipped: why`.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]

use std::path::PathBuf;
use std::process::Command;

use dtrail_conformance::engine::is_root;
use dtrail_conformance::workload::{built, skipped};
use dtrail_kernel_bridge::caps;

use everybody::{DTRAIL, ForEverybody};

mod everybody;

/// Whether dtrail runs with the rights of the tests or as nobody, and by which source.
const WAYS: [(&str, bool); 3] = [("bpf", false), ("ptrace", false), ("ptrace", true)];

/// The ways that are open here.
fn ways() -> Vec<(&'static str, bool)> {
    let open = |&(source, nobody): &(&str, bool)| match source {
        "bpf" => caps::can_bpf().map_err(|error| skipped(&error.message)).is_ok(),
        _ => !nobody || is_root(),
    };
    WAYS.into_iter().filter(open).collect()
}

/// Runs a program on a command in one of the ways: standard output and error.
fn run((source, nobody): (&str, bool), args: &[&str], program: &str, target: &str) -> (String, String) {
    let copy = ForEverybody::new();
    let mut command = if nobody { copy.command() } else { Command::new(DTRAIL) };
    command.args(["--source", source]).args(args).args(["-qn", program, "-c", target]);
    let out = command.output().expect("it starts");
    (String::from_utf8_lossy(&out.stdout).into_owned(), String::from_utf8_lossy(&out.stderr).into_owned())
}

/// The stacks of an aggregation's output, frames without offsets, the most frequent last.
fn stacks(text: &str) -> Vec<Vec<String>> {
    let (mut stacks, mut frames) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.parse::<u64>() {
            Ok(_) => stacks.push(std::mem::take(&mut frames)),
            Err(_) => frames.push(line.split('+').next().unwrap_or(line).to_owned()),
        }
    }
    stacks
}

/// Whether some stack of the output begins with these frames.
fn begins(text: &str, frames: &[&str]) -> bool {
    stacks(text)
        .iter()
        .any(|stack| stack.len() >= frames.len() && stack.iter().zip(frames).all(|(a, b)| a == b))
}

/// Samples of what the command starts.
const SAMPLES: &str = "profile-199 /pid == $target/ { @[ustack(5)] = count(); }";
const OF_CHILDREN: &str = "profile-199 /progenyof($target)/ { @[ustack(5)] = count(); }";

/// A folder that everybody may write to; gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("dtrail-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o1777)).expect("it is ours");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("plain").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A script of a folder, as a command line.
fn script(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.path(name);
    std::fs::write(&path, text).expect("there is room");
    format!("sh {path}")
}

const FRAMES: [&str; 2] = ["-O0", "-fno-omit-frame-pointer"];

#[test]
fn programs_of_every_shape() {
    let shapes: [(&str, &[&str]); 5] = [
        ("fixed", &["-no-pie"]),
        ("moved", &["-pie", "-fPIE"]),
        ("alone", &["-static"]),
        ("alonemoved", &["-static-pie", "-fPIE"]),
        // Stripped: the names are those of the dynamic symbols.
        ("dynamic", &["-rdynamic", "-s"]),
    ];
    for (name, flags) in shapes {
        let Some(path) = built(name, "shapes.c", &[&FRAMES, flags].concat()) else { continue };
        for way in ways() {
            let (out, err) = run(way, &[], SAMPLES, &format!("{path} 200"));
            let expected = ["leaf", "caller", "main"].map(|function| format!("{name}`{function}"));
            assert!(begins(&out, &expected.each_ref().map(String::as_str)), "{name} {way:?}: {out}{err}");
        }
    }
}

#[test]
fn names_of_cpp_are_shown_as_in_the_source_on_request() {
    let Some(path) = built("mangled", "shapes.c", &[&FRAMES[..], &["-DMANGLED"]].concat()) else { return };
    for way in ways() {
        let (out, err) = run(way, &[], SAMPLES, &format!("{path} 200"));
        assert!(
            begins(&out, &["mangled`_ZN4work4leafEm", "mangled`_ZN4work6callerEm"]),
            "{way:?}: {out}{err}"
        );
        let (out, err) = run(way, &["-xdemangle"], SAMPLES, &format!("{path} 200"));
        let expected =
            ["mangled`work::leaf(unsigned long)", "mangled`work::caller(unsigned long)", "mangled`main"];
        assert!(begins(&out, &expected), "{way:?}: {out}{err}");
    }
}

#[test]
fn inlined_functions_are_shown_on_request() {
    let Some(path) = built("inlined", "shapes.c", &["-O1", "-g", "-DINLINED"]) else { return };
    let unwind = "-xunwind=dwarf";
    for way in ways() {
        let (out, err) = run(way, &[unwind], SAMPLES, &format!("{path} 200"));
        assert!(begins(&out, &["inlined`caller", "inlined`main"]), "{way:?}: {out}{err}");
        let (out, err) = run(way, &[unwind, "-xinlined"], SAMPLES, &format!("{path} 200"));
        assert!(
            begins(&out, &["inlined`leaf [inlined]", "inlined`caller", "inlined`main"]),
            "{way:?}: {out}{err}"
        );
        let folded = [unwind, "-xinlined", "--format", "folded"];
        let (out, err) = run(way, &folded, SAMPLES, &format!("{path} 200"));
        assert!(out.contains(";inlined`leaf_[i] "), "{way:?}: {out}{err}");
    }
}

#[test]
fn the_kernels_code_in_processes_has_names() {
    let Some(path) = built("clock", "shapes.c", &[&FRAMES[..], &["-DCLOCK"]].concat()) else { return };
    for way in ways() {
        let (out, err) = run(way, &[], SAMPLES, &format!("{path} 300"));
        if !out.contains("vdso`") {
            skipped("the time comes from a system call here");
            continue;
        }
        assert!(
            stacks(&out)
                .iter()
                .any(|stack| stack.first().is_some_and(|frame| frame.starts_with("vdso`__vdso_"))),
            "{way:?}: {out}{err}"
        );
    }
}

#[test]
fn each_image_of_a_process_has_its_own_names() {
    let Some(second) = built("second", "shapes.c", &[&FRAMES[..], &["-no-pie"]].concat()) else { return };
    let Some(first) = built("first", "shapes.c", &[&FRAMES[..], &["-no-pie", "-DNEXT"]].concat()) else {
        return;
    };
    for way in ways() {
        let (out, err) = run(way, &[], SAMPLES, &format!("{first} 200 {second}"));
        for expected in [["first`leaf", "first`caller"], ["second`leaf", "second`caller"]] {
            assert!(begins(&out, &expected), "{way:?}: {out}{err}");
        }
    }
}

#[test]
fn a_deleted_file_has_names() {
    let Some(path) = built("shapes", "shapes.c", &FRAMES) else { return };
    for way in ways() {
        let folder = Folder::new("deleted");
        let gone = folder.path("gone");
        // Another file takes its place, too.
        let text = format!(
            "cp {path} {gone}; exec 3<{gone}; rm {gone}; cp /bin/true {gone}; exec /proc/self/fd/3 300"
        );
        let (out, err) = run(way, &[], SAMPLES, &script(&folder, "script", &text));
        assert!(begins(&out, &["gone`leaf", "gone`caller", "gone`main"]), "{way:?}: {out}{err}");
    }
}

#[test]
fn run_time_code_has_the_names_of_its_file() {
    let Some(path) = built("jit", "jit.c", &FRAMES) else { return };
    if cfg!(not(target_arch = "x86_64")) {
        return skipped("the code is of x86-64");
    }
    for way in ways() {
        let program = "profile-199 /pid == $target/ { @[jstack(5)] = count(); }";
        let (out, err) = run(way, &[], program, &format!("{path} 200"));
        assert!(begins(&out, &["LWork;made()V", "jit`main"]), "{way:?}: {out}{err}");
        // Without a table of strings it has no names.
        let (out, err) = run(way, &[], SAMPLES, &format!("{path} 200"));
        assert!(!out.contains("LWork") && out.contains("jit`main"), "{way:?}: {out}{err}");
        let folder = Folder::new("link");
        let target = folder.path("secret");
        std::fs::write(&target, "0 ffffffffffff0000 secret\n").expect("there is room");
        let (out, err) = run(way, &[], program, &format!("{path} 200 {target}"));
        assert!(!out.contains("secret") && out.contains("jit`main"), "{way:?}: {out}{err}");
    }
    remove_maps();
}

/// Removes what earlier runs of the program that makes code have left; what runs now may be another test's.
fn remove_maps() {
    for entry in std::fs::read_dir("/tmp").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = || match std::fs::read_link(entry.path()) {
            Ok(to) => to.to_string_lossy().contains("dtrail-link-"),
            Err(_) => std::fs::read(entry.path()).is_ok_and(|text| text.starts_with(b"garbage\n")),
        };
        let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()?.elapsed().ok());
        let old = age.is_some_and(|age| age.as_secs() > 600);
        if old && name.starts_with("perf-") && name.ends_with(".map") && ours() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Whether namespaces of a kind can be made.
fn can_unshare(flags: &[&str]) -> bool {
    let made = Command::new("unshare").args(flags).arg("true").output();
    let can = made.is_ok_and(|out| out.status.success());
    if !can {
        skipped(&format!("unshare {} is refused", flags.join(" ")));
    }
    can
}

#[test]
fn a_file_that_only_its_own_mount_namespace_has() {
    if !can_unshare(&["-m"]) {
        return;
    }
    let Some(framed) = built("shapes", "shapes.c", &FRAMES) else { return };
    let Some(bare) = built("bare", "shapes.c", &["-O1", "-fomit-frame-pointer"]) else { return };
    for way in ways().into_iter().filter(|(_, nobody)| !nobody) {
        // Its unwind tables are there when it is gone, as its names are.
        for (path, options) in [(&framed, &[][..]), (&bare, &["-xunwind=dwarf"])] {
            let folder = Folder::new("mount");
            let place = folder.path("");
            let inner =
                format!("mount -t tmpfs tmpfs {place} && cp {path} {place}hidden && exec {place}hidden 300");
            let text = format!("exec unshare -m sh -c '{inner}'");
            let (out, err) = run(way, options, SAMPLES, &script(&folder, "script", &text));
            assert!(begins(&out, &["hidden`leaf", "hidden`caller", "hidden`main"]), "{way:?}: {out}{err}");
            assert!(!std::fs::exists(folder.path("hidden")).expect("it can be looked for"));
        }
    }
}

#[test]
fn run_time_code_of_another_mount_namespace_has_names() {
    if !can_unshare(&["-m"]) {
        return;
    }
    let Some(path) = built("jit", "jit.c", &FRAMES) else { return };
    if cfg!(not(target_arch = "x86_64")) {
        return skipped("the code is of x86-64");
    }
    for way in ways().into_iter().filter(|(source, nobody)| *source == "ptrace" && !nobody) {
        let folder = Folder::new("mount-jit");
        // Its `/tmp` is its own, and gone with it.
        let inner = format!("exec 3<{path}; mount -t tmpfs tmpfs /tmp && exec /proc/self/fd/3 200");
        let text = format!("exec unshare -m sh -c '{inner}'");
        let program = SAMPLES.replace("ustack", "jstack");
        let (out, err) = run(way, &[], &program, &script(&folder, "script", &text));
        assert!(begins(&out, &["LWork;made()V", "jit`main"]), "{way:?}: {out}{err}");
    }
}

#[test]
fn run_time_code_in_a_pid_namespace_goes_by_the_inner_number() {
    if !can_unshare(&["-p", "-f"]) {
        return;
    }
    let Some(path) = built("jit", "jit.c", &FRAMES) else { return };
    if cfg!(not(target_arch = "x86_64")) {
        return skipped("the code is of x86-64");
    }
    for way in ways().into_iter().filter(|(_, nobody)| !nobody) {
        let folder = Folder::new("pid");
        let program = OF_CHILDREN.replace("ustack", "jstack");
        // It is number 1 there.
        let text = format!("exec unshare -p -f {path} 300");
        let (out, err) = run(way, &[], &program, &script(&folder, "script", &text));
        assert!(out.contains("LWork;made()V"), "{way:?}: {out}{err}");
        remove_maps();
    }
}
