//! IR as text: an [`ir::Program`](super::Program) or a clause in, lines out. What is printed is read back by
//! [`super::parse`] to an equal value (as long as the clause passes the verifier, and apart from spans if they are
//! left out). Never fails: what the tables do not hold is printed by number.
//!
//! One line a thing; `;` starts a comment. Tables come first, clauses last:
//!
//! ```text
//! limits strsize 256 scratchsize 256                       omitted: the defaults
//! p0 = probe 42 syscall:vmlinux:read:entry source          or tracer, fault; omitted: source
//!     args "int", "char *" userland                        omitted: none
//!     stability Evolving/Evolving/ISA Private/Private/ISA  description, arguments; omitted: all Private, Unknown
//! var x: i32                                               types: i8…i64, u8…u64, ptr, string, bytes32
//! var self->t: u64
//! var a[i32, string]: u64
//! agg @_[string]: quantize
//! agg @lat[]: lquantize(0, 100, 10)                        base, limit, step
//! agg @p[]: percentile(50, 999)                             percentages
//! agg @d[]: distinct(string)                               what it counts; likewise topk(10, int)
//! agg @ll[]: llquantize(10, 0, 6, 20)                      factor, low, high, steps
//! string "passwd"                                          optional: literals in code are added as they appear
//! g0 = @_ in c0 @10..20                                    aggregation site: aggregation, clause, span
//! k0 = printf in c0 stmt 1 (string, i32) format %-16s " " %d32 "\n"
//! k1 = printa in c1 stmt 2 () aggs @_, @lat format %s %@8d64 "\n"
//! k2 = trunc in c1 stmt 3 (i64) agg @lat
//! k3 = default in c2 ()
//! k4 = setopt in c2 stmt 2 () option "quiet" "1"
//! k5 = print in c2 stmt 3 (ptr, bytes8) shape "struct s" 8 members {"a" 0 "int" 4 signed, "b" 32:3 "int" 4 signed}
//! enable c0 on p0, p1
//! clause c0 number 7 @0..40 {                              number omitted: that of the id
//! b0:
//!     i0 = builtin pid                                     point 0, statement 0
//!     i1 = 5                                               point 1
//!     i2 = eq i0, i1  #7 @3..9                             point 7; the next one has 8
//!     branch i2 ? b1 : b2 merge b2
//! b1:
//!   stmt 1                                                 from here on, in the order of the text
//!     …
//! ```
//!
//! A register is `i` or `s` and its number: the letter tells its kind. Registers that no instruction names are declared
//! with a line `regs i3 s4` before the first block; read back, those below the highest that are not are integers. Variables are named as in D, or by index (`%3`) where a name is no
//! identifier or not unique. A span is `@start..end`, in another text than the first `@source:start..end`; omitted, it
//! is `@0..0`.
//!
//! Format conversions are `%`, flags out of `-0+_#'@` (`_` is the blank), width and `.precision` (digits or `*`), and
//! the kind: `d32` and `u32` are signed and unsigned decimal of 32 bits, `o64 x64 X64` unsigned, the rest D's letters.
//!
//! | op | text |
//! |---|---|
//! | constants | `i0 = -5`, `s0 = "text"`, `s0 = str 3` (by index in the table), `s0 = null` |
//! | `Move` | `i0 = i1` |
//! | `Binary`, `Unary` | `i0 = add i1, i2` (`sub mul divs divu rems remu and or xor shl shrs shru`), `i0 = neg i1`, `not` |
//! | `Compare` | `i0 = eq i1, i2` (`ne lts les ltu leu`) |
//! | `StrCompare` | `i0 = streq s1, s2` (`strne strltu strleu`) |
//! | `Extend` | `i0 = sext8 i1`, `zext32` |
//! | `Builtin` | `i0 = builtin arg3`, `s0 = builtin execname`, `i0 = builtin uregs[7]`, `i0 = builtin <task start>` |
//! | `Load`, `LoadStr` | `i0 = load u32 user [i1]`, `s0 = loadstr any [i1] limit 256`; spaces: `any` (by address), `user`, `scratch` |
//! | `Store` | `store u32 [i0] = i1` |
//! | variables | `i0 = get self->t`, `set x = i0`, `i0 = get a[i1, s2]`, `set a[i1, s2] = i0` |
//! | `Aggregate` | `aggregate g0 [s1, i2] (i3) weight i4`; `(i3)` and the weight may be absent |
//! | `Call` | `i0 = call strlen(s1)`, `s0 = call <suffix>(s1, i2)` |
//! | `Record` | `record k0 (s1, i2)` |
//! | planner's, kernel | `send $0 = i1`, `work`, `setbit 3`, `control exit i0`, `control cut` |
//! | planner's, user | `i0 = recv $0`, `i0 = bit 3`, `faultpoint`, `faultpoint $2` |
//! | terminators | `goto b1`, `branch i0 ? b1 : b2 merge b3`, `return`, `attempt b1 -> $0 merge b2` |

