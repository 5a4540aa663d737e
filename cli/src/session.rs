//! One run of the command after its options are parsed, in dtrace(1)'s order of work (runtime spec §13): settings, targets,
//! compilation, then listing, reporting or tracing.

use std::fs::{File, OpenOptions};
use std::io::Write;

use dtrail_kernel_bridge::readers::whole::Content;
use dtrail_kernel_bridge::source::{bpf, inject};
use dtrail_lang::Compiled;
use dtrail_lang::ast;
use dtrail_lang::bytes;
use dtrail_lang::check::{Attributes, no_match_advice};
use dtrail_lang::diag::render::{self, Style};
use dtrail_lang::diag::{Diagnostic, Tag};
use dtrail_lang::env::{FiredBy, NoMatch, ProbePattern};
use dtrail_lang::ir::Program;
use dtrail_lang::options::{self, BufResize, Options as Settings, Preprocessor, SetBy};
use dtrail_lang::parse::prescan;
use dtrail_lang::plan::{Capabilities, Placement, Plan};
use dtrail_lang::source::{Source, SourceKind, SourceMap};
use dtrail_lang::stability;
use dtrail_vm::consumer;
use dtrail_vm::engine::Engine;
use dtrail_vm::event::{Error, EventSource, reason};
use dtrail_vm::format::shown;
use dtrail_vm::interp::Interp;
use dtrail_vm::jit::{self, Jit};
use dtrail_vm::output::{GIVEN_UP, TextOutput};

use crate::describe::{Described, descriptions};
use crate::failure::Failure;
use crate::files::OutputFiles;
use crate::machine::{self, Machine};
use crate::messages::{Messages, is_terse};
use crate::options::{EngineChoice, Form, Mode, Options, SourceChoice, TargetArg};
use crate::{
    Interrupts, Outcome, Patience, dump, header, library, link, list, native, planning, preprocess, renewal,
    sizes,
};

/// Terminals that know no blocks (`TERM`).
const DUMB_TERMINALS: [&str; 3] = ["dumb", "sun", "sun-color"];

/// Where text goes.
pub(crate) struct Streams<'a> {
    /// What the program prints.
    pub(crate) stdout: &'a mut dyn Write,
    /// Notices and errors.
    pub(crate) stderr: Messages<'a>,
    /// Whether that is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Whether `stdout` is this process's standard output, and not a test's buffer.
    pub(crate) stdout_is_process: bool,
}

/// Runs the command and says on standard error why it could not.
pub(crate) fn run<'a>(
    progname: &'a str,
    options: &'a Options,
    environment: &[(String, String)],
    streams: Streams<'a>,
    interrupts: Option<&'a Interrupts>,
) -> Outcome {
    let mut settings = Settings::default();
    settings.stacks.maxframes = sizes::frames();
    let mut session = Session {
        progname,
        terse: is_terse(progname),
        options,
        settings,
        testing: environment.iter().any(|(name, _)| name == "_DTRACE_TESTING"),
        dumb: environment
            .iter()
            .any(|(name, value)| name == "TERM" && DUMB_TERMINALS.contains(&value.as_str())),
        plain: environment.iter().any(|(name, value)| name == "NO_COLOR" && !value.is_empty()),
        sources: SourceMap::default(),
        streams,
        file: None,
        interrupts,
    };
    match session.run(environment) {
        Ok(outcome) => outcome,
        Err(Failure::Message { text, help, status }) => {
            session.streams.stderr.say(progname, &text, help.as_deref());
            Outcome::status(status)
        }
        Err(Failure::Program(diagnostic)) => {
            session.report(&diagnostic);
            Outcome::status(1)
        }
    }
}

struct Session<'a> {
    progname: &'a str,
    /// Called `dtrace`: one-line errors, no tracing without privilege.
    terse: bool,
    options: &'a Options,
    settings: Settings,
    testing: bool,
    /// The terminal draws ASCII only.
    dumb: bool,
    /// `NO_COLOR` is set.
    plain: bool,
    sources: SourceMap,
    streams: Streams<'a>,
    /// That of `-o`, once it is open.
    file: Option<File>,
    interrupts: Option<&'a Interrupts>,
}

