//! The state of a session while its programs are checked one after another, and the order of the checks (language
//! spec §1.5).
//!
//! In: parsed programs, in command-line order. Out: [`Checked`]. A program that fails leaves the session in no defined
//! state; a caller that wants to go on keeps a clone from before.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::attributes::{Attributes, Declared};
use super::flows::Flows;
use super::fold::{Early, Folded};
use super::formula::{Formula, Origin, Param};
use super::info::{TypeInfo, for_each_expr};
use super::inline::{Inlines, Value};
use super::kernel_places::KernelPlaces;
use super::names::{AggInfo, Marked, Names, VarInfo};
use super::probes::Probes;
use super::provider::{Interface, Interfaces};
use super::translator::TranslatorInfo;
use super::translator_index::TranslatorIndex;
use super::{errors, suggest};
use crate::ast::{Clause, Derived, Expr, ExprKind, Item, LeftOut, Program};
use crate::builtins::{self, Action, AggFn, Func, consts, vars};
use crate::bytes;
use crate::diag::Diagnostic;
use crate::env::{Environment, KernelSymbol, KernelTypeId, PerCpu, Probe, ProbeArg, Stability};
use crate::ir::{ClauseId, Enabling, Limits, Scope, ValueType};
use crate::options::{Options, SetBy, StackOptions};
use crate::parse::{Names as KnownNames, place};
use crate::source::{SourceId, SourceKind, SourceMap, Span};
use crate::stability::{STABLE, Version, least};
use crate::types::parts::has_parts;
use crate::types::{Parameters, TagKind, Type, TypeId, TypeTable, bare_tag};

/// What the first probe of a description says about arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Signature {
    /// There is no probe: what is checked stands outside of clauses.
    pub outside: bool,
    /// There is no probe yet (`-Z`): nothing is known of its arguments.
    pub unknown: bool,
    /// Whether `args[]` may not be used (language spec §4.5).
    pub unstable: bool,
    /// The types of `args[]`.
    pub args: Arc<[ProbeArg]>,
    /// Which of them another probe of the description does not share: the index, and that probe.
    pub differing: Arc<[(usize, String)]>,
    /// What a provider definition says of them.
    pub interface: Option<Arc<Interface>>,
    /// How stable they are.
    pub args_triple: Stability,
    /// How stable the components of the probe are: provider, module, function, name.
    pub components: [Stability; 4],
    /// The description, all four parts.
    pub description: String,
}

impl Signature {
    /// That of what stands outside of clauses.
    pub(super) fn outside() -> Signature {
        Signature {
            outside: true,
            unknown: false,
            unstable: false,
            differing: Arc::from([]),
            args: Arc::from([]),
            interface: None,
            args_triple: STABLE,
            components: [STABLE; 4],
            description: String::new(),
        }
    }
}

/// A symbol of the kernel as a program uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// Its type, if anybody says.
    pub ty: Option<Marked>,
    /// Where it is.
    pub address: u64,
    /// How code comes to that of its CPU, if each has its own.
    pub per_cpu: Option<PerCpu>,
}

/// A clause with the side tables of one argument signature.
#[derive(Clone, Debug)]
pub struct CheckedClause {
    /// Index in [`Checked::programs`].
    pub program: usize,
    /// Index of the clause in the program's items.
    pub item: usize,
    /// The `N` of `dt_clause_N`.
    pub number: u32,
    /// What its expressions mean.
    pub info: TypeInfo,
    /// It names arguments of a probe that is not there: it can only be checked.
    pub idle: bool,
}