use std::collections::HashMap;
use std::fmt::Write;

use super::{
    ActionSite, AddrSpace, BinOp, BlockPiece, Clause, ClauseId, CmpOp, Detail, Inst, MemSize, Op, Program,
    Reg, RegKind, Scope, Terminator, TypeShape, TypeShapeKind, UnOp, ValueType, VarId,
};
use crate::builtins::aggs::{Linear, LogLinear, Shape};
use crate::builtins::{Action, BuiltinVar};
use crate::env::{FiredBy, Probe, ProviderStability, Stability};
use crate::format::{Conversion, ConversionKind, Format, Piece, Width};
use crate::source::{SourceId, Span};

/// Whether places in the source are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spans {
    /// Yes: what is printed reads back equal.
    Keep,
    /// No, nor points of instructions that cannot fault: for people, and for tests that do not depend on them.
    Omit,
}

/// The span that is not printed.
pub(in crate::ir) const NO_SPAN: Span = Span { source: SourceId(0), start: 0, end: 0 };

/// The stability that is not printed.
pub(super) const PRIVATE: ProviderStability = {
    const PRIVATE: Stability = Stability { name: "Private", data: "Private", class: "Unknown" };
    ProviderStability { description: PRIVATE, args: PRIVATE }
};

/// A whole program.
pub fn program(program: &Program, spans: Spans) -> String {
    let mut out = Printer { program, names: var_names(program), spans, text: String::new() };
    out.program();
    out.text
}

/// One clause: of the program, or a part that the planner made of one. `id` is the clause it is, or is made of.
pub fn clause(program: &Program, id: ClauseId, clause: &Clause, spans: Spans) -> String {
    let mut out = Printer { program, names: var_names(program), spans, text: String::new() };
    out.clause(id, clause);
    out.text
}

/// One instruction of a clause, without its place.
pub fn inst(program: &Program, clause: &Clause, inst: &Inst) -> String {
    let out = Printer { program, names: var_names(program), spans: Spans::Omit, text: String::new() };
    out.op(&Regs(&clause.regs), inst)
}

/// Names of variables as the text spells them: D's name where it is an identifier and unique, else `%index`.
pub(super) fn var_names(program: &Program) -> Vec<String> {
    let spelt = |i: usize| {
        let var = &program.vars[i];
        is_identifier(&var.name).then(|| format!("{}{}", scope_prefix(var.scope), var.name))
    };
    let mut uses: HashMap<String, u32> = HashMap::new();
    for name in (0..program.vars.len()).filter_map(spelt) {
        *uses.entry(name).or_default() += 1;
    }
    (0..program.vars.len())
        .map(|i| spelt(i).filter(|name| uses[name] == 1).unwrap_or_else(|| format!("%{i}")))
        .collect()
}

/// What stands before a variable's name in D.
pub fn scope_prefix(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => "",
        Scope::ThreadLocal => "self->",
        Scope::ClauseLocal => "this->",
    }
}

pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A type as the text spells it.
pub fn value_type(ty: ValueType) -> String {
    match ty {
        ValueType::Int { bits, signed } => format!("{}{bits}", if signed { 'i' } else { 'u' }),
        ValueType::Pointer => "ptr".to_owned(),
        ValueType::Str => "string".to_owned(),
        ValueType::Symbolic(kind) => kind.word().to_owned(),
        ValueType::Bytes(size) => format!("bytes{size}"),
        ValueType::Float(size) => format!("float{size}"),
    }
}

