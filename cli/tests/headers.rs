//! `-C` with the headers of the system, and what `-D`, `-U`, `-I` and `-H` do (language spec §2.14, §5.6). Needs `cpp`; a
//! header that is not installed is left out. Needs no privilege.

#![allow(clippy::expect_used, reason = "a test fails by a panic, and its parts are no `#[test]` functions")]
#![allow(clippy::print_stdout, reason = "a test says why it was skipped")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A directory of its own for a test, gone with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("dtrail-headers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Scratch(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a temporary file");
    }

    /// Runs the script `a.d` with `-qC` and more; output, messages and status, the directory's name left out.
    fn run(&self, script: &str, args: &[&str]) -> (String, String, Option<i32>) {
        self.write("a.d", script);
        let mut command = Command::new(env!("CARGO_BIN_EXE_dtrail"));
        command.args(["-q", "-C", "-x", "errtags"]).args(args).arg("-s").arg(self.0.join("a.d"));
        let output = command.stdin(Stdio::null()).output().expect("it starts");
        let directory = format!("{}/", self.0.display());
        let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&directory, "");
        (plain(&output.stdout), plain(&output.stderr), output.status.code())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn no_cpp() -> bool {
    let absent = Command::new("cpp").arg("--version").output().is_err();
    if absent {
        println!("skipped: there is no cpp");
    }
    absent
}