/// Everything the lowering needs.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The trees, with the side tables that do not depend on probes.
    pub programs: Vec<(Program, Early)>,
    /// The clauses, by [`ClauseId`].
    pub clauses: Vec<CheckedClause>,
    /// Which clause runs on which probes.
    pub enablings: Vec<Enabling>,
    /// The probes.
    pub probes: Vec<Probe>,
    /// By [`crate::ir::VarId`].
    pub vars: Vec<VarInfo>,
    /// By [`crate::ir::AggId`].
    pub aggs: Vec<AggInfo>,
    /// By program: how stable it is.
    pub attributes: Vec<Attributes>,
    /// By [`super::formula::FormulaId`].
    pub formulas: Vec<Formula>,
    /// By [`super::translator::TranslatorId`].
    pub translators: Vec<TranslatorInfo>,
    /// The types.
    pub types: TypeTable,
    /// The limits the program was compiled for.
    pub limits: Limits,
    /// Where members of the kernel's structures lie.
    pub kernel: KernelPlaces,
    /// What the pointers that scratch memory holds point into.
    pub flows: Flows,
}

/// A session being checked.
#[derive(Clone)]
pub struct Session<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) env: &'a dyn Environment,
    pub(super) args: &'a [String],
    pub(super) zdefs: bool,
    /// Nothing but D: see [`AggFn::called`].
    pub(super) strict: bool,
    /// Whether the constants of the libraries are known: not without libraries, nor with another system's (`syslibdir`).
    library_constants: bool,
    /// See [`crate::options::Libraries::left_out`].
    without: Vec<&'static str>,
    /// See [`crate::options::Libraries::offered`].
    pub(super) offered: Vec<&'static str>,
    /// The input and output of the translator that is being defined.
    pub(super) defining: Option<(Marked, TypeId)>,
    /// The least stability accepted.
    pub(super) amin: Option<Stability>,
    /// The version of the language that programs ask for.
    pub(super) version: Version,
    pub(super) declared: Declared,
    pub(super) limits: Limits,
    pub(super) kernel: KernelPlaces,
    pub(super) stacks: StackOptions,
    /// `printsize`: most bytes that `print` takes of what a pointer points to.
    pub(super) printsize: u32,
    /// `pcapsize`: most bytes that `pcap` takes of a packet.
    pub(super) pcapsize: u32,
    pub(super) types: TypeTable,
    pub(super) names: Names,
    pub(super) flows: Flows,
    pub(super) probes: Probes,
    pub(super) formulas: Vec<Formula>,
    pub(super) inlines: Inlines,
    pub(super) translators: Vec<TranslatorInfo>,
    pub(super) translator_index: TranslatorIndex,
    pub(super) interfaces: Interfaces,
    /// What all uses of formulas come to so far.
    pub(super) expanded: usize,
    /// The constants that enums of programs made.
    pub(super) enumerators: HashMap<String, Folded>,
    /// The typedefs that programs made; their types are in the table.
    pub(super) typedefs: HashSet<String>,
    /// The types that programs declare, with whether that is in an included file.
    pub(super) declared_types: Vec<(bool, TypeId)>,
    /// Whether a kernel symbol that is given a type need not exist (`knodefs`).
    pub(super) knodefs: bool,
    /// What is declared stands in an included file.
    pub(super) included: bool,
    /// The tags that included files defined: they come before those of D (language spec §5.6).
    pub(super) c_tags: HashSet<TypeId>,
    /// The typedefs that included files made.
    pub(super) c_typedefs: HashSet<String>,
    /// What headers define and D cannot say, by name (a tag with its keyword).
    pub(super) left_out: HashMap<String, LeftOut>,
    /// The symbols that programs gave a type.
    pub(super) externs: HashMap<String, Marked>,
    /// Type names that the kernel was asked for.
    pub(super) kernel_names: RefCell<HashMap<String, Option<KernelTypeId>>>,
    /// Tags that the kernel was asked for in vain.
    pub(super) absent: HashSet<TypeId>,
    spelt: HashMap<String, Option<TypeId>>,
    programs: Vec<(Program, Early)>,
    attributes: Vec<Attributes>,
    clauses: Vec<CheckedClause>,
    enablings: Vec<Enabling>,
    numbers: u32,
}