/// Bytes between double quotes; what is not printable ASCII is escaped.
pub fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => push(&mut out, format_args!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

/// A built-in variable as D names it: `arg3`, `execname`.
pub fn builtin(var: BuiltinVar, index: u32) -> String {
    match var {
        BuiltinVar::Arg => format!("arg{index}"),
        BuiltinVar::Uregs => format!("uregs[{index}]"),
        _ => var.row().name.to_owned(),
    }
}

/// Appends to a string, which cannot fail.
fn push(out: &mut String, args: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(args);
}

/// Appends the text of a shape: name, size, kind.
fn shape(out: &mut String, shape_of: &TypeShape) {
    push(out, format_args!("{} {} ", quoted(shape_of.name.as_bytes()), shape_of.size));
    match &shape_of.kind {
        TypeShapeKind::Int { signed: true } => out.push_str("signed"),
        TypeShapeKind::Int { signed: false } => out.push_str("unsigned"),
        TypeShapeKind::Char { signed: true } => out.push_str("schar"),
        TypeShapeKind::Char { signed: false } => out.push_str("uchar"),
        TypeShapeKind::Float => out.push_str("float"),
        TypeShapeKind::Pointer => out.push_str("ptr"),
        TypeShapeKind::FunctionPointer => out.push_str("function"),
        TypeShapeKind::Text => out.push_str("text"),
        TypeShapeKind::Opaque => out.push_str("opaque"),
        TypeShapeKind::Enum(values) => {
            let values: Vec<_> =
                values.iter().map(|(value, name)| format!("{value} {}", quoted(name.as_bytes()))).collect();
            push(out, format_args!("enum {{{}}}", values.join(", ")));
        }
        TypeShapeKind::Array(element, count) => {
            push(out, format_args!("array {count} {{"));
            shape(out, element);
            out.push('}');
        }
        TypeShapeKind::Members(members) => {
            out.push_str("members {");
            for (i, member) in members.iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                let bits = member.bits.map_or(String::new(), |bits| format!(":{bits}"));
                let name = quoted(member.name.as_bytes());
                push(out, format_args!("{comma}{name} {}{bits} ", member.offset));
                shape(out, &member.shape);
            }
            out.push('}');
        }
    }
}

