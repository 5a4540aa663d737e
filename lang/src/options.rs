//! The options of a session (`-x`, `#pragma D option`, `DTRACE_OPT_*`; runtime spec §12.3-12.4, language spec §14): one
//! row per name.
//!
//! In: a name and a text. Out: a field of [`Options`], or the reason why not. An option whose feature is not there is
//! refused by name, never ignored; one that only sizes such a feature is accepted, since a program that uses the feature
//! is refused anyway.

mod values;

use values::{boolean, check_shape, number, rate, required, size, version, within};

use crate::check::suggest;
use crate::env::Stability;
use crate::plan::Placement;
use crate::stability::{self, Version};

/// How scripts are preprocessed (language spec §2.14).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preprocessor {
    /// `-C`: at all.
    pub run: bool,
    /// The program; `None` for `cpp`.
    pub path: Option<String>,
    /// `-D`, `-U`, `-I` and `cppargs`, in the order given.
    pub arguments: Vec<String>,
    /// `-H`: it names the files it includes.
    pub show_includes: bool,
    /// `-Xs`: it works as before ISO C.
    pub traditional: bool,
}

/// Where libraries are (language spec §1.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// `nolibs`: none at all.
    pub none: bool,
    /// `syslibdir`: a directory instead of the library that is built in.
    pub system: Option<String>,
    /// `-L` and `libdir`, in the order given.
    pub directories: Vec<String>,
    /// What the library that is built in would define and does not: types, variables and arrays, told to who names one.
    pub left_out: Vec<&'static str>,
    /// What it defines for a program that names one of them, known or not: for who misspells one.
    pub offered: Vec<&'static str>,
}

/// Where the command of `-c` stands when tracing begins (`evaltime`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalTime {
    /// Right after `execve`: nothing of it has run.
    #[default]
    Exec,
    /// `preinit`: at the entry of the program itself, behind the dynamic linker.
    Entry,
    /// `postinit` and `main`: at the call of `main`, behind all initialisers.
    Main,
}

/// What is told or written of the compilation besides its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// `core`: the tracer leaves a core file if it dies of a defect, whatever the soft limit.
    pub core: bool,
    /// `debug`: the passes are told on standard error.
    pub debug: bool,
    /// `verbose`: as `-S`.
    pub verbose: bool,
    /// `disasm`: which forms `-S` shows, the sum of 1 (as compiled), 2 (its parts), 4 (eBPF); 0 for the first.
    pub disasm: u32,
    /// `tree`: the programs are printed back as parsed.
    pub tree: bool,
    /// `ctypes`: where the types of included files are written.
    pub ctypes: Option<String>,
    /// `dtypes`: where the types that programs declare are written.
    pub dtypes: Option<String>,
}

/// Where the kernel's type data (BTF) is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeData {
    /// `ctfpath`: that of the core kernel; `None` for `/sys/kernel/btf/vmlinux`.
    pub kernel: Option<String>,
    /// `modpath`: the directory of that of modules; `None` for `/sys/kernel/btf`.
    pub modules: Option<String>,
}