impl<'a> Session<'a> {
    /// A session without programs. `args` are the script arguments, `$0` first.
    pub fn new(sources: &'a SourceMap, env: &'a dyn Environment, args: &'a [String]) -> Session<'a> {
        Session {
            sources,
            env,
            args,
            zdefs: false,
            strict: false,
            library_constants: true,
            without: Vec::new(),
            offered: Vec::new(),
            defining: None,
            amin: None,
            version: Version::NEWEST,
            declared: Declared::default(),
            limits: Limits::default(),
            kernel: KernelPlaces::default(),
            stacks: StackOptions::default(),
            printsize: 8192,
            pcapsize: 1514,
            types: TypeTable::new(),
            names: Names::default(),
            flows: Flows::default(),
            probes: Probes::default(),
            formulas: Vec::new(),
            inlines: Inlines::new(),
            translators: Vec::new(),
            translator_index: TranslatorIndex::default(),
            interfaces: Interfaces::new(),
            expanded: 0,
            enumerators: HashMap::new(),
            typedefs: HashSet::new(),
            declared_types: Vec::new(),
            knodefs: false,
            included: false,
            c_tags: HashSet::new(),
            c_typedefs: HashSet::new(),
            left_out: HashMap::new(),
            externs: HashMap::new(),
            kernel_names: RefCell::default(),
            absent: HashSet::new(),
            spelt: HashMap::new(),
            programs: Vec::new(),
            attributes: Vec::new(),
            clauses: Vec::new(),
            enablings: Vec::new(),
            numbers: 0,
        }
    }

    /// Checks what is decided while a program is read, in source order; the parser may have stopped early (language
    /// spec §1.5). `options` are those in force after reading; `kind` is that of the source.
    pub fn early(
        &mut self,
        program: &mut Program,
        options: &Options,
        kind: SourceKind,
    ) -> Result<Early, Diagnostic> {
        self.zdefs = options.zdefs;
        self.strict = options.strict;
        self.library_constants = !options.libraries.none && options.libraries.system.is_none();
        self.without.clone_from(&options.libraries.left_out);
        self.offered.clone_from(&options.libraries.offered);
        self.amin = options.amin;
        self.version = options.version;
        self.limits = Limits { strsize: options.strsize, scratchsize: options.scratchsize };
        self.stacks = options.stacks;
        self.printsize = most_printed(program, options);
        self.knodefs = options.knodefs;
        self.pcapsize = options.pcapsize;
        let mut early = Early::new(program);
        self.note_left_out(&program.left_out);
        for (index, item) in program.items.iter_mut().enumerate() {
            let origin = Origin { program: self.programs.len(), item: index, member: 0 };
            self.included = matches!(item, Item::Declaration(declaration) if declaration.included);
            match item {
                Item::Declaration(declaration) => self.declare(&mut early, declaration)?,
                Item::Clause(clause) => {
                    self.fold_clause(&mut early, clause, kind)?;
                    Session::take_arms(&early, clause);
                }
                Item::Inline(inline) => self.define_inline(&mut early, origin, inline)?,
                Item::Translator(translator) => self.define_translator(&mut early, origin, translator)?,
                Item::Provider(provider) => self.define_provider(&mut early, provider)?,
                Item::Pragma(pragma) => self.note_pragma(pragma),
            }
        }
        if let Some(item) = program.beginning.as_deref() {
            self.beginning(&mut early, item, kind)?;
        }
        Ok(early)
    }

    /// Folds a clause.
    fn fold_clause(
        &mut self,
        early: &mut Early,
        clause: &Clause,
        kind: SourceKind,
    ) -> Result<(), Diagnostic> {
        let folded = clause.predicate.iter().try_for_each(|it| self.fold(early, it));
        folded
            .and_then(|()| self.fold_stmts(early, clause.body.as_deref().unwrap_or(&[])))
            .map_err(|error| self.foreign_probe(clause, kind).unwrap_or(error))
    }

    /// Puts the arms of constant conditions in the place of their `?:` ([`Early::take_arms`]).
    fn take_arms(early: &Early, clause: &mut Clause) {
        clause.predicate.iter_mut().for_each(|predicate| early.take_arms(predicate));
        early.take_arms_in(clause.body.as_deref_mut().unwrap_or(&mut []));
    }

    /// Checks what is complete of an item that an error ends. A definition is checked where it ends, so that of these
    /// nothing is but their expressions and the arguments of their probes.
    fn beginning(&mut self, early: &mut Early, item: &Item, kind: SourceKind) -> Result<(), Diagnostic> {
        match item {
            Item::Clause(clause) => self.fold_clause(early, clause, kind),
            Item::Declaration(declaration) if declaration.declarators.is_empty() => {
                match declaration.specs.definitions.is_empty() {
                    true => Ok(()),
                    false => self.specifiers(early, &declaration.specs, true).map(drop),
                }
            }
            Item::Declaration(declaration) => self.declare(early, declaration),
            Item::Inline(inline) => {
                let ty = Marked { ty: self.types.common().int, userland: false };
                let lists = inline.declarator.derived.iter().filter_map(|step| match step {
                    Derived::Assoc(list) => Some(list),
                    _ => None,
                });
                let names = lists.flatten().filter_map(|param| param.declarator.name.as_ref());
                early.params = names.map(|name| Param { name: name.name.clone(), ty }).collect();
                self.fold(early, &inline.value)
            }
            Item::Translator(translator) => {
                let ty = self.type_name(early, &translator.input)?;
                early.params = Arc::from([Param { name: translator.param.name.clone(), ty }]);
                translator.members.iter().try_for_each(|(_, value)| self.fold(early, value))
            }
            Item::Provider(provider) => {
                provider.probes.iter().try_for_each(|probe| self.interface(early, probe).map(drop))
            }
            Item::Pragma(_) => Ok(()),
        }
    }

    /// Checks the clauses of a program. Gives the number of probes they match.
    pub fn clauses(&mut self, source: SourceId, program: Program, early: Early) -> Result<usize, Diagnostic> {
        let kind = self.sources.get(source).kind;
        let mut matched = 0;
        let mut attributes = Attributes::default();
        let index = self.programs.len();
        for (item, clause) in program.items.iter().enumerate() {
            let Item::Clause(clause) = clause else { continue };
            let number = self.numbers;
            self.numbers += 1;
            let uses_args = uses_args(clause);
            let mut versions: Vec<(Signature, ClauseId)> = Vec::new();
            for desc in &clause.probes {
                let found = self.description(desc, kind)?;
                matched += found.probes.len();
                attributes.probes = least(attributes.probes, found.triple);
                let known = versions.iter().find(|(signature, _)| {
                    !uses_args
                        || (signature.unstable == found.signature.unstable
                            && signature.unknown == found.signature.unknown
                            && signature.args == found.signature.args
                            && signature.interface == found.signature.interface)
                });
                let id = match known {
                    Some((_, id)) => *id,
                    None => {
                        let checked = self.clause(&early, &found.signature, clause);
                        let (info, triple) =
                            checked.map_err(|error| suggest::assigned_later(error, &program))?;
                        attributes.statements = least(attributes.statements, triple);
                        let id = ClauseId(self.clauses.len() as u32);
                        let idle = found.signature.unknown && uses_args;
                        self.clauses.push(CheckedClause { program: index, item, number, info, idle });
                        versions.push((found.signature, id));
                        id
                    }
                };
                self.enablings.push(Enabling { clause: id, probes: found.probes.to_vec() });
            }
        }
        self.programs.push((program, early));
        self.attributes.push(attributes);
        Ok(matched)
    }

    /// Keeps a program whose clauses nobody asks about.
    pub fn without_clauses(&mut self, program: Program, early: Early) {
        self.programs.push((program, early));
    }

    /// Whether a description matches nothing so far.
    pub fn waits(&self) -> bool {
        self.enablings.iter().any(|enabling| enabling.probes.is_empty())
    }

    /// The types that programs declare, those of included files and the others, with everything in them known.
    pub fn declared_types(&mut self) -> (Vec<TypeId>, Vec<TypeId>) {
        let (mut of_files, mut own) = (Vec::new(), Vec::new());
        for (included, ty) in self.declared_types.clone() {
            self.load_types(ty);
            if included { of_files.push(ty) } else { own.push(ty) }
        }
        (of_files, own)
    }

    /// The checked session.
    pub fn finish(self) -> Checked {
        Checked {
            programs: self.programs,
            attributes: self.attributes,
            clauses: self.clauses,
            enablings: self.enablings,
            probes: self.probes.all,
            vars: self.names.vars,
            aggs: self.names.aggs,
            formulas: self.formulas,
            translators: self.translators,
            types: self.types,
            limits: self.limits,
            kernel: self.kernel,
            flows: self.flows,
        }
    }

    // Look-ups that all parts of the checker share.

    /// A type by the spelling of a table or of a probe's argument; `int` if no such type is known.
    pub(super) fn spelt(&mut self, spelling: &str) -> TypeId {
        match self.spelt_type(spelling) {
            Some(ty) => ty,
            // A pointer of a prototype to what this kernel does not tell of.
            None if spelling.ends_with('*') => {
                let name = spelling.trim_end_matches(['*', ' ']);
                let tag = self.types.add(Type::Tagged(TagKind::Struct, name.into()));
                let ty = self.types.add(Type::Typedef(name.into(), tag));
                self.types.pointer_to(ty)
            }
            None => self.types.common().int,
        }
    }

    /// A type by its spelling.
    pub(super) fn spelt_type(&mut self, spelling: &str) -> Option<TypeId> {
        if let Some(ty) = self.kernels_own(spelling) {
            return Some(ty);
        }
        if let Some(&ty) = self.spelt.get(spelling) {
            return ty;
        }
        let ty = self.types.spelt(spelling).or_else(|| self.kernel_spelt(spelling));
        self.spelt.insert(spelling.to_owned(), ty);
        ty
    }

    /// A spelling whose base is a tag of the kernel's, whatever programs call so.
    fn kernels_own(&mut self, spelling: &str) -> Option<TypeId> {
        let base_end = spelling.find('*').unwrap_or(spelling.len());
        let words = spelling[..base_end].split_whitespace();
        let mut words = words.filter(|word| !matches!(*word, "const" | "volatile" | "__user"));
        let (Some(kind), Some(tag), None) = (words.next(), words.next(), words.next()) else { return None };
        let mut ty = self.kernel_tag(TagKind::of_word(kind)?, tag)?;
        for _ in spelling[base_end..].matches('*') {
            ty = self.types.pointer_to(ty);
        }
        Some(ty)
    }

    /// The kernel's own type of a tag, which is what built-ins, probes and the library mean: a program may have a type of
    /// the same tag, before or after them.
    pub(super) fn kernel_tag(&mut self, kind: TagKind, tag: &str) -> Option<TypeId> {
        let kernel = self.env.kernel_types().ok()?;
        let id = kernel.find(None, Some(kind), tag)?;
        Some(self.types.import(kernel, id).ty)
    }

    /// A spelling whose base is a typedef of the kernel.
    fn kernel_spelt(&mut self, spelling: &str) -> Option<TypeId> {
        let base_end = spelling.find('*').unwrap_or(spelling.len());
        let mut words = spelling[..base_end].split_whitespace().filter(|word| *word != "const");
        let (Some(word), None) = (words.next(), words.next()) else { return None };
        let mut ty = self.named_type(word)?;
        for _ in spelling[base_end..].matches('*') {
            ty = self.types.pointer_to(ty);
        }
        Some(ty)
    }

    /// The type that the kernel has under a name, `mod`name` or plain; each name is asked for once.
    pub(super) fn kernel_name(&self, name: &str) -> Option<KernelTypeId> {
        if let Some(&known) = self.kernel_names.borrow().get(name) {
            return known;
        }
        let (module, bare) = match name.split_once('`') {
            Some((module, bare)) => (Some(module).filter(|module| !module.is_empty()), bare),
            None => (None, name),
        };
        let kernel = self.env.kernel_types().ok().filter(|_| !bare.contains('`'));
        let found = kernel.and_then(|kernel| kernel.find(module, None, bare));
        self.kernel_names.borrow_mut().insert(name.to_owned(), found);
        found
    }

    /// How a value of a type is stored and recorded; `None` for what has no value yet.
    pub(super) fn value_type(&self, ty: TypeId) -> Option<ValueType> {
        value_type(&self.types, ty)
    }

    /// How a key of a type is kept: as a value, or of a struct, union or array its bytes; `None` for what is no key.
    pub(super) fn key_type(&mut self, ty: TypeId) -> Option<ValueType> {
        self.load_types(ty);
        key_type(&self.types, ty, self.limits.strsize)
    }

    /// The number of a span's first line, control lines obeyed.
    pub(super) fn line_of(&self, span: Span) -> u32 {
        place(&self.sources.get(span.source).text, span.start).line
    }

    /// Whether there is a process given by `-p` or made by `-c`.
    pub(super) fn has_target(&self) -> bool {
        self.env.macro_variable("target").is_some_and(|pid| pid != 0)
    }

    // Errors about names.

    /// The value that an enum gives a name.
    pub(super) fn enumerator_value(&mut self, ty: TypeId, name: &str) -> Option<i64> {
        self.complete(ty);
        if let Ok(kernel) = self.env.kernel_types() {
            self.types.load_values(kernel, ty);
        }
        let values = self.types.enumeration(ty)?.values.as_deref()?;
        values.iter().find(|(known, _)| **known == *name).map(|(_, value)| *value)
    }

    /// Makes known everything that is in a type.
    pub(super) fn load_types(&mut self, ty: TypeId) {
        self.complete(ty);
        if let Ok(kernel) = self.env.kernel_types() {
            self.types.load_deeply(kernel, ty);
        }
    }

    /// Whether of a struct, union or enum only the tag is known.
    pub(super) fn is_incomplete(&self, ty: TypeId) -> bool {
        matches!(self.types.resolve(ty), Type::Tagged(..)) && self.types.size(ty, 0).is_none()
    }

    /// What is wrong with a type of which only the tag is known.
    pub(super) fn incomplete_type(&self, span: Span, ty: TypeId) -> Diagnostic {
        let error = errors::incomplete(span, &self.types.show(ty));
        let error = self.about_undefined(error, ty);
        match self.env.kernel_types() {
            Err(why) if error.help.is_none() => error.help(why),
            _ => error,
        }
    }

    /// A symbol of the kernel, `` `name `` or `` module`name ``, with the type that a program or the kernel gives it.
    pub(super) fn symbol(&mut self, name: &str, span: Span) -> Result<Symbol, Diagnostic> {
        let unknown = || {
            let error = errors::unknown_symbol(span, name);
            // A kernel that lists its functions and not its first task lists no data.
            let lists = |name| matches!(self.env.kernel_symbol(None, name), Ok(Some(_)));
            match lists("schedule") && !lists("init_task") {
                true => error.help(errors::NO_DATA_SYMBOLS),
                false => error,
            }
        };
        let (module, bare) = name.rsplit_once('`').ok_or_else(unknown)?;
        if module.contains('`') {
            return Err(errors::unknown_symbol(span, name).help(errors::NO_PROCESS_SYMBOLS));
        }
        let module = Some(module).filter(|module| !module.is_empty());
        let found = match self.env.kernel_symbol(module, bare) {
            // With `knodefs` it lies nowhere, and reading it faults.
            Ok(None) if self.knodefs && self.externs.contains_key(bare) => {
                KernelSymbol { ty: None, address: Some(0), per_cpu: None, function: false, size: 0 }
            }
            Ok(found) => found.ok_or_else(unknown)?,
            Err(why) => return Err(errors::symbols_unreadable(span, name, &why)),
        };
        let known = found.ty.zip(self.env.kernel_types().ok()).map(|(id, kernel)| {
            let imported = self.types.import(kernel, id);
            Marked { ty: imported.ty, userland: imported.userland }
        });
        let ty = match self.externs.get(bare).copied().or(known) {
            None if found.function => {
                let result = self.types.common().int;
                Some(Marked {
                    ty: self.types.add(Type::Function(result, Parameters::default())),
                    userland: false,
                })
            }
            ty => ty,
        };
        if let Some(ty) = ty {
            self.complete(ty.ty);
        }
        let hidden = "its address is hidden from this user (see /proc/sys/kernel/kptr_restrict)";
        let address = found.address.ok_or_else(|| errors::symbols_unreadable(span, name, hidden))?;
        Ok(Symbol { ty, address, per_cpu: found.per_cpu })
    }

    /// The size of the code of a function of the kernel, if it is known.
    pub(super) fn function_size(&self, operand: &Expr) -> Option<u64> {
        let ExprKind::Name(name) = &operand.kind else { return None };
        let (module, bare) = name.rsplit_once('`')?;
        let module = Some(module).filter(|module| !module.is_empty());
        let symbol = self.env.kernel_symbol(module, bare).ok()??;
        (symbol.size != 0).then_some(symbol.size)
    }

    /// Whether a word stands for a constant: an enumerator, an inline or a constant of the libraries.
    pub(super) fn is_constant_name(&self, name: &str) -> bool {
        self.enumerators.contains_key(name)
            || self.inline(name).is_some_and(|inline| matches!(inline.value, Value::Constant(_)))
            || self.library_constant(name).is_some()
    }

    /// The value of a constant of the libraries.
    pub(super) fn library_constant(&self, name: &str) -> Option<i64> {
        consts::constant(name).filter(|_| self.library_constants)
    }

    /// Why a name is unknown, if the libraries that are left out would define it.
    pub(super) fn of_library_left_out(&self, name: &str) -> Option<String> {
        let kind = if name.ends_with("_t") { "type" } else { "variable" };
        self.without.contains(&name).then(|| builtins::of_a_library(name, kind))
    }

    /// What is wrong with a name that is no variable.
    pub(super) fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        if self.hidden(name).is_some() {
            return self.hidden_help(errors::undefined_name(span, name), name);
        }
        let kind = if super::BUILTIN_ARRAYS.contains(&name) {
            Some("associative array")
        } else if Func::by_name(name).is_some() {
            Some("function")
        } else if Action::by_name(name).is_some() {
            Some("tracing function")
        } else if AggFn::by_name(name).is_some() {
            Some("aggregating function")
        } else {
            None
        };
        if let Some(kind) = kind {
            let error = errors::bad_reference(span, kind, name, "scalar");
            return match name {
                "args" => error.help(errors::ARGUMENTS),
                "stack" | "ustack" | "jstack" => error.help(format!("it is called: `{name}()`")),
                _ => error,
            };
        }
        if vars::UNIMPLEMENTED.contains(&name) {
            return errors::not_supported_yet(span, name);
        }
        let error = errors::undefined_name(span, name);
        if consts::constant(name).is_some() {
            return error.help(builtins::of_a_library(name, "constant"));
        }
        if let Some(help) = self.argument_advice(span) {
            return error.help(help);
        }
        self.suggest_variable(error, Scope::Global, name)
    }