struct Printer<'a> {
    program: &'a Program,
    names: Vec<String>,
    spans: Spans,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, args: std::fmt::Arguments<'_>) {
        push(&mut self.text, args);
        self.text.push('\n');
    }

    fn program(&mut self) {
        let program = self.program;
        if program.limits != super::Limits::default() {
            let super::Limits { strsize, scratchsize } = program.limits;
            self.line(format_args!("limits strsize {strsize} scratchsize {scratchsize}"));
        }
        for (i, probe) in program.probes.iter().enumerate() {
            self.probe(i, probe);
        }
        for var in &program.vars {
            let name = match is_identifier(&var.name) {
                true => var.name.clone(),
                false => quoted(var.name.as_bytes()),
            };
            let spelt = format!("{}{name}", scope_prefix(var.scope));
            let keys = var.keys.as_ref().map_or(String::new(), |keys| format!("[{}]", types(keys)));
            let lossy = if var.lossy { " lossy" } else { "" };
            self.line(format_args!("var {spelt}{keys}: {}{lossy}", value_type(var.ty)));
        }
        for agg in &program.aggs {
            let shape = match agg.shape {
                Shape::Plain => String::new(),
                Shape::Linear(Linear { base, limit, step }) => format!("({base}, {limit}, {step})"),
                Shape::LogLinear(LogLinear { factor, low, high, steps }) => {
                    format!("({factor}, {low}, {high}, {steps})")
                }
                Shape::Percentiles(percentiles) => {
                    let written: Vec<_> = percentiles.written().map(|p| p.to_string()).collect();
                    format!("({})", written.join(", "))
                }
                Shape::Distinct { strings } => format!("({})", if strings { "string" } else { "int" }),
                Shape::Top { wanted, strings } => {
                    format!("({wanted}, {})", if strings { "string" } else { "int" })
                }
            };
            let func = agg.func.row().name;
            self.line(format_args!("agg {}[{}]: {func}{shape}", agg_name(&agg.name), types(&agg.keys)));
        }
        for string in &program.strings {
            self.line(format_args!("string {}", quoted(string)));
        }
        for (i, site) in program.agg_sites.iter().enumerate() {
            let (agg, clause, span) = (self.agg(site.agg.0), site.clause.0, self.span(site.span));
            self.line(format_args!("g{i} = {agg} in c{clause}{span}"));
        }
        for (i, site) in program.sites.iter().enumerate() {
            self.site(i, site);
        }
        for enabling in &program.enablings {
            let probes: Vec<_> = enabling.probes.iter().map(|p| format!("p{}", p.0)).collect();
            self.line(format_args!("enable c{} on {}", enabling.clause.0, probes.join(", ")));
        }
        for (i, clause) in program.clauses.iter().enumerate() {
            self.clause(ClauseId(i as u32), clause);
        }
    }

    fn probe(&mut self, i: usize, probe: &Probe) {
        let [a, b, c, d] =
            [&probe.provider, &probe.module, &probe.function, &probe.name].map(|part| component(part));
        let fired = match probe.fired_by {
            FiredBy::Source => "source",
            FiredBy::Tracer => "tracer",
            FiredBy::Fault => "fault",
        };
        self.line(format_args!("p{i} = probe {} {a}:{b}:{c}:{d} {fired}", probe.id.0));
        if !probe.args.is_empty() {
            let args: Vec<_> = probe
                .args
                .iter()
                .map(|arg| quoted(arg.ty.as_bytes()) + if arg.userland { " userland" } else { "" })
                .collect();
            self.line(format_args!("    args {}", args.join(", ")));
        }
        if probe.stability != PRIVATE {
            let triple = |s: Stability| format!("{}/{}/{}", s.name, s.data, s.class);
            let ProviderStability { description, args } = probe.stability;
            self.line(format_args!("    stability {} {}", triple(description), triple(args)));
        }
    }

    fn site(&mut self, i: usize, site: &ActionSite) {
        let name = action_name(site.action);
        let detail = match &site.detail {
            Detail::None => String::new(),
            Detail::Format(f) => format!(" format{}", format_text(f)),
            Detail::Agg(agg) => format!(" agg {}", self.agg(agg.0)),
            Detail::Option { name, value } => {
                format!(" option {} {}", quoted(name.as_bytes()), quoted(value.as_bytes()))
            }
            Detail::Shape(of) => {
                let mut text = " shape ".to_owned();
                shape(&mut text, of);
                text
            }
            Detail::Printa { format, aggs } => {
                let aggs: Vec<_> = aggs.iter().map(|a| self.agg(a.0)).collect();
                let format = format.as_ref().map_or(String::new(), |f| format!(" format{}", format_text(f)));
                format!(" aggs {}{format}", aggs.join(", "))
            }
        };
        let stmt = if site.stmt == 0 { String::new() } else { format!(" stmt {}", site.stmt) };
        let (clause, args, span) = (site.clause.0, types(&site.args), self.span(site.span));
        self.line(format_args!("k{i} = {name} in c{clause}{stmt} ({args}){span}{detail}"));
    }

    fn agg(&self, index: u32) -> String {
        self.program.aggs.get(index as usize).map_or(format!("@%{index}"), |agg| agg_name(&agg.name))
    }

    fn span(&self, span: Span) -> String {
        match self.spans {
            Spans::Omit => String::new(),
            Spans::Keep if span == NO_SPAN => String::new(),
            Spans::Keep if span.source.0 == 0 => format!(" @{}..{}", span.start, span.end),
            Spans::Keep => format!(" @{}:{}..{}", span.source.0, span.start, span.end),
        }
    }

    fn clause(&mut self, id: ClauseId, clause: &Clause) {
        let number = if clause.number == id.0 { String::new() } else { format!(" number {}", clause.number) };
        let span = self.span(clause.span);
        self.line(format_args!("clause c{}{number}{span} {{", id.0));
        let regs = Regs(&clause.regs);
        let unnamed = regs.unnamed(clause);
        if !unnamed.is_empty() {
            self.line(format_args!("  regs {}", unnamed.join(" ")));
        }
        let (mut stmt, mut point) = (0, 0);
        for (i, block) in clause.blocks.iter().enumerate() {
            self.line(format_args!("b{i}:"));
            for inst in &block.insts {
                if inst.stmt != stmt {
                    stmt = inst.stmt;
                    self.line(format_args!("  stmt {stmt}"));
                }
                let shown = match self.spans {
                    Spans::Keep => inst.point != point,
                    Spans::Omit => inst.may_fault(),
                };
                let at = if shown { format!(" #{}", inst.point) } else { String::new() };
                point = inst.point.wrapping_add(1);
                let (op, span, note) = (self.op(&regs, inst), self.span(inst.span), self.note(&inst.op));
                self.line(format_args!("    {op}{at}{span}{note}"));
            }
            let end = terminator(&regs, &block.end);
            self.line(format_args!("    {end}"));
        }
        self.line(format_args!("}}"));
    }

    fn op(&self, regs: &Regs<'_>, inst: &Inst) -> String {
        let r = |reg: Reg| regs.name(reg);
        let list = |list: &[Reg]| list.iter().map(|&reg| r(reg)).collect::<Vec<_>>().join(", ");
        match &inst.op {
            Op::Const { dst, value } => format!("{} = {value}", r(*dst)),
            Op::Str { dst, value } => {
                let strings = &self.program.strings;
                let literal = strings
                    .get(value.index())
                    .filter(|text| strings.iter().position(|s| s == *text) == Some(value.index()))
                    .map_or_else(|| format!("str {}", value.0), |text| quoted(text));
                format!("{} = {literal}", r(*dst))
            }
            Op::Null { dst } => format!("{} = null", r(*dst)),
            Op::Move { dst, src } => format!("{} = {}", r(*dst), r(*src)),
            Op::Binary { op, dst, lhs, rhs } => {
                format!("{} = {} {}, {}", r(*dst), bin_op(*op), r(*lhs), r(*rhs))
            }
            Op::Unary { op, dst, src } => format!("{} = {} {}", r(*dst), un_op(*op), r(*src)),
            Op::Compare { op, dst, lhs, rhs } => {
                format!("{} = {} {}, {}", r(*dst), cmp_op(*op), r(*lhs), r(*rhs))
            }
            Op::Extend { dst, src, bits, signed } => {
                format!("{} = {}ext{bits} {}", r(*dst), if *signed { 's' } else { 'z' }, r(*src))
            }
            Op::StrCompare { op, dst, lhs, rhs } => {
                format!("{} = str{} {}, {}", r(*dst), cmp_op(*op), r(*lhs), r(*rhs))
            }
            Op::Builtin { dst, var, index } => format!("{} = builtin {}", r(*dst), builtin(*var, *index)),
            Op::Load { dst, addr, size, signed, space: at } => {
                format!("{} = load {} {} [{}]", r(*dst), width(*size, *signed), space(*at), r(*addr))
            }
            Op::LoadStr { dst, addr, limit, space: at } => {
                format!("{} = loadstr {} [{}] limit {limit}", r(*dst), space(*at), r(*addr))
            }
            Op::Store { addr, src, size } => {
                format!("store {} [{}] = {}", width(*size, false), r(*addr), r(*src))
            }
            Op::GetVar { dst, var } => format!("{} = get {}", r(*dst), self.var(*var)),
            Op::SetVar { var, src } => format!("set {} = {}", self.var(*var), r(*src)),
            Op::GetElem { dst, var, keys } => {
                format!("{} = get {}[{}]", r(*dst), self.var(*var), list(keys))
            }
            Op::SetElem { var, keys, src } => {
                format!("set {}[{}] = {}", self.var(*var), list(keys), r(*src))
            }
            Op::Assemble { dst, size, pieces, text } => {
                let pieces: Vec<String> = pieces
                    .iter()
                    .map(|BlockPiece { src, bit, bits, .. }| format!("{bit}:{bits} {}", r(*src)))
                    .collect();
                let text = if *text { " text" } else { "" };
                format!("{} = assemble{text} {size} [{}]", r(*dst), pieces.join(", "))
            }
            Op::Aggregate { site, keys, value, weight } => {
                let value = value.map_or(String::new(), |reg| format!(" ({})", r(reg)));
                let weight = weight.map_or(String::new(), |reg| format!(" weight {}", r(reg)));
                format!("aggregate g{} [{}]{value}{weight}", site.0, list(keys))
            }
            Op::Call { dst, func, args } => {
                format!("{} = call {}({})", r(*dst), func.row().name, list(args))
            }
            Op::Record { site, args } => format!("record k{} ({})", site.0, list(args)),
            Op::Send { slot, src } => format!("send ${} = {}", slot.0, r(*src)),
            Op::Work => "work".to_owned(),
            Op::SetBit { bit } => format!("setbit {bit}"),
            Op::Control { status: Some(status) } => format!("control exit {}", r(*status)),
            Op::Control { status: None } => "control cut".to_owned(),
            Op::Recv { dst, slot } => format!("{} = recv ${}", r(*dst), slot.0),
            Op::Bit { dst, bit } => format!("{} = bit {bit}", r(*dst)),
            Op::FaultPoint { attempt: None } => "faultpoint".to_owned(),
            Op::FaultPoint { attempt: Some(slot) } => format!("faultpoint ${}", slot.0),
        }
    }

    /// What a site is, as a comment.
    fn note(&self, op: &Op) -> String {
        match op {
            Op::Aggregate { site, .. } => {
                let agg = self.program.agg_sites.get(site.index()).map(|site| site.agg);
                let agg = agg.and_then(|agg| self.program.aggs.get(agg.index()));
                agg.map_or(String::new(), |agg| {
                    format!("  ; {} {}", agg_name(&agg.name), agg.func.row().name)
                })
            }
            Op::Record { site, .. } => match self.program.sites.get(site.index()) {
                Some(site) => format!("  ; {}", action_name(site.action)),
                None => String::new(),
            },
            _ => String::new(),
        }
    }

    fn var(&self, var: VarId) -> String {
        self.names.get(var.index()).cloned().unwrap_or_else(|| format!("%{}", var.0))
    }
}