impl Session<'_> {
    fn run(&mut self, environment: &[(String, String)]) -> Result<Outcome, Failure> {
        self.settings(environment)?;
        let header = if self.options.mode == Mode::Header { Some(self.header_name()?) } else { None };
        if self.options.mode == Mode::Link && self.options.programs.is_empty() {
            let failure = Failure::usage("-G requires one or more scripts or enabling options");
            let help = "it makes an object of the probes that a script declares; `--help` lists all options";
            return Err(failure.help(Some(help)));
        }
        // Processes come before programs: what is wrong with `-p` is told first.
        let (machine, notice) = machine::choose(self.options, &self.settings, self.interrupts, self.terse)?;
        let programs = self.read_programs()?;
        let libraries = library::choose(
            &self.settings.libraries,
            &programs,
            &self.options.operands,
            machine.environment(),
        )?;
        library::note_names(&mut self.settings.libraries);
        for source in libraries.into_iter().chain(programs) {
            self.sources.add(source);
        }
        if self.options.mode == Mode::List {
            if let (true, Some(operand)) = (self.options.programs.is_empty(), self.options.operands.first()) {
                return Err(self.listed_operand(operand));
            }
            // What is wrong with a program is told before what it would enable.
            if !self.options.programs.is_empty() {
                let settings = self.settings.clone();
                self.compile(&machine)?;
                self.settings = settings;
            }
            self.open_output()?;
            self.list(&machine)?;
            return Ok(Outcome::status(0));
        }
        if let Mode::Dump(Form::Ast) = self.options.mode {
            let text =
                dump::ast(&self.sources, machine.environment(), &self.arguments(), &mut self.settings)?;
            self.open_output()?;
            self.print(&text)?;
            return Ok(Outcome::status(0));
        }
        if self.settings.tool.core {
            dtrail_kernel_bridge::sys::raise_core_limit();
        }
        let compiled = self.compile(&machine)?;
        self.write_types(&compiled)?;
        self.tell_forms(&compiled, &machine)?;
        // A program with a mistake leaves no file behind.
        if !matches!(self.options.mode, Mode::Header | Mode::Link) {
            self.open_output()?;
        }
        match self.options.mode {
            Mode::Header => self.write_header(&machine, &header.unwrap_or_default()),
            Mode::Link => self.write_objects(&machine),
            Mode::Compile => {
                self.stability_reports(&compiled, &machine)?;
                Ok(Outcome::status(0))
            }
            Mode::Explain => {
                let traces = traces(&compiled.program);
                let (plan, source) = self.plan(compiled, &machine)?;
                // Who traces nothing needs no privilege.
                let missing = machine.missing_privilege().filter(|_| traces);
                let missing = missing.map_or(String::new(), |why| format!("cannot run here: {why}\n"));
                let plan = dtrail_lang::plan::explain(&plan, &self.sources);
                let text = format!("source {source}\n{missing}{plan}");
                self.print(&text)?;
                Ok(Outcome::status(0))
            }
            Mode::Dump(form) => {
                let (plan, _) = self.plan(compiled, &machine)?;
                let text = match form {
                    Form::Ebpf => {
                        let injected = matches!(self.options.source, SourceChoice::Synthetic(_));
                        dump::ebpf(&plan, &self.settings, injected)?
                    }
                    Form::Clif => jit::dump(&plan),
                    Form::Ast | Form::Ir => dump::ir(&plan),
                };
                self.print(&text)?;
                Ok(Outcome::status(0))
            }
            _ => {
                self.stability_reports(&compiled, &machine)?;
                self.trace(compiled, machine, notice)
            }
        }
    }

    /// `DTRACE_OPT_…`, then the command line, in order.
    fn settings(&mut self, environment: &[(String, String)]) -> Result<(), Failure> {
        // As dtrace(1) it is D alone that is understood, unless someone asks for more.
        self.settings.strict = self.terse;
        self.settings.tool.debug = environment.iter().any(|(name, _)| name == "DTRACE_DEBUG");
        for (name, value) in environment {
            if let Some(option) = name.strip_prefix("DTRACE_OPT_") {
                let value = Some(value.as_str()).filter(|value| !value.is_empty());
                let option = option.to_ascii_lowercase();
                self.settings.set(&option, value, SetBy::Environment).map_err(|e| {
                    let help = options::advice(&option, &e);
                    Failure::fatal(format!("failed to set option from {name}: {e}")).help(help)
                })?;
            }
        }
        for setting in &self.options.settings {
            self.settings.set(&setting.name, setting.value.as_deref(), SetBy::CommandLine).map_err(|e| {
                let help = options::advice(&setting.name, &e);
                Failure::fatal(format!("failed to set -{}: {e}", setting.shown)).help(help)
            })?;
        }
        // A listing and a search for probes may name what is not there, and a header enables nothing.
        let defines = matches!(self.options.mode, Mode::Header | Mode::Link);
        self.settings.zdefs |= defines || self.options.mode == Mode::List;
        self.settings.empty |= defines;
        Ok(())
    }

    /// The texts of the programs, as they are compiled.
    fn read_programs(&mut self) -> Result<Vec<Source>, Failure> {
        let mut cpp = self.settings.preprocessor.clone();
        let mut preprocessed = false;
        let mut programs = Vec::new();
        for program in &self.options.programs {
            let text = match program.kind {
                SourceKind::Script => read_script(&program.text)
                    .map(|read| bytes::to_text(bytes::without_mark(&read)))
                    .map_err(|e| {
                        Failure::fatal(format!("failed to open {}: {}", program.text, reason(&e)))
                    })?,
                _ => program.text.clone(),
            };
            let run = program.kind == SourceKind::Script && cpp.run;
            preprocessed |= run;
            let text = match run {
                true => self.preprocess(&program.text, &text, &cpp)?,
                false => text,
            };
            // A program's own option is for those after it: it has been read.
            cpp.run |= prescan::sets_option(&text, "cpp");
            programs.push(Source { name: program.text.clone(), kind: program.kind, text });
        }
        if !cpp.arguments.is_empty() && !preprocessed && !self.terse {
            let text = "-D, -U and -I are for the C preprocessor, which runs over scripts of -s with -C";
            self.streams.stderr.say(self.progname, text, None);
        }
        Ok(programs)
    }

    fn preprocess(&mut self, name: &str, text: &str, cpp: &Preprocessor) -> Result<String, Failure> {
        let (said, result) = match preprocess::run(name, text, cpp) {
            Ok(done) => (done.said, Ok(done.text)),
            Err(refused) => {
                let why = format!("failed to compile script {name}: {}", refused.why);
                (refused.said, Err(Failure::fatal(why).help(refused.help)))
            }
        };
        let _ = self.streams.stderr.write_all(bytes::to_text(&said).as_bytes());
        result
    }

    /// `$0`, `$1`, …; `$0` is the first script, or the tool.
    fn arguments(&self) -> Vec<String> {
        let script = self.options.programs.iter().find(|program| program.kind == SourceKind::Script);
        let zero = script.map_or(self.progname, |script| &script.text).to_string();
        // The operands of -G are objects.
        let operands = self.options.operands.iter().filter(|_| self.options.mode != Mode::Link);
        std::iter::once(zero).chain(operands.cloned()).collect()
    }

    /// What helps who gave no program.
    fn nothing_given(&self) -> String {
        let operand = |fits: fn(&str) -> bool| self.options.operands.iter().find(|operand| fits(operand));
        if operand(|text| text.contains('{')).is_some() {
            return "did you mean `-n 'PROGRAM'`?".to_owned();
        }
        match operand(|text| text.ends_with(".d")) {
            Some(script) => format!("did you mean `-s {script}`?"),
            None => {
                let name = self.progname;
                format!(
                    "usage: {name} -n 'PROBE /PREDICATE/ {{ ACTIONS }}', or {name} -s SCRIPT [ARGS]; see {name} --help"
                )
            }
        }
    }

    fn compile(&mut self, machine: &Machine) -> Result<Compiled, Failure> {
        if self.options.programs.is_empty() {
            return Err(Failure::fatal("no probes specified").help(Some(self.nothing_given())));
        }
        let arguments = self.arguments();
        let compiled =
            dtrail_lang::compile(&self.sources, machine.environment(), &mut self.settings, &arguments);
        compiled.map_err(|error| self.about_operands(error).into())
    }

    /// Advice about an operand that no program refers to: behind `-c` it was meant to be the command's.
    fn about_operands(&self, error: Diagnostic) -> Diagnostic {
        match (error.tag, self.options.targets.last(), &self.options.operands[..]) {
            (Tag::MacroUnused, Some(TargetArg::Command(command)), operands @ [_, ..]) => error
                .help(format!("a command with arguments is one word: -c '{command} {}'", operands.join(" "))),
            _ => error,
        }
    }

    /// `ctypes` and `dtypes`
    fn write_types(&self, compiled: &Compiled) -> Result<(), Failure> {
        let Some(data) = &compiled.type_data else { return Ok(()) };
        let tool = &self.settings.tool;
        for (file, bytes) in [(&tool.ctypes, &data.included), (&tool.dtypes, &data.own)] {
            if let Some(file) = file {
                std::fs::write(native::path(file), bytes).map_err(|e| {
                    Failure::fatal(format!("failed to write types to {file}: {}", reason(&e)))
                })?;
            }
        }
        Ok(())
    }

    /// `tree`, `debug`, and `-S` with `disasm`: what the compiler made, on standard error.
    fn tell_forms(&mut self, compiled: &Compiled, machine: &Machine) -> Result<(), Failure> {
        let tool = self.settings.tool.clone();
        let mut text = String::new();
        if tool.tree {
            text += &dump::ast(&self.sources, machine.environment(), &self.arguments(), &mut self.settings)?;
        }
        if tool.debug {
            text += &dump::passes(&self.sources, compiled, self.progname);
        }
        if self.options.disassemble || tool.verbose {
            let forms = if tool.disasm == 0 { 1 } else { tool.disasm };
            if forms & 1 != 0 {
                text += &dump::disassembly(&compiled.program);
            }
            if forms & !1 != 0 {
                let (plan, _) = self.plan(compiled.clone(), machine)?;
                if forms & 2 != 0 {
                    text += &dump::parts(&plan);
                }
                if forms & 12 != 0 {
                    let injected = matches!(self.options.source, SourceChoice::Synthetic(_));
                    text += &dump::ebpf(&plan, &self.settings, injected)?;
                }
            }
        }
        let _ = self.streams.stderr.write_all(text.as_bytes());
        Ok(())
    }

    /// The file of `-h`.
    fn header_name(&self) -> Result<String, Failure> {
        let programs = &self.options.programs;
        if !programs.iter().any(|program| program.kind == SourceKind::Script) {
            let failure = Failure::usage("-h requires one or more scripts or enabling options");
            let help = "it makes a header of the probes that a script declares; `--help` lists all options";
            return Err(failure.help(Some(help)));
        }
        if let Some(output) = &self.options.output {
            return Ok(output.clone());
        }
        match &programs[..] {
            [program] => match program.text.strip_suffix(".d").map(|name| name.rsplit('/').next()) {
                Some(Some(name)) => Ok(format!("{name}.h")),
                _ => {
                    let help = format!(
                        "a header is named after a script whose name ends in .d, as `{}` does not; -o names it",
                        program.text
                    );
                    Err(Failure::usage("-h requires an output file if no scripts are specified")
                        .help(Some(help)))
                }
            },
            _ => Err(Failure::usage("-h requires an output file if multiple scripts are specified")),
        }
    }

    /// The trees of the programs, without those of library files.
    fn trees(&mut self, machine: &Machine) -> Result<Vec<ast::Program>, Failure> {
        let arguments = self.arguments();
        let mut trees =
            dtrail_lang::trees(&self.sources, machine.environment(), &mut self.settings, &arguments)?;
        Ok(trees.split_off(trees.len().saturating_sub(self.options.programs.len())))
    }

    /// `-h`
    fn write_header(&mut self, machine: &Machine, file: &str) -> Result<Outcome, Failure> {
        let text = header::text(&self.trees(machine)?, file);
        std::fs::write(native::path(file), text)
            .map_err(|e| Failure::fatal(format!("failed to open header file '{file}': {}", reason(&e))))?;
        Ok(Outcome::status(0))
    }

    /// `-G`
    fn write_objects(&mut self, machine: &Machine) -> Result<Outcome, Failure> {
        let trees = self.trees(machine)?;
        let output = self.options.output.as_ref();
        if output.is_some() && trees.len() > 1 {
            return Err(Failure::usage("-G with -o takes one script, since Linux has no object of several"));
        }
        for (number, (program, tree)) in self.options.programs.iter().zip(&trees).enumerate() {
            let what = match program.kind {
                SourceKind::Script => "script",
                _ => "description",
            };
            let failed =
                |why: Error| Failure::from(why.context(&format!("failed to link {what} {}", program.text)));
            let object = link::object(tree, &self.options.operands).map_err(failed)?;
            let file =
                output.cloned().unwrap_or_else(|| link::object_name(&program.text, number, trees.len()));
            std::fs::write(native::path(&file), object)
                .map_err(|e| failed(Error::new(format!("failed to open {file}: {}", reason(&e)))))?;
        }
        Ok(Outcome::status(0))
    }

    fn plan(&self, compiled: Compiled, machine: &Machine) -> Result<(Plan, &'static str), Failure> {
        let (capabilities, name) = machine.capabilities();
        let settings = (&self.settings).into();
        let overflow = &mut |plan: &Plan| match self.options.source {
            SourceChoice::Synthetic(_) => inject::overflow(plan, settings),
            _ => bpf::overflow(plan, settings),
        };
        planning::fitting(&self.settings, compiled.program, capabilities, overflow).map(|plan| (plan, name))
    }

    fn trace(
        &mut self,
        compiled: Compiled,
        machine: Machine,
        notice: Option<String>,
    ) -> Result<Outcome, Failure> {
        let matched = compiled.matched;
        let waits = compiled.waits;
        let program = compiled.program;
        if program.enablings.iter().all(|enabling| enabling.probes.is_empty()) && !self.settings.zdefs {
            return Err(Failure::fatal("no probes matched"));
        }
        let traces = traces(&program);
        let asked = sizes::all(&mut self.settings);
        let resized = sizes::fit(&mut self.settings, sizes::memory(), sizes::frames());
        if program.is_destructive() && !self.settings.destructive {
            if !self.settings.quiet {
                self.notices(&matched, None);
            }
            let why = "could not enable tracing: Destructive actions not allowed";
            return Err(Failure::fatal(why).help(Some("-w allows them")));
        }
        let lowered = sizes::all(&mut self.settings).iter().zip(asked).any(|(size, asked)| *size < asked);
        if self.settings.bufresize == BufResize::Manual && lowered {
            return Err(Failure::fatal("could not enable tracing: Cannot allocate memory"));
        }
        let mut tracer = machine.ready(traces, &self.settings, self.interrupts)?;
        let arguments = self.arguments();
        // What waits for probes must be able to go over to another plan.
        let waits = waits && tracer.source.may_appear();
        let capabilities = if waits { Capabilities::NONE } else { tracer.source.capabilities() };
        let mut plan = planning::fitting(&self.settings, program, capabilities, &mut |plan| {
            tracer.source.overflow(plan)
        })?;
        // Not before: however long that took, a signal has ended it as it ends any program.
        watch(self.interrupts)?;
        if !self.settings.quiet {
            self.notices(&matched, notice.filter(|_| traces));
        }
        // Who is to be quiet and waits for events of nobody would never know.
        if !self.settings.quiet || traces {
            self.missing_target();
        }
        for notice in resized {
            let prefix = if notice.prefixed { format!("{}: ", self.progname) } else { String::new() };
            let _ = writeln!(self.streams.stderr, "{prefix}{}", notice.text);
        }
        if traces && !std::path::Path::new("/proc/self/stat").exists() {
            let what = match tracer.source.name() {
                "ptrace" => "names, parents and users of processes are empty and 0, and code has no names",
                _ => "code of processes has no names",
            };
            let _ = writeln!(self.streams.stderr, "{}: /proc is not mounted: {what}", self.progname);
        }
        let mut settings = consumer::Settings::new(self.progname, self.settings.clone());
        settings.testing = self.testing;
        settings.help = !self.terse;
        settings.aggs.dumb = self.dumb;
        settings.aggs.cpus = tracer.source.cpus();
        settings.format = self.options.format;
        let none = std::sync::atomic::AtomicU32::new(0);
        let interrupts: &dyn consumer::Interrupts = match self.interrupts {
            Some(interrupts) => interrupts,
            None => &none,
        };
        let mut files = OutputFiles::standard(self.streams.stdout_is_process, self.interrupts.cloned());
        let mut file = self.file.take().map(|file| {
            files = OutputFiles::first(&file, self.interrupts.cloned());
            // It may be a pipe with a name.
            Patience::new(file, self.interrupts.cloned())
        });
        let terminal = self.streams.stdout_is_terminal && file.is_none();
        let out: &mut dyn Write = match &mut file {
            Some(file) => file,
            None => self.streams.stdout,
        };
        let files = Box::new(files);
        let mut output = TextOutput::with_files(out, &mut self.streams.stderr, terminal, files);
        let mut engine: Box<dyn Engine> = match self.options.engine {
            Some(EngineChoice::Interp) => Box::new(Interp::default()),
            Some(EngineChoice::Jit) => Box::new(Jit::after(0)),
            Some(EngineChoice::Rbpf | EngineChoice::Bpf) | None => Box::new(Jit::default()),
        };
        let mut again = renewal::Again {
            sources: &self.sources,
            settings: self.settings.clone(),
            arguments,
            matched: matched.iter().sum(),
            wrong: String::new(),
            progname: self.progname,
            terse: self.terse,
        };
        let mut run = |plan: &Plan, source: &mut dyn EventSource| {
            let renewal: Option<&mut dyn consumer::Renewal> = if waits { Some(&mut again) } else { None };
            let host = &*tracer.host;
            consumer::run(plan, source, &mut *engine, host, &mut output, &settings, interrupts, renewal)
        };
        let mut outcome = run(&plan, &mut *tracer.source);
        // The kernel alone can tell what its verifier takes: with its effects in user space the program may do.
        if let Err(error) = &outcome
            && error.overflow.is_some()
            && self.settings.placement == Placement::Auto
        {
            let capabilities = tracer.source.capabilities();
            self.interrupts.map_or(Ok(()), Interrupts::leave).map_err(|error| unwatched(&error))?;
            plan = planning::within(&self.settings, plan.program, capabilities, error.overflow)?;
            // What it has too much of, too, the kernel says once more.
            let _ = tracer.source.overflow(&plan);
            watch(self.interrupts)?;
            outcome = run(&plan, &mut *tracer.source);
        }
        Ok(Outcome { status: outcome?.status, kernel_part: !plan.groups.is_empty() })
    }

    /// The file of `-o`, which everything goes to that would go to standard output.
    fn open_output(&mut self) -> Result<(), Failure> {
        if let Some(path) = &self.options.output {
            let opened = OpenOptions::new().append(true).create(true).open(native::path(path));
            let failed = |e| Failure::fatal(format!("failed to open output file '{path}': {}", reason(&e)));
            self.file = Some(opened.map_err(failed)?);
        }
        Ok(())
    }

    /// What each program matched, and where its events come from.
    fn notices(&mut self, matched: &[usize], notice: Option<String>) {
        let mut text = String::new();
        let libraries = matched.len().saturating_sub(self.options.programs.len());
        for (program, &count) in self.options.programs.iter().zip(&matched[libraries..]) {
            let plural = if count == 1 { "" } else { "s" };
            let what = match program.kind {
                SourceKind::Script => format!("script '{}'", program.text),
                _ => format!("description '{}'", shown_description(&program.text)),
            };
            text += &format!("{}: {what} matched {count} probe{plural}\n", self.progname);
        }
        if self.settings.destructive {
            text += &format!("{}: allowing destructive actions\n", self.progname);
        }
        if let Some(notice) = notice.filter(|_| !self.terse) {
            text += &format!("{}: {notice}\n", self.progname);
        }
        let _ = self.streams.stderr.write_all(text.as_bytes());
    }

    /// Says that `$target` is nobody where a program asks for it and no process is given.
    fn missing_target(&mut self) {
        let made_up = matches!(self.options.source, SourceChoice::Synthetic(_));
        if self.terse || made_up || !self.options.targets.is_empty() {
            return;
        }
        if self.sources.ids().any(|id| prescan::names_target(&self.sources.get(id).text)) {
            let _ = writeln!(
                self.streams.stderr,
                "{}: $target is 0: give a command with -c or a process with -p",
                self.progname
            );
        }
    }

    /// A mistake in a program: DTrace's line first unless a person reads it, then the place, unless we are called `dtrace`.
    fn report(&mut self, diagnostic: &Diagnostic) {
        if !self.terse && self.streams.stderr.is_terminal() {
            let style = if self.plain { Style::Plain } else { Style::Colour };
            let text = render::long(diagnostic, &self.sources, style);
            self.streams.stderr.rendered(&format!("{}: {text}", self.progname));
            return;
        }
        let line = render::classic(diagnostic, &self.sources, self.settings.errtags);
        let excerpt = match self.terse {
            true => String::new(),
            false => render::excerpt(diagnostic, &self.sources, Style::Plain),
        };
        let text = format!("{}: {line}\n{excerpt}", self.progname);
        let _ = self.streams.stderr.write_all(text.as_bytes());
    }

    /// `-v`: how stable each program is; `-ev`: its probes too.
    fn stability_reports(&mut self, compiled: &Compiled, machine: &Machine) -> Result<(), Failure> {
        if !self.options.verbose {
            return Ok(());
        }
        let arguments = self.arguments();
        let described = descriptions(&self.sources, machine.environment(), &arguments, &mut self.settings)?;
        let first = self.sources.ids().count() - self.options.programs.len();
        let mut text = Vec::new();
        for (program, source) in self.options.programs.iter().zip(self.sources.ids().skip(first)) {
            let what = match program.kind {
                SourceKind::Script => format!("script {}", program.text),
                _ => format!("description {}", shown_description(&program.text)),
            };
            let ours: Vec<&Described> = described.iter().filter(|d| d.source == source).collect();
            let Attributes { probes, statements } =
                compiled.attributes.get(source.0 as usize).copied().unwrap_or_default();
            // Writing to a vector cannot fail.
            let _ = writeln!(
                text,
                "\nStability attributes for {what}:\n\n\tMinimum Probe Description Attributes"
            );
            let _ = list::stability(&mut text, &probes);
            let _ = writeln!(text, "\n\tMinimum Statement Attributes");
            let _ = list::stability(&mut text, &statements);
            let _ = writeln!(text);
            if self.options.mode == Mode::Compile {
                for (block, described) in ours.into_iter().enumerate() {
                    // The lines of a block end in an empty one, as those of a list do; another one separates blocks.
                    text.extend_from_slice(if block > 0 { b"\n" } else { b"" });
                    let first = described.found.as_ref().ok().and_then(|probes| probes.first());
                    let of = stability::of_description(first, described.pattern.as_ref());
                    let _ = writeln!(text, "{}", described.shown);
                    for probe in described.found.as_deref().unwrap_or_default().iter().take(1) {
                        let _ = list::details(&mut text, probe, &of);
                    }
                }
            }
        }
        self.print_bytes(&text)
    }

    /// The error of an operand of `-l` that no program is there to refer to: it was meant to name probes.
    fn listed_operand(&self, operand: &str) -> Failure {
        let help = match operand.contains(':') {
            true => format!("did you mean `-ln '{operand}'`?"),
            false => format!("did you mean `-lP {operand}`, or `-lf {operand}`?"),
        };
        Failure::fatal(format!("extraneous argument '{operand}' ($1 is not referenced)")).help(Some(help))
    }

    /// `-l`
    fn list(&mut self, machine: &Machine) -> Result<(), Failure> {
        let env = machine.environment();
        let mut text = Vec::new();
        let mut misses = Vec::new();
        // Writing to a vector cannot fail.
        let _ = list::heading(&mut text);
        if self.options.programs.is_empty() {
            for probe in env.match_probes(&ProbePattern::default()).unwrap_or_default() {
                let _ = list::probe(&mut text, &probe, self.options.verbose);
            }
        } else {
            let arguments = self.arguments();
            for described in descriptions(&self.sources, env, &arguments, &mut self.settings)? {
                let shown = described.shown;
                match described.found {
                    Ok(probes) => {
                        for probe in probes {
                            let _ = list::probe(&mut text, &probe, self.options.verbose);
                        }
                    }
                    Err(NoMatch::Zero) => {
                        let pattern = described.pattern.as_ref();
                        let help = pattern.and_then(|pattern| no_match_advice(env, pattern));
                        misses.push((format!("failed to match {shown}: No probe matches description"), help));
                    }
                    Err(NoMatch::OtherSource(why) | NoMatch::Refused { text: why, .. }) => {
                        misses.push((format!("failed to match {shown}: {why}"), None));
                    }
                }
            }
        }
        let printed = self.print_bytes(&text);
        for (miss, help) in misses {
            self.streams.stderr.say(self.progname, &miss, help.as_deref());
        }
        printed
    }

    fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.print_bytes(text.as_bytes())
    }

    fn print_bytes(&mut self, text: &[u8]) -> Result<(), Failure> {
        let bytes = &*bytes::of_utf8(text);
        match &mut self.file {
            Some(file) => {
                print_to(file, &format!("'{}'", self.options.output.as_deref().unwrap_or("")), bytes)
            }
            None => {
                let shown = shown(bytes, self.streams.stdout_is_terminal);
                print_to(&mut *self.streams.stdout, STANDARD_OUTPUT, &shown)
            }
        }
    }
}