    /// The error of `sizeof` for what has no size.
    pub(super) fn unsized_operand(&self, span: Span, ty: TypeId) -> Diagnostic {
        let error = self.about_undefined(errors::sizeof_type(span), ty);
        let tagged = matches!(self.types.resolve(ty), Type::Tagged(_, tag) if bare_tag(tag).is_some());
        if error.help.is_some() || !tagged {
            return error;
        }
        let unknown = errors::no_such_type(&self.types.show(ty), None);
        match self.env.kernel_types() {
            Ok(_) => error.help(unknown),
            Err(why) => error.help(format!("{unknown}; {why}")),
        }
    }

    /// What to write instead of `$1` if the argument is a word that names nothing.
    fn argument_advice(&self, span: Span) -> Option<String> {
        let number = self.sources.text(span).strip_prefix('$')?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| format!("`$${number}` is the argument as a string"))
    }
}

/// What the parser asks of the session to tell types from variables.
impl KnownNames for Session<'_> {
    fn is_type(&self, name: &str) -> bool {
        self.types.named(name).is_some() || self.kernel_name(name).is_some()
    }

    fn near_type(&self, name: &str) -> Option<String> {
        self.named_nearly(name)
    }

    fn is_global(&self, name: &str) -> bool {
        self.names.var(Scope::Global, name).is_some()
            || self.inline(name).is_some()
            || self.enumerators.contains_key(name)
            || self.is_built_in(name)
    }
}