/// Register names of a clause.
struct Regs<'a>(&'a [RegKind]);

impl Regs<'_> {
    fn name(&self, reg: Reg) -> String {
        match self.0.get(reg.index()) {
            Some(RegKind::Str) => format!("s{}", reg.0),
            _ => format!("i{}", reg.0),
        }
    }

    /// Registers that no instruction and no terminator names.
    fn unnamed(&self, clause: &Clause) -> Vec<String> {
        let mut named = vec![false; self.0.len()];
        let mut name = |reg: Reg| {
            if let Some(slot) = named.get_mut(reg.index()) {
                *slot = true;
            }
        };
        for block in &clause.blocks {
            for inst in &block.insts {
                inst.op.dst().into_iter().for_each(&mut name);
                inst.op.for_each_src(&mut name);
            }
            if let Terminator::Branch { cond, .. } = block.end {
                name(cond);
            }
        }
        (0..self.0.len()).filter(|&i| !named[i]).map(|i| self.name(Reg(i as u32))).collect()
    }
}

fn terminator(regs: &Regs<'_>, end: &Terminator) -> String {
    match end {
        Terminator::Goto(to) => format!("goto b{}", to.0),
        Terminator::Branch { cond, then, otherwise, merge } => {
            format!("branch {} ? b{} : b{} merge b{}", regs.name(*cond), then.0, otherwise.0, merge.0)
        }
        Terminator::Return => "return".to_owned(),
        Terminator::Attempt { body, slot, merge } => {
            format!("attempt b{} -> ${} merge b{}", body.0, slot.0, merge.0)
        }
    }
}