/// Every option's value, with DTrace's defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `-q`: no rows, only what is printed.
    pub quiet: bool,
    /// `-w`
    pub destructive: bool,
    /// `-Z`: descriptions may match nothing.
    pub zdefs: bool,
    /// Words at the top level of a `-s` file are probe descriptions first (language spec §2.4).
    pub pspec: bool,
    /// Nothing but D: extensions are unknown.
    pub strict: bool,
    /// Missing `$N` are 0 or `""`.
    pub defaultargs: bool,
    /// The last argument need not be referenced.
    pub argref: bool,
    /// Messages carry their tag.
    pub errtags: bool,
    /// `-C` and what belongs to it.
    pub preprocessor: Preprocessor,
    /// `-L` and what belongs to it.
    pub libraries: Libraries,
    /// The least stability that programs may rely on.
    pub amin: Option<Stability>,
    /// The version of the language; names that came later are unknown.
    pub version: Version,
    /// Programs may be empty.
    pub empty: bool,
    /// Drop messages carry their tag.
    pub droptags: bool,
    /// `cpu`: only what this CPU fires.
    pub cpu: Option<u32>,
    /// Where the command of `-c` stands when tracing begins.
    pub evaltime: EvalTime,
    /// Longest string in bytes, without the NUL.
    pub strsize: u32,
    /// Bytes of `copyin` memory a clause may use.
    pub scratchsize: u32,
    /// What becomes of records.
    pub bufpolicy: BufPolicy,
    /// Whether sizes that cannot be had are lowered.
    pub bufresize: BufResize,
    /// Print by time.
    pub temporal: bool,
    /// Most bytes that `print` takes of what a pointer points to.
    pub printsize: u32,
    /// Most bytes that `pcap` takes of a packet.
    pub pcapsize: u32,
    /// How many speculations there can be at a time.
    pub nspec: u32,
    /// Nanoseconds until a speculation that was committed or discarded can be used again; 0: when the firing has ended.
    pub cleanrate: u64,
    /// `-F`: rows are indented by entries and returns.
    pub flowindent: bool,
    /// `trace` shows the bytes of every value.
    pub rawbytes: bool,
    /// Bytes of the principal buffer.
    pub bufsize: u64,
    /// Bytes of an aggregation's kernel map.
    pub aggsize: u64,
    /// Bytes for dynamic variables.
    pub dynvarsize: u64,
    /// Bytes of a speculation.
    pub specsize: u64,
    /// What the verifier says of every program for the kernel is told.
    pub bpflog: bool,
    /// Most bytes that are kept of what it says of one program.
    pub bpflogsize: u64,
    /// Say nothing about sizes that were lowered.
    pub quietresize: bool,
    /// Nanoseconds between drains; 0 leaves it to the source.
    pub switchrate: u64,
    /// Nanoseconds between looks at the drop counters.
    pub statusrate: u64,
    /// Nanoseconds between two looks at the aggregations; 0 looks when they are printed.
    pub aggrate: u64,
    /// Print what each CPU counted behind each value.
    pub aggpercpu: bool,
    /// Print counts and sums as rows of a distribution.
    pub agghist: bool,
    /// Print a histogram a line.
    pub aggpack: bool,
    /// Draw bars against the largest count.
    pub aggzoom: bool,
    /// The characters of bars.
    pub encoding: Encoding,
    /// Sort by key first.
    pub aggsortkey: bool,
    /// Reverse the order.
    pub aggsortrev: bool,
    /// The key element that is compared first.
    pub aggsortkeypos: u32,
    /// The aggregation of a `printa` whose value is compared first.
    pub aggsortpos: u32,
    /// How many frames a stack has.
    pub stacks: StackOptions,
    /// Blanks before a frame.
    pub stackindent: u32,
    /// User stacks print as file and offset, without symbols.
    pub noresolve: bool,
    /// Names of C++ and Rust are printed as their source has them.
    pub demangle: bool,
    /// `inlined`: stacks show the functions that a compiler put into others.
    pub inlined: bool,
    /// `unwind=dwarf`: user stacks by unwind tables, not by frame pointers.
    pub dwarf: bool,
    /// What is told or written of the compilation.
    pub tool: Tool,
    /// Kernel symbols that are given a type and do not exist are allowed (`knodefs`).
    pub knodefs: bool,
    /// Where the kernel's type data is.
    pub types_from: TypeData,
    /// Where things run.
    pub placement: Placement,
    /// Leave an `exit` that user space decides without effect on the placement (planner rule 8).
    pub relaxedexit: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            quiet: false,
            destructive: false,
            zdefs: false,
            pspec: false,
            strict: false,
            defaultargs: false,
            argref: false,
            errtags: false,
            preprocessor: Preprocessor::default(),
            libraries: Libraries::default(),
            amin: None,
            version: Version::NEWEST,
            empty: false,
            droptags: false,
            cpu: None,
            evaltime: EvalTime::Exec,
            strsize: 256,
            scratchsize: 256,
            bufpolicy: BufPolicy::Switch,
            bufresize: BufResize::Auto,
            temporal: false,
            printsize: 8192,
            pcapsize: 1514,
            nspec: 1,
            cleanrate: 0,
            flowindent: false,
            rawbytes: false,
            bufsize: 4 << 20,
            aggsize: 4 << 20,
            dynvarsize: 1 << 20,
            specsize: 4 << 20,
            bpflog: false,
            bpflogsize: (16 << 20) - 1,
            quietresize: false,
            switchrate: 0,
            statusrate: 1_000_000_000,
            aggrate: 0,
            aggpercpu: false,
            agghist: false,
            aggpack: false,
            aggzoom: false,
            encoding: Encoding::Unset,
            aggsortkey: false,
            aggsortrev: false,
            aggsortkeypos: 0,
            aggsortpos: 0,
            stacks: StackOptions::default(),
            stackindent: 14,
            noresolve: false,
            demangle: false,
            inlined: false,
            dwarf: false,
            tool: Tool::default(),
            knodefs: false,
            types_from: TypeData::default(),
            placement: Placement::Auto,
            relaxedexit: false,
        }
    }
}