/// How a key of a type is kept.
pub fn key_type(types: &TypeTable, ty: TypeId, strsize: u32) -> Option<ValueType> {
    if let Type::Float(_, bytes) = *types.resolve(ty) {
        return Some(ValueType::Float(bytes));
    }
    if !kept_as_bytes(types, ty) {
        return value_type(types, ty);
    }
    let size = u32::try_from(types.size(ty, strsize)?).ok()?;
    (1..=MOST_KEY).contains(&size).then_some(ValueType::Bytes(size))
}

/// Whether a key of a type is all its bytes: a struct, a union, and an array of what `%s` does not take for text (runtime
/// spec §7.6).
pub(super) fn kept_as_bytes(types: &TypeTable, ty: TypeId) -> bool {
    match types.resolve(ty) {
        Type::Array(element, _) => !types.is_char(*element),
        _ => has_parts(types, ty),
    }
}

/// Most bytes of a struct or array that is a key.
const MOST_KEY: u32 = 4096;

/// How a value of a type is stored and recorded; `None` for what has no value yet.
pub fn value_type(types: &TypeTable, ty: TypeId) -> Option<ValueType> {
    match types.resolve(ty) {
        Type::String => Some(ValueType::Str),
        // Characters are copied, as a string is.
        Type::Array(element, _) if types.is_character(*element) => Some(ValueType::Str),
        // The value of a function is its address.
        Type::Pointer(_) | Type::Function(..) => Some(ValueType::Pointer),
        Type::Symbolic(kind) => Some(ValueType::Symbolic(*kind)),
        _ => types.int_type(ty).map(|int| ValueType::Int { bits: int.bits, signed: int.signed }),
    }
}

/// `printsize` as it is at most while a program runs, which may raise it with `setopt`.
fn most_printed(program: &Program, options: &Options) -> u32 {
    let mut most = options.printsize;
    for item in &program.items {
        let Item::Clause(clause) = item else { continue };
        for_each_expr(clause, &mut |expr| {
            if let ExprKind::Call { callee, args } = &expr.kind
                && matches!(&callee.kind, ExprKind::Name(name) if name == "setopt")
                && let [name, value] = &args[..]
                && let (ExprKind::Str(name), ExprKind::Str(value)) = (&name.kind, &value.kind)
                && **name == *b"printsize"
            {
                let mut raised = options.clone();
                // What is refused is told when it happens (runtime spec §12.4).
                if raised.set("printsize", Some(&bytes::to_text(value)), SetBy::Setopt).is_ok() {
                    most = most.max(raised.printsize);
                }
            }
        });
    }
    most
}

fn uses_args(clause: &Clause) -> bool {
    let mut found = false;
    for_each_expr(clause, &mut |expr| {
        found |= matches!(&expr.kind, ExprKind::Name(name) if name == "args");
    });
    found
}