/// Whether the preprocessor finds a header.
fn installed(header: &str) -> bool {
    let mut command = Command::new("cpp");
    command.args(["-include", header]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn headers_of_the_system() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("system");
    for (header, expressions, expected) in [
        ("sys/socket.h", "AF_INET, sizeof (struct sockaddr), offsetof(struct sockaddr, sa_data)", "2 16 2"),
        ("sys/types.h", "sizeof (off_t), sizeof (mode_t), sizeof (fd_set)", "8 4 128"),
        ("sys/stat.h", "S_IFDIR, sizeof (((struct stat *)0)->st_size), 1", "16384 8 1"),
        (
            "netinet/in.h",
            "sizeof (struct sockaddr_in), offsetof(struct sockaddr_in, sin_port), IPPROTO_TCP",
            "16 2 6",
        ),
        ("arpa/inet.h", "sizeof (struct in_addr), INADDR_LOOPBACK, sizeof (in_port_t)", "4 2130706433 2"),
        ("netinet/tcp.h", "TCP_ESTABLISHED, TCP_NODELAY, TCP_LISTEN", "1 1 10"),
        ("linux/tcp.h", "TCP_NODELAY, TCP_MAXSEG, TCP_CORK", "1 2 3"),
        (
            "linux/ip.h",
            "sizeof (struct iphdr), offsetof(struct iphdr, protocol), offsetof(struct iphdr, saddr)",
            "20 9 12",
        ),
        ("stdio.h", "BUFSIZ, EOF, SEEK_END", "8192 -1 2"),
        ("stdlib.h", "EXIT_FAILURE, sizeof (div_t), sizeof (ldiv_t)", "1 8 16"),
        ("string.h", "sizeof (size_t), 1, 2", "8 1 2"),
        ("regex.h", "REG_EXTENDED, sizeof (regmatch_t), REG_ICASE", "1 8 2"),
        ("signal.h", "SIGKILL, sizeof (siginfo_t), sizeof (sigset_t)", "9 128 128"),
        ("sys/time.h", "sizeof (struct timeval), offsetof(struct timeval, tv_usec), ITIMER_PROF", "16 8 2"),
        (
            "sys/resource.h",
            "sizeof (struct rusage), offsetof(struct rusage, ru_maxrss), RUSAGE_SELF",
            "144 32 0",
        ),
        ("sys/mman.h", "PROT_WRITE, MAP_SHARED, MS_SYNC", "2 1 4"),
        ("sys/un.h", "sizeof (struct sockaddr_un), offsetof(struct sockaddr_un, sun_path), 1", "110 2 1"),
        ("sys/uio.h", "sizeof (struct iovec), offsetof(struct iovec, iov_len), 1", "16 8 1"),
        ("fcntl.h", "O_CREAT, O_RDWR, F_GETFL", "64 2 3"),
        ("unistd.h", "SEEK_SET, R_OK, W_OK", "0 4 2"),
        ("errno.h", "ENOENT, EINTR, EACCES", "2 4 13"),
        ("time.h", "CLOCK_MONOTONIC, sizeof (struct tm), sizeof (struct timespec)", "1 56 16"),
        ("pthread.h", "PTHREAD_CREATE_DETACHED, sizeof (pthread_t), sizeof (pthread_once_t)", "1 8 4"),
        ("math.h", "FP_NAN, FP_INFINITE, FP_ZERO", "0 1 2"),
        ("complex.h", "1, 2, 3", "1 2 3"),
        ("stdatomic.h", "1, 2, 3", "1 2 3"),
        ("linux/bpf.h", "BPF_MAP_TYPE_HASH, BPF_JLT, sizeof (struct bpf_insn)", "1 160 8"),
        ("linux/perf_event.h", "PERF_TYPE_TRACEPOINT, PERF_COUNT_SW_CPU_CLOCK, 1", "2 0 1"),
        ("netdb.h", "AI_PASSIVE, EAI_AGAIN, sizeof (struct addrinfo)", "1 -3 48"),
        ("dirent.h", "DT_DIR, offsetof(struct dirent, d_name), 1", "4 19 1"),
        ("poll.h", "POLLIN, sizeof (struct pollfd), 1", "1 8 1"),
        (
            "sys/epoll.h",
            "EPOLLIN, sizeof (struct epoll_event), EPOLLET == 0x80000000",
            if cfg!(target_arch = "x86_64") { "1 12 1" } else { "1 16 1" },
        ),
        ("sys/types.h", "sizeof (register_t), sizeof (fsid_t), (register_t)-1", "8 8 -1"),
        ("sys/sysinfo.h", "sizeof (struct sysinfo), offsetof(struct sysinfo, mem_unit), 1", "112 104 1"),
        // What macros of these make of D's own words.
        ("errno.h", "errno, errno == ENOENT, ENOENT", "0 0 2"),
        ("stddef.h", "offsetof(max_align_t, __max_align_ld), sizeof (max_align_t), NULL == 0", "16 32 1"),
    ] {
        if !installed(header) {
            println!("skipped: {header} is not installed");
            continue;
        }
        let script =
            format!("#include <{header}>\nBEGIN {{ printf(\"%d %d %d\\n\", {expressions}); exit(0); }}\n");
        let got = scratch.run(&script, &[]);
        assert_eq!(got, (format!("{expected}\n\n"), String::new(), Some(0)), "{header}");
    }
}

#[test]
fn errors_have_the_lines_that_were_written() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("lines");
    scratch.write(
        "h.h",
        "#define ONE 1\n#pragma GCC system_header\nstatic inline int f(int a)\n{\n\treturn a;\n}\nstruct s { int a; };\n",
    );
    scratch.write("bad.h", "int x;\nint y z;\n");
    for (script, message) in [
        ("#include \"h.h\"\n\nBEGIN { x = ; }\n", "[D_SYNTAX] line 3: syntax error near \";\""),
        ("#include \"h.h\"\nBEGIN { }\nBEGIN { trace(f(ONE)); }\n", "[D_FUNC_UNDEF] line 3: "),
        ("#include \"bad.h\"\nBEGIN { }\n", "[D_SYNTAX] \"bad.h\", line 2: syntax error near \"z\""),
        // What C's headers may say is not D in the script.
        (
            "#include \"h.h\"\nstatic inline int g(int a) { return a; }\nBEGIN { }\n",
            "[D_SYNTAX] line 2: syntax error near \"inline\"",
        ),
        (
            "#include \"h.h\"\nint a __attribute__((unused));\nBEGIN { }\n",
            "[D_SYNTAX] line 2: syntax error near \"__attribute__\"",
        ),
        (
            "#include \"h.h\"\nstruct t { union { int a; }; };\nBEGIN { }\n",
            "[D_SYNTAX] line 2: syntax error near \";\"",
        ),
    ] {
        let (out, err, status) = scratch.run(script, &[]);
        let first = err.lines().next().unwrap_or("");
        assert!(
            first.starts_with(&format!("dtrail: failed to compile script a.d: {message}")),
            "{script}: {err}"
        );
        assert_eq!((out.as_str(), status), ("", Some(1)), "{script}");
    }
}