/// What becomes of records (`bufpolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufPolicy {
    /// They are printed as they come.
    #[default]
    Switch,
    /// They are printed at the end; a full buffer ends tracing.
    Fill,
    /// They are printed at the end; a full buffer loses its oldest.
    Ring,
}

/// What happens if memory cannot be had (`bufresize`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufResize {
    /// A size is halved until it can.
    #[default]
    Auto,
    /// Tracing does not start.
    Manual,
}

/// What bars are drawn with (`encoding`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// ASCII, but blocks for packed histograms where the terminal knows them.
    #[default]
    Unset,
    /// ASCII.
    Ascii,
    /// Blocks.
    Utf8,
}

/// The options that size stacks (runtime spec §6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOptions {
    /// Frames of `stack()` without an argument.
    pub stackframes: u32,
    /// Frames of `ustack()`.
    pub ustackframes: u32,
    /// Frames of `jstack()`.
    pub jstackframes: u32,
    /// Bytes of names of `jstack()`.
    pub jstackstrsize: u32,
    /// No stack has more frames; the kernel's own limit (`kernel.perf_event_max_stack`) is normally this, too.
    pub maxframes: u32,
}

impl Default for StackOptions {
    fn default() -> StackOptions {
        StackOptions {
            stackframes: 20,
            ustackframes: 100,
            jstackframes: 50,
            jstackstrsize: 512,
            maxframes: MAX_FRAMES,
        }
    }
}

/// The most frames of a stack, whatever `maxframes` says: the default of `kernel.perf_event_max_stack`.
pub const MAX_FRAMES: u32 = 127;

/// The most of `scratchsize`, in bytes.
pub const LARGEST_SCRATCH: u32 = 1 << 20;

/// Why an option was not set. The texts are those of runtime spec §12.4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option.
    UnknownName,
    /// The value does not fit.
    InvalidValue,
    /// Only the command line may set it.
    NotInProgram,
    /// The version hides a name that is in use.
    Reduced,
    /// It is too late: tracing has begun.
    TracingActive,
    /// No version of the language has this number.
    UnknownVersion,
    /// Known to DTrace, and not available here.
    Unsupported(String),
}

impl std::fmt::Display for OptionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OptionError::UnknownName => f.write_str("Invalid option name"),
            OptionError::InvalidValue => f.write_str("Invalid value for specified option"),
            OptionError::NotInProgram => f.write_str("Option cannot be used from within a D program"),
            OptionError::Reduced => f.write_str("Requested version conflicts with earlier setting"),
            OptionError::TracingActive => f.write_str("Operation illegal when tracing is active"),
            OptionError::UnknownVersion => f.write_str("Requested version is not supported by compiler"),
            OptionError::Unsupported(text) => f.write_str(text),
        }
    }
}

