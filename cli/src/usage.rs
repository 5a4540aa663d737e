//! What `--help`, `-V` and a usage error print.

/// The short usage text, after an error.
pub(crate) fn short(progname: &str) -> String {
    format!(
        "Usage: {progname} [-64] [-BCeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]] [-I path] [-L path]
        [-o output] [-p pid] [-s script] [-U name] [-x opt[=val]] [-X a|c|s|t]
        [--source auto|bpf|ptrace|synthetic=FILE]
        [--engine interp|jit|rbpf|bpf] [--explain] [--dump ast|ir|ebpf|clif]
        [--format text|json|folded]
        [-P provider[[predicate]action]] [-m [provider:]module[...]] [-f [[provider:]module:]func[...]]
        [-n [[[provider:]module:]func:]name[...]] [-i probe-id[...]] [args ...]
Try '{progname} --help'.
"
    )
}

/// The text of `--help`.
pub(crate) fn long(progname: &str) -> String {
    format!(
        "Usage: {progname} [OPTIONS] [ARGS]

Traces with D programs. ARGS become $1, $2, … of every program.

Programs:
  -n CLAUSE          a clause: [[[provider:]module:]function:]name, [/predicate/] [{{ actions }}]
  -s FILE            a script, - for standard input; may be given several times, and mixed with -n
  -C                 run scripts through cpp first; -D NAME[=VALUE], -U NAME, -I DIR, -H and -X a|c|s|t are its own
  -L DIR             compile the library files of DIR first
  -P, -m, -f CLAUSE  as -n, but the description names a provider, a module or a function
  -i ID[...]         as -n, for the probe with this ID

What is traced:
  -c COMMAND         run COMMAND, trace until it ends; its process ID is $target
  -p PID             trace until process PID ends
  --source SOURCE    where events come from: auto (default), bpf (root), ptrace (your own commands, with -c),
                     synthetic=FILE (made-up events)
  --engine ENGINE    what runs the program: interp or jit (all in user space), and for made-up events rbpf or bpf
                     (kernel parts too); without it user space is interpreted, and compiled where it is hot

Output:
  -q                 print only what the program prints
  -F                 indent rows by entries and returns
  -o FILE            append the output to FILE
  -x NAME[=VALUE]    set an option, such as strsize=512 or aggsortkey
  -b SIZE            the principal buffer, as -x bufsize=SIZE
  --format FORMAT    text (default), json (an object a line), or folded (stacks for a flame graph)
  -v                 print stability reports
  -S                 show the code of each clause on standard error
  -B, -64            accepted: output is always buffered, programs are always 64-bit
  -w                 allow destructive actions
  -Z                 allow descriptions that match no probe

Instead of tracing:
  -l                 list probes; with -v their attributes and arguments
  -e                 compile only; with -v print stability reports
  -h                 write the C header of the provider definitions of -s FILE.d: FILE.h, or the file of -o
  -G                 write an object for a build that wants one beside that header: FILE.o, or the file of -o
  --explain          print what would run in the kernel and what not, and why
  --dump=FORM        print the program as ast, ir, ebpf or clif
  -V, --version, --help
"
    )
}

/// The text of `-V`: the language's version, with `-v` the tool's too.
pub(crate) fn version(progname: &str, verbose: bool) -> String {
    let mut text = format!("{progname}: dtrail D 2.0\n");
    if verbose {
        text +=
            &format!("This is dtrail {}, built for {}\n", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    }
    text
}