fn types(types: &[ValueType]) -> String {
    types.iter().map(|&ty| value_type(ty)).collect::<Vec<_>>().join(", ")
}

/// An action's name; the record of an empty body is `default`.
pub fn action_name(action: Action) -> &'static str {
    match action.row().name {
        "" => "default",
        name => name,
    }
}

/// An aggregation as D names it, with `@`.
pub fn agg_name(name: &str) -> String {
    match is_identifier(name) {
        true => format!("@{name}"),
        false => format!("@{}", quoted(name.as_bytes())),
    }
}

/// A component of a probe's name: bare where nothing in it could be misread.
fn component(text: &str) -> String {
    match text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b':' | b'"' | b';')) {
        true => text.to_owned(),
        false => quoted(text.as_bytes()),
    }
}

/// The pieces of a format, each after a blank.
pub fn format_text(format: &Format) -> String {
    let mut out = String::new();
    for piece in &format.pieces {
        out.push(' ');
        match piece {
            Piece::Text(text) => out.push_str(&quoted(text)),
            Piece::Conversion(conversion) => out.push_str(&conversion_text(conversion)),
        }
    }
    out
}

fn conversion_text(c: &Conversion) -> String {
    let mut out = String::from("%");
    let flags =
        [(c.left, '-'), (c.zero, '0'), (c.plus, '+'), (c.space, '_'), (c.alternate, '#'), (c.grouping, '\'')];
    out.extend(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| *flag));
    out.push_str(if c.aggregation { "@" } else { "" });
    match c.width {
        Width::None => {}
        Width::Fixed(0) => out.push_str("w0"),
        Width::Fixed(n) => push(&mut out, format_args!("{n}")),
        Width::Arg => out.push('*'),
    }
    match c.precision {
        Width::None => {}
        Width::Fixed(n) => push(&mut out, format_args!(".{n}")),
        Width::Arg => out.push_str(".*"),
    }
    match c.kind {
        ConversionKind::Integer { base, upper, signed, bits } => {
            let letter = match (base, upper, signed) {
                (10, false, true) => 'd',
                (10, false, false) => 'u',
                (8, false, false) => 'o',
                (16, false, false) => 'x',
                (16, true, false) => 'X',
                _ => {
                    push(&mut out, format_args!("!{base},{},{},", u8::from(upper), u8::from(signed)));
                    push(&mut out, format_args!("{bits}"));
                    return out;
                }
            };
            push(&mut out, format_args!("{letter}{bits}"));
        }
        ConversionKind::Char => out.push('c'),
        ConversionKind::EscapedChar => out.push('C'),
        ConversionKind::Str => out.push('s'),
        ConversionKind::EscapedStr => out.push('S'),
        ConversionKind::EscapedArray => out.push('B'),
        ConversionKind::Time => out.push('T'),
        ConversionKind::Date => out.push('Y'),
        ConversionKind::KernelAddress => out.push('a'),
        ConversionKind::UserAddress => out.push('A'),
        ConversionKind::Stack => out.push('k'),
        ConversionKind::Symbolic(kind) => out.push(kind.letter()),
        ConversionKind::WideChar => out.push('w'),
        ConversionKind::WideStr => out.push('W'),
        ConversionKind::Float(letter) => out.push(letter),
    }
    out
}