/// Who sets an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// `-x`, or another option that stands for it.
    CommandLine,
    /// `DTRACE_OPT_…`, which has a value always: what is present or absent elsewhere takes yes and no there.
    Environment,
    /// `#pragma D option`
    Program,
    /// `setopt`, in the middle of tracing.
    Setopt,
}

/// How a value reads, and where it goes.
#[derive(Clone, Copy)]
enum Kind {
    /// Present or absent; a value is an error.
    Flag(fn(&mut Options) -> &mut bool),
    /// `yes`, `off`, `1`, …; no value is `yes`.
    Bool(fn(&mut Options) -> &mut bool),
    /// A text, which must not be empty.
    Text(fn(&mut Options, &str)),
    /// A number within bounds.
    Number(u32, u32, fn(&mut Options) -> &mut u32),
    /// A number with an optional `k m g t`.
    Size(fn(&mut Options) -> &mut u64),
    /// The same, within bounds and small.
    SmallSize(u32, u32, fn(&mut Options) -> &mut u32),
    /// A period or a frequency.
    Rate(fn(&mut Options) -> &mut u64),
    /// One of a few words, which all come to what is done anyway, but for those with a reason against them.
    Words(&'static [(&'static str, Option<&'static str>)]),
    /// Whether kernel symbols must exist.
    KernelSymbols { must_exist: bool },
    /// Which passes of the compiler print the tree: a number, of which any shows it as parsed.
    Tree,
    /// The number of a CPU.
    Cpu,
    /// `exec`, `preinit`, `postinit` or `main`.
    EvalTime,
    /// A version of the language.
    Version,
    /// A stability triple.
    Amin,
    /// `auto`, `kernel` or `user`.
    Placement,
    /// `fp` or `dwarf`.
    Unwind,
    /// `ascii` or `utf8`.
    Encoding,
    /// `switch`, `fill` or `ring`.
    BufPolicy,
    /// `auto` or `manual`.
    BufResize,
    /// `printsize`: rounded up to 8.
    PrintSize,
    /// Sizes or tunes a feature that programs cannot use (yet), or states what is always so: checked and dropped.
    Unused(Shape),
    /// Which C the preprocessor speaks: `a`, `c` and `t` are today's, `s` that before ISO C.
    Standard,
    /// Not available, and why.
    Without(&'static str),
    /// Not available.
    Refused,
}

/// What the value of an unused option must look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Flag,
    Bool,
    Number,
    Size,
    /// A size, or `unlimited`.
    Limit,
    Text,
}

/// One option.
struct Row {
    name: &'static str,
    /// Whether `#pragma D option` may set it.
    in_program: bool,
    /// Whether `setopt` may set it.
    while_tracing: bool,
    kind: Kind,
}

const fn row(name: &'static str, kind: Kind) -> Row {
    Row { name, in_program: true, while_tracing: false, kind }
}

/// An option that `setopt` can set too.
const fn dynamic(name: &'static str, kind: Kind) -> Row {
    Row { name, in_program: true, while_tracing: true, kind }
}

const fn outside(name: &'static str, kind: Kind) -> Row {
    Row { name, in_program: false, while_tracing: false, kind }
}

/// The names, in the order of the specification's tables.
const ROWS: &[Row] = &[
    // Compile time.
    row("amin", Kind::Amin),
    row("argref", Kind::Flag(|o| &mut o.argref)),
    row("core", Kind::Flag(|o| &mut o.tool.core)),
    row("cpp", Kind::Flag(|o| &mut o.preprocessor.run)),
    outside(
        "cppargs",
        Kind::Text(|o, v| o.preprocessor.arguments.extend(v.split_whitespace().map(str::to_owned))),
    ),
    outside("cpphdrs", Kind::Flag(|o| &mut o.preprocessor.show_includes)),
    outside("cpppath", Kind::Text(|o, v| o.preprocessor.path = Some(v.into()))),
    outside("ctfpath", Kind::Text(|o, v| o.types_from.kernel = Some(v.into()))),
    // A program that is not destructive writes no files.
    outside("ctypes", Kind::Text(|o, v| o.tool.ctypes = Some(v.into()))),
    row("debug", Kind::Flag(|o| &mut o.tool.debug)),
    // Every pass is checked always.
    row("debugassert", Kind::Unused(Shape::Flag)),
    row("defaultargs", Kind::Flag(|o| &mut o.defaultargs)),
    outside("define", Kind::Text(|o, v| o.preprocessor.arguments.push(format!("-D{v}")))),
    row("disasm", Kind::Number(1, 15, |o| &mut o.tool.disasm)),
    row("droptags", Kind::Flag(|o| &mut o.droptags)),
    // Probes of processes are told by their files; there is no stash of them.
    row("dofstashpath", Kind::Unused(Shape::Text)),
    outside("dtypes", Kind::Text(|o, v| o.tool.dtypes = Some(v.into()))),
    row("empty", Kind::Flag(|o| &mut o.empty)),
    row("errtags", Kind::Flag(|o| &mut o.errtags)),
    row("evaltime", Kind::EvalTime),
    outside("incdir", Kind::Text(|o, v| o.preprocessor.arguments.push(format!("-I{v}")))),
    row("iregs", Kind::Unused(Shape::Number)),
    row("kdefs", Kind::KernelSymbols { must_exist: true }),
    row("knodefs", Kind::KernelSymbols { must_exist: false }),
    // Either way translators are bound while a program is compiled, which is when it starts.
    row("late", Kind::Words(&[("dynamic", None), ("static", None)])),
    // The objects of -G register nothing when a program starts.
    row("lazyload", Kind::Unused(Shape::Flag)),
    // -G writes its objects without a linker.
    outside("ldpath", Kind::Unused(Shape::Text)),
    outside("libdir", Kind::Text(|o, v| o.libraries.directories.push(v.into()))),
    // Symbols are bound while a program is compiled, which is when it starts.
    row("linkmode", Kind::Words(&[("kernel", None), ("dynamic", None), ("static", None)])),
    row("linknommap", Kind::Unused(Shape::Flag)),
    row(
        "linktype",
        Kind::Words(&[("elf", None), ("dof", Some("Linux has no loader of DOF; -G writes ELF"))]),
    ),
    outside("modpath", Kind::Text(|o, v| o.types_from.modules = Some(v.into()))),
    outside("nolibs", Kind::Flag(|o| &mut o.libraries.none)),
    row("pgmax", Kind::Unused(Shape::Number)),
    row("preallocate", Kind::Unused(Shape::Size)),
    outside("procfspath", Kind::Words(&[("/proc", None)])),
    row("pspec", Kind::Flag(|o| &mut o.pspec)),
    outside("stdc", Kind::Standard),
    // The objects of -G hold nothing but their probes.
    row("strip", Kind::Unused(Shape::Flag)),
    outside("syslibdir", Kind::Text(|o, v| o.libraries.system = Some(v.into()))),
    row("sysslice", Kind::Unused(Shape::Text)),
    row("tree", Kind::Tree),
    row("tregs", Kind::Unused(Shape::Number)),
    row("udefs", Kind::Unused(Shape::Flag)),
    outside("undef", Kind::Text(|o, v| o.preprocessor.arguments.push(format!("-U{v}")))),
    row("unodefs", Kind::Without("symbols of processes are resolved while a program is compiled, or never")),
    // No process is stopped to read its symbols, whoever it belongs to.
    row("useruid", Kind::Unused(Shape::Number)),
    row("verbose", Kind::Flag(|o| &mut o.tool.verbose)),
    row("version", Kind::Version),
    row("zdefs", Kind::Flag(|o| &mut o.zdefs)),
    // Run time.
    row("aggpercpu", Kind::Bool(|o| &mut o.aggpercpu)),
    dynamic("aggrate", Kind::Rate(|o| &mut o.aggrate)),
    row("aggsize", Kind::Size(|o| &mut o.aggsize)),
    dynamic("aggsortkey", Kind::Bool(|o| &mut o.aggsortkey)),
    dynamic("aggsortkeypos", Kind::Number(0, u32::MAX, |o| &mut o.aggsortkeypos)),
    dynamic("aggsortpos", Kind::Number(0, u32::MAX, |o| &mut o.aggsortpos)),
    dynamic("aggsortrev", Kind::Bool(|o| &mut o.aggsortrev)),
    dynamic("agghist", Kind::Bool(|o| &mut o.agghist)),
    dynamic("aggpack", Kind::Bool(|o| &mut o.aggpack)),
    dynamic("aggzoom", Kind::Bool(|o| &mut o.aggzoom)),
    row("bpflog", Kind::Bool(|o| &mut o.bpflog)),
    row("bpflogsize", Kind::Size(|o| &mut o.bpflogsize)),
    row("bufpolicy", Kind::BufPolicy),
    row("bufresize", Kind::BufResize),
    row("bufsize", Kind::Size(|o| &mut o.bufsize)),
    row("cleanrate", Kind::Rate(|o| &mut o.cleanrate)),
    row("cpu", Kind::Cpu),
    row("destructive", Kind::Bool(|o| &mut o.destructive)),
    row("dynvarsize", Kind::Size(|o| &mut o.dynvarsize)),
    dynamic("encoding", Kind::Encoding),
    dynamic("flowindent", Kind::Bool(|o| &mut o.flowindent)),
    row("grabanon", Kind::Unused(Shape::Bool)),
    row("jstackframes", Kind::Number(0, u32::MAX, |o| &mut o.stacks.jstackframes)),
    row("jstackstrsize", Kind::SmallSize(0, 1 << 20, |o| &mut o.stacks.jstackstrsize)),
    outside("lockmem", Kind::Unused(Shape::Limit)),
    row("maxframes", Kind::Number(0, u32::MAX, |o| &mut o.stacks.maxframes)),
    row("noresolve", Kind::Bool(|o| &mut o.noresolve)),
    row("nspec", Kind::Number(0, 16, |o| &mut o.nspec)),
    row("pcapsize", Kind::SmallSize(0, 1 << 16, |o| &mut o.pcapsize)),
    dynamic("printsize", Kind::PrintSize),
    dynamic("quiet", Kind::Bool(|o| &mut o.quiet)),
    dynamic("quietresize", Kind::Bool(|o| &mut o.quietresize)),
    dynamic("rawbytes", Kind::Bool(|o| &mut o.rawbytes)),
    row("scratchsize", Kind::SmallSize(0, LARGEST_SCRATCH, |o| &mut o.scratchsize)),
    row("specsize", Kind::Size(|o| &mut o.specsize)),
    row("stackframes", Kind::Number(0, u32::MAX, |o| &mut o.stacks.stackframes)),
    dynamic("stackindent", Kind::Number(0, 1 << 10, |o| &mut o.stackindent)),
    row("statusrate", Kind::Rate(|o| &mut o.statusrate)),
    row("strsize", Kind::SmallSize(2, 1 << 16, |o| &mut o.strsize)),
    dynamic("switchrate", Kind::Rate(|o| &mut o.switchrate)),
    row("temporal", Kind::Bool(|o| &mut o.temporal)),
    row("ustackframes", Kind::Number(0, u32::MAX, |o| &mut o.stacks.ustackframes)),
    row("zone", Kind::Refused),
    // Ours.
    row("demangle", Kind::Bool(|o| &mut o.demangle)),
    row("inlined", Kind::Bool(|o| &mut o.inlined)),
    row("unwind", Kind::Unwind),
    row("placement", Kind::Placement),
    row("strict", Kind::Bool(|o| &mut o.strict)),
    row("relaxedexit", Kind::Bool(|o| &mut o.relaxedexit)),
];

/// What options are called by those who know other names for them, which are nearer to those of others.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("aggregationsize", "aggsize"),
    ("buffersize", "bufsize"),
    ("max_strlen", "strsize"),
    ("stringsize", "strsize"),
    ("strlen", "strsize"),
];