/// What a header does not finish ends with it: no clause of the script goes with it.
#[test]
fn unfinished_headers() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("unfinished");
    for (header, token) in [
        ("int f(void) {", "{"),
        ("int x = 5", "="),
        ("_Static_assert(1", "_Static_assert"),
        ("__attribute__((", "__attribute__"),
        ("int g __attribute__((unused", "__attribute__"),
    ] {
        scratch.write("h.h", &format!("#pragma GCC system_header\nint y;\n{header}\n"));
        let script = "BEGIN { trace(\"one\"); }\n#include \"h.h\"\nEND { trace(\"lost\"); }\n";
        let (out, err, status) = scratch.run(script, &[]);
        let first = err.lines().next().unwrap_or("");
        let expected = format!(
            "dtrail: failed to compile script a.d: [D_SYNTAX] \"h.h\", line 3: syntax error near \"{token}\""
        );
        assert_eq!((out.as_str(), first, status), ("", expected.as_str(), Some(1)), "{header}");
    }
}

/// Types of included files come before those of D (language spec §5.6).
#[test]
fn types_of_included_files() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("types");
    scratch.write(
        "h.h",
        "#pragma GCC system_header\nstruct s { int a; long b; };\ntypedef struct s s_t;\ntypedef struct s s_t;\nenum e { A = 3, SIGKILL = 9 };\n\
         struct t { union { int a; char b[8]; }; struct { short c; short d; }; };\n",
    );
    for (script, expected) in [
        ("BEGIN { printf(\"%d %d %d\", sizeof (s_t), A, SIGKILL); exit(0); }", "16 3 9\n"),
        (
            "struct s { char c; } v; BEGIN { printf(\"%d %d\", sizeof (struct s), sizeof (v)); exit(0); }",
            "16 1\n",
        ),
        ("typedef char s_t; BEGIN { printf(\"%d\", sizeof (s_t)); exit(0); }", "16\n"),
        (
            "struct t v; BEGIN { v.d = 7; v.a = 65; printf(\"%d %d %d %d\", sizeof (v), offsetof(struct t, d), v.d, v.b[0]); exit(0); }",
            "12 10 7 65\n",
        ),
    ] {
        let got = scratch.run(&format!("#include \"h.h\"\n{script}\n"), &[]);
        assert_eq!(got, (expected.to_string(), String::new(), Some(0)), "{script}");
    }
}

#[test]
fn options_of_the_preprocessor() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("options");
    std::fs::create_dir_all(scratch.0.join("inc")).expect("a directory");
    scratch.write("inc/n.h", "#define N 5\n");
    let include = format!("-I{}", scratch.0.join("inc").display());
    let script = "#include <n.h>\n#ifdef __linux\n#define M 1\n#else\n#define M 2\n#endif\nBEGIN { printf(\"%d %d %d\", N, M, X); exit(0); }\n";
    let run = |args: &[&str]| scratch.run(script, args);
    let ok = |text: &str| (format!("{text}\n"), String::new(), Some(0));
    assert_eq!(run(&[&include, "-DX=3"]), ok("5 1 3"));
    assert_eq!(run(&["-I", &include[2..], "-D", "X"]), ok("5 1 1"));
    assert_eq!(run(&[&include, "-DX=3", "-U", "__linux"]), ok("5 2 3"));
    assert_eq!(
        run(&["-x", &format!("incdir={}", &include[2..]), "-x", "define=X=4", "-x", "undef=__linux"]),
        ok("5 2 4")
    );
    // -H lists what was included.
    let (out, err, status) = run(&[&include, "-DX=3", "-H"]);
    assert_eq!((out.as_str(), status), ("5 1 3\n", Some(0)));
    assert!(err.lines().any(|line| line.ends_with("inc/n.h")), "{err}");
    let (_, err, status) = run(&["-DX=3"]);
    assert!(err.contains("n.h: No such file or directory") && status == Some(1), "{err}");
    // Another preprocessor, with one more argument: here one that answers with a program of its own.
    let other = scratch.0.join("other");
    scratch.write("other", "#!/bin/sh\ncat > /dev/null\nfor a; do case $a in -more) echo 'BEGIN { printf(\"mine\"); exit(0); }';; esac; done\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&other, executable).expect("it is ours");
    assert_eq!(run(&["-x", &format!("cpppath={}", other.display()), "-x", "cppargs=-more"]), ok("mine"));
    // Without -C nothing of this is done.
    let output = Command::new(env!("CARGO_BIN_EXE_dtrail")).args(["-s"]).arg(scratch.0.join("a.d")).output();
    let err = String::from_utf8_lossy(&output.expect("it starts").stderr).into_owned();
    assert!(err.contains("line 1: invalid control directive"), "{err}");
}