/// Mnemonics of two-operand arithmetic.
pub(super) const BIN_OPS: &[(BinOp, &str)] = &[
    (BinOp::Add, "add"),
    (BinOp::Sub, "sub"),
    (BinOp::Mul, "mul"),
    (BinOp::DivS, "divs"),
    (BinOp::DivU, "divu"),
    (BinOp::RemS, "rems"),
    (BinOp::RemU, "remu"),
    (BinOp::And, "and"),
    (BinOp::Or, "or"),
    (BinOp::Xor, "xor"),
    (BinOp::Shl, "shl"),
    (BinOp::ShrS, "shrs"),
    (BinOp::ShrU, "shru"),
];

/// Mnemonics of comparisons.
pub(super) const CMP_OPS: &[(CmpOp, &str)] = &[
    (CmpOp::Eq, "eq"),
    (CmpOp::Ne, "ne"),
    (CmpOp::LtS, "lts"),
    (CmpOp::LeS, "les"),
    (CmpOp::LtU, "ltu"),
    (CmpOp::LeU, "leu"),
];

/// Names of address spaces.
pub(super) const SPACES: &[(AddrSpace, &str)] =
    &[(AddrSpace::ByAddress, "any"), (AddrSpace::User, "user"), (AddrSpace::Scratch, "scratch")];

fn bin_op(op: BinOp) -> &'static str {
    BIN_OPS.iter().find(|(o, _)| *o == op).map_or("?", |(_, name)| name)
}

fn cmp_op(op: CmpOp) -> &'static str {
    CMP_OPS.iter().find(|(o, _)| *o == op).map_or("?", |(_, name)| name)
}

fn space(space: AddrSpace) -> &'static str {
    SPACES.iter().find(|(s, _)| *s == space).map_or("?", |(_, name)| name)
}

fn un_op(op: UnOp) -> &'static str {
    match op {
        UnOp::Neg => "neg",
        UnOp::Not => "not",
    }
}

fn width(size: MemSize, signed: bool) -> String {
    format!("{}{}", if signed { 'i' } else { 'u' }, size.bytes() * 8)
}