/// Every name there is, for suggestions and completion.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Who may set an option besides the command line and the environment: `None` if there is no such option.
pub fn may_set(name: &str, by: SetBy) -> Option<bool> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    Some(match by {
        SetBy::CommandLine | SetBy::Environment => true,
        SetBy::Program => row.in_program,
        SetBy::Setopt => row.while_tracing,
    })
}

/// What helps whoever got an error for an option: the name that was meant, or the values that there are.
pub fn advice(name: &str, error: &OptionError) -> Option<String> {
    match error {
        OptionError::UnknownName => {
            let other = OTHER_NAMES.iter().find(|row| row.0 == name).map(|row| row.1);
            other.or_else(|| suggest::nearest(name, names())).map(|near| format!("did you mean {near}?"))
        }
        OptionError::InvalidValue => {
            let row = ROWS.iter().find(|row| row.name == name)?;
            Some(format!("{name} takes {}", row.kind.values()?))
        }
        _ => None,
    }
}

impl Kind {
    /// The values that there are, for advice.
    fn values(self) -> Option<String> {
        const SIZE: &str = "a number of bytes, or one with k, m, g or t";
        Some(match self {
            Kind::Flag(_) | Kind::KernelSymbols { .. } | Kind::Unused(Shape::Flag) => "no value".into(),
            Kind::Bool(_) | Kind::Unused(Shape::Bool) => "yes or no, on or off, or no value for on".into(),
            Kind::Text(_) | Kind::Unused(Shape::Text) => "a text that is not empty".into(),
            Kind::Number(low, u32::MAX, _) => format!("a number from {low}"),
            Kind::Number(low, high, _) => format!("a number from {low} to {high}"),
            Kind::Unused(Shape::Number) => "a number".into(),
            Kind::Unused(Shape::Size) => SIZE.into(),
            Kind::Unused(Shape::Limit) => format!("{SIZE}, or unlimited"),
            Kind::Size(_) => SIZE.into(),
            Kind::SmallSize(low, high, _) => format!("{SIZE}, from {low} to {high}"),
            Kind::PrintSize => format!("{SIZE}, from 1 to 65536"),
            Kind::Rate(_) => "a period such as 10ms or a frequency such as 100hz".into(),
            Kind::Words(words) => {
                let words: Vec<_> = words.iter().filter(|word| word.1.is_none()).map(|word| word.0).collect();
                one_of(&words)?
            }
            Kind::Cpu => "the number of a CPU, from 0".into(),
            Kind::EvalTime => one_of(&["exec", "preinit", "postinit", "main"])?,
            Kind::Version => "a version of the language, such as 2.0".into(),
            Kind::Amin => "a stability triple, such as Evolving/Evolving/Common".into(),
            Kind::Placement => one_of(&["auto", "kernel", "user"])?,
            Kind::Unwind => one_of(&["fp", "dwarf"])?,
            Kind::Encoding => one_of(&["ascii", "utf8"])?,
            Kind::BufPolicy => one_of(&["switch", "fill", "ring"])?,
            Kind::BufResize => one_of(&["auto", "manual"])?,
            Kind::Standard => one_of(&["a", "c", "s", "t"])?,
            Kind::Tree => "a number from 1".into(),
            Kind::Without(_) | Kind::Refused => return None,
        })
    }
}