/// Whether any probe of a program is fired by what is traced, which takes a source that may.
fn traces(program: &Program) -> bool {
    program.probes.iter().any(|probe| probe.fired_by == FiredBy::Source)
}

/// From now on signals are requests to end.
fn watch(interrupts: Option<&Interrupts>) -> Result<(), Failure> {
    interrupts.map_or(Ok(()), Interrupts::watch).map_err(|error| unwatched(&error))
}

fn unwatched(error: &std::io::Error) -> Failure {
    Failure::fatal(format!("cannot watch for signals: {}", reason(error)))
}

/// How messages name it.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Writes to a stream with a name. A closed pipe is nobody's mistake; anything else ends the run.
pub(crate) fn print_to(out: &mut dyn Write, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if ![std::io::ErrorKind::BrokenPipe, GIVEN_UP].contains(&e.kind()) => {
            Err(Failure::fatal(format!("failed to write to {name}: {}", reason(&e))))
        }
        _ => Ok(()),
    }
}

/// A script's content; `-` is the standard input of this process.
fn read_script(path: &str) -> std::io::Result<Vec<u8>> {
    match path {
        "-" => Content::SCRIPT.read_from(std::io::stdin().lock()),
        _ => Content::SCRIPT.read(&native::path(path)),
    }
}

/// The text of a clause as notices show it: cut before its predicate or body.
fn shown_description(text: &str) -> &str {
    text.split(['{', '/', ';']).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::shown_description;

    #[test]
    fn descriptions_are_cut() {
        assert_eq!(shown_description("BEGIN { x }"), "BEGIN ");
        assert_eq!(shown_description("syscall:::entry/pid/{}"), "syscall:::entry");
        assert_eq!(shown_description("BEGIN"), "BEGIN");
    }
}