/// The script is read by no compiler, the headers are as the machine's compiler reads them.
#[test]
fn no_compiler_for_the_script() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("compiler");
    let test = "#ifdef __GNUC__\n#define IN 1\n#else\n#define IN 0\n#endif\n";
    scratch.write("beside.h", &test.replace("IN", "BESIDE"));
    let script =
        format!("{test}#include <sys/types.h>\n#include \"beside.h\"\n{}", test.replace("IN", "AFTER"));
    let clause = "BEGIN { printf(\"%d %d %d %d\", IN, BESIDE, AFTER, sizeof (register_t)); exit(0); }\n";
    assert_eq!(scratch.run(&(script + clause), &[]), ("0 0 0 8\n".to_string(), String::new(), Some(0)));
}

/// What a script is told that uses a type which D cannot say.
#[test]
fn types_that_were_left_out() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("left-out");
    let header = "#pragma GCC system_header\n\nstruct big {\n\tint a;\n\t_Complex double z;\n};\ntypedef struct big big_t;\n\
                  struct bigger { struct big b; int c; };\ntypedef struct { __int128 w; } wide_t;\n\
                  enum __attribute__((packed)) tiny { T };\nstruct big *find(big_t *);\n";
    scratch.write("h.h", header);
    let of = |line: u32, name: &str, why: &str| {
        format!("  help: \"h.h\", line {line}: the definition of `{name}` is left out: {why}")
    };
    let big = || of(5, "struct big", "D has no `_Complex`");
    let wide = || of(9, "wide_t", "D has no `__int128`");
    for (script, tag, help) in [
        ("BEGIN { trace(((struct big *)arg0)->a); }", "D_OP_INCOMPLETE", big()),
        ("BEGIN { trace(((big_t *)arg0)->z); }", "D_OP_INCOMPLETE", big()),
        ("BEGIN { trace((*(big_t *)arg0).a); }", "D_OP_INCOMPLETE", big()),
        ("BEGIN { trace(sizeof (struct big)); }", "D_SIZEOF_TYPE", big()),
        ("BEGIN { trace(sizeof (big_t)); }", "D_SIZEOF_TYPE", big()),
        ("BEGIN { trace(offsetof(struct big, a)); }", "D_OFFSETOF_TYPE", big()),
        ("BEGIN { this->p = (struct big *)arg0; trace(this->p + 1); }", "D_OP_INCOMPLETE", big()),
        ("struct big v;", "D_DECL_INCOMPLETE", big()),
        ("self struct big v;", "D_DECL_INCOMPLETE", big()),
        ("struct big v[2];", "D_DECL_INCOMPLETE", big()),
        ("struct mine { big_t b; };", "D_DECL_INCOMPLETE", big()),
        (
            "BEGIN { trace(sizeof (struct bigger)); }",
            "D_SIZEOF_TYPE",
            of(8, "struct bigger", "D has no `_Complex`"),
        ),
        ("BEGIN { trace(((wide_t *)arg0)->w); }", "D_UNKNOWN", wide()),
        ("wide_t v;", "D_UNKNOWN", wide()),
        ("BEGIN { trace(sizeof (wide_t)); }", "D_UNKNOWN", wide()),
        ("enum tiny v;", "D_DECL_INCOMPLETE", of(10, "enum tiny", "D has no enum of another size")),
    ] {
        let (out, err, status) = scratch.run(&format!("#include \"h.h\"\n{script}\nBEGIN {{ }}\n"), &[]);
        let first = err.lines().next().unwrap_or("");
        assert!(
            first.starts_with(&format!("dtrail: failed to compile script a.d: [{tag}] line 2: ")),
            "{script}: {err}"
        );
        assert_eq!(
            (out.as_str(), err.lines().last(), status),
            ("", Some(help.as_str()), Some(1)),
            "{script}"
        );
    }
    // Pointers to them are said, and a script may define such a type by itself.
    let script = "#include \"h.h\"\nstruct big *p;\ntypedef struct mine { int x; } wide_t;\n\
                  BEGIN { p = 0; printf(\"%d %d\", sizeof (wide_t), sizeof (big_t *)); exit(0); }\n";
    assert_eq!(scratch.run(script, &[]), ("4 8\n".to_string(), String::new(), Some(0)));
}