/// Words as a choice; nothing of no words.
fn one_of(words: &[&str]) -> Option<String> {
    let (last, others) = words.split_last()?;
    Some(if others.is_empty() { (*last).to_string() } else { format!("{} or {last}", others.join(", ")) })
}

impl Options {
    /// Sets one option. Nothing changes on an error.
    pub fn set(&mut self, name: &str, value: Option<&str>, by: SetBy) -> Result<(), OptionError> {
        let row = ROWS.iter().find(|row| row.name == name).ok_or(OptionError::UnknownName)?;
        if by == SetBy::Program && !row.in_program {
            return Err(OptionError::NotInProgram);
        }
        if by == SetBy::Setopt && !row.while_tracing {
            return Err(match row.kind {
                Kind::Refused => OptionError::Unsupported(format!("option {name} is not supported yet")),
                _ => OptionError::TracingActive,
            });
        }
        match row.kind {
            Kind::Flag(field) if by == SetBy::Environment => *field(self) = boolean(value)?,
            Kind::Flag(field) => {
                if value.is_some() {
                    return Err(OptionError::InvalidValue);
                }
                *field(self) = true;
            }
            Kind::Bool(field) => *field(self) = boolean(value)?,
            Kind::Number(low, high, field) => *field(self) = within(number(required(value)?)?, low, high)?,
            Kind::SmallSize(low, high, field) => *field(self) = within(size(required(value)?)?, low, high)?,
            Kind::Size(field) => *field(self) = size(required(value)?)?,
            Kind::Rate(field) => *field(self) = rate(required(value)?)?,
            Kind::Text(take) => take(self, required(value)?),
            Kind::Words(words) => {
                let value = required(value)?;
                match words.iter().find(|(word, _)| *word == value) {
                    None => return Err(OptionError::InvalidValue),
                    Some((_, None)) => {}
                    Some((_, Some(why))) => return Err(OptionError::Unsupported((*why).to_owned())),
                }
            }
            Kind::KernelSymbols { must_exist } if by == SetBy::Environment => {
                self.knodefs = boolean(value)? != must_exist;
            }
            Kind::KernelSymbols { must_exist } => {
                check_shape(Shape::Flag, value)?;
                self.knodefs = !must_exist;
            }
            Kind::Tree => self.tool.tree = within(number(required(value)?)?, 1, u32::MAX).map(|_| true)?,
            Kind::Cpu => self.cpu = Some(within(number(required(value)?)?, 0, i32::MAX as u32)?),
            Kind::EvalTime => {
                self.evaltime = match required(value)? {
                    "exec" => EvalTime::Exec,
                    "preinit" => EvalTime::Entry,
                    "postinit" | "main" => EvalTime::Main,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::Version => self.version = version(required(value)?)?,
            Kind::Amin => {
                let triple = stability::parse(required(value)?).ok_or(OptionError::InvalidValue)?;
                self.amin = Some(triple);
            }
            Kind::PrintSize => {
                let bytes = within(size(required(value)?)?, 1, 65536)?;
                self.printsize = bytes.next_multiple_of(8);
            }
            Kind::Unwind => {
                self.dwarf = match required(value)? {
                    "fp" => false,
                    "dwarf" => true,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::Placement => {
                self.placement = match required(value)? {
                    "auto" => Placement::Auto,
                    "kernel" => Placement::Kernel,
                    "user" => Placement::User,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::Standard => {
                self.preprocessor.traditional = match required(value)? {
                    "s" => true,
                    "a" | "c" | "t" => false,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::BufPolicy => {
                self.bufpolicy = match required(value)? {
                    "switch" => BufPolicy::Switch,
                    "fill" => BufPolicy::Fill,
                    "ring" => BufPolicy::Ring,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::BufResize => {
                self.bufresize = match required(value)? {
                    "auto" => BufResize::Auto,
                    "manual" => BufResize::Manual,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::Encoding => {
                self.encoding = match required(value)? {
                    "ascii" => Encoding::Ascii,
                    "utf8" => Encoding::Utf8,
                    _ => return Err(OptionError::InvalidValue),
                }
            }
            Kind::Unused(Shape::Flag) if by == SetBy::Environment => drop(boolean(value)?),
            Kind::Unused(shape) => check_shape(shape, value)?,
            Kind::Without(why) => return Err(OptionError::Unsupported(why.to_owned())),
            Kind::Refused => {
                return Err(OptionError::Unsupported(format!("option {name} is not supported yet")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