/// D's types that stand before a header which has them too: from there on C's are found (language spec §5.6).
#[test]
fn types_before_included_files() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("before");
    scratch.write(
        "h.h",
        "#pragma GCC system_header\nstruct s { int a; long b; };\ntypedef struct s s_t;\nunion u { long l; };\nenum e { RED = 5 };\n",
    );
    // A file of the script's own counts as included, too.
    scratch.write(
        "own.d",
        "struct s { int a; long b; };\ntypedef struct s s_t;\nunion u { long l; };\nenum e { RED = 5 };\n",
    );
    for file in ["h.h", "own.d"] {
        for (before, after, expected) in [
            (
                "struct s { char c; } v, *p;",
                "BEGIN { v.c = 7; printf(\"%d %d %d %d\", sizeof (struct s), sizeof (v), sizeof (*p), v.c); exit(0); }",
                "16 1 1 7\n",
            ),
            (
                "struct s { char c; }; typedef struct s s_t; s_t v;",
                "s_t w; BEGIN { printf(\"%d %d\", sizeof (v), sizeof (w)); exit(0); }",
                "1 16\n",
            ),
            (
                "typedef char s_t; s_t v;",
                "BEGIN { printf(\"%d %d\", sizeof (s_t), sizeof (v)); exit(0); }",
                "16 1\n",
            ),
            (
                "union u { char c; } v;",
                "BEGIN { printf(\"%d %d\", sizeof (union u), sizeof (v)); exit(0); }",
                "8 1\n",
            ),
            ("enum e { BLUE = 3 };", "BEGIN { printf(\"%d %d\", RED, BLUE); exit(0); }", "5 3\n"),
            ("struct s *p;", "BEGIN { printf(\"%d\", sizeof (*p)); exit(0); }", "16\n"),
            (
                "struct s { char c; }; translator struct s < int i > { c = i; };",
                "BEGIN { printf(\"%d\", sizeof (struct s)); exit(0); }",
                "16\n",
            ),
        ] {
            let script = format!("{before}\n#include \"{file}\"\n{after}\n");
            assert_eq!(scratch.run(&script, &[]), (expected.to_string(), String::new(), Some(0)), "{script}");
        }
    }
}

/// An included file of D: its inlines, variables of threads and clauses, translators and clauses are as if they were written there.
#[test]
fn included_files_of_d() {
    if no_cpp() {
        return;
    }
    let scratch = Scratch::new("d-files");
    scratch.write(
        "lib.d",
        "#pragma D option strsize=32\ninline int limit = 3;\ninline string name[int n] = n == 0 ? \"none\" : \"some\";\n\
         self int depth;\nthis string text;\nint total;\nuint64_t last[int];\n\
         struct out { int twice; };\ntranslator struct out < int i > { twice = i * 2; };\n\
         BEGIN { self->depth = limit; total = 1; last[2] = 5; }\n",
    );
    let script = "#include \"lib.d\"\nBEGIN\n/self->depth == limit/\n{\n\tthis->text = name[total];\n\
                  \tprintf(\"%d %s %d %d %d %d\", self->depth, this->text, total, last[2], xlate<struct out>(21).twice, sizeof (this->text));\n\
                  \texit(0);\n}\n";
    assert_eq!(scratch.run(script, &[]), ("3 some 1 5 42 32\n".to_string(), String::new(), Some(0)));
    // An error there names the file and its line.
    scratch.write("bad.d", "self int depth;\ninline int limit = nobody;\n");
    let (_, err, status) = scratch.run("#include \"bad.d\"\nBEGIN { }\n", &[]);
    let first = err.lines().next().unwrap_or("");
    let expected = "dtrail: failed to compile script a.d: [D_IDENT_UNDEF] \"bad.d\", line 2: failed to resolve nobody: Unknown variable name";
    assert_eq!((first, status), (expected, Some(1)));
}
