//! The text form of IR read back: text in, [`Program`] or [`Clause`] out, or the line that cannot be read.
//!
//! [`super::print`] describes the form. Only the form is checked here, and that names exist; [`super::verify`] judges
//! the program.

use std::sync::Arc;

use super::print::{self, BIN_OPS, CMP_OPS, NO_SPAN, PRIVATE, SPACES};
use super::{
    ActionSite, AggId, AggSite, AggSiteId, Aggregation, Block, BlockId, Clause, ClauseId, Detail, Enabling,
    Inst, MemSize, Op, ProbeIndex, Program, Reg, RegKind, Scope, SiteId, SlotId, StrId, Terminator, UnOp,
    ValueType, VarId, Variable,
};
use crate::builtins::aggs::Shape;
use crate::builtins::{Action, AggFn, BuiltinVar, Func};
use crate::env::{FiredBy, Probe, ProbeArg, ProbeId, ProviderStability, Stability};
use crate::format::{Conversion, ConversionKind, Format, Piece, Width};
use crate::source::{SourceId, Span};

/// Why a text is not IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: u32,
    /// What was expected, and the rest of the line.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a whole program.
pub fn program(text: &str) -> Result<Program, ParseError> {
    let mut program = Program::default();
    let mut lines = Lines::new(text);
    while let Some(mut cx) = lines.next() {
        lines.located(table_line(&mut cx, &mut program))?;
        if cx.finished() {
            continue;
        }
        let (id, clause) = clause_at(cx, &mut lines, &mut program)?;
        if id.index() != program.clauses.len() {
            return Err(lines.error(format!("expected clause c{}", program.clauses.len())));
        }
        program.clauses.push(clause);
    }
    Ok(program)
}

/// Reads one clause against the tables of `program`. String constants the table lacks are added to it.
pub fn clause(text: &str, program: &mut Program) -> Result<Clause, ParseError> {
    let mut lines = Lines::new(text);
    let Some(cx) = lines.next() else { return Err(lines.error("expected a clause".to_owned())) };
    let (_, clause) = clause_at(cx, &mut lines, program)?;
    match lines.next() {
        None => Ok(clause),
        Some(_) => Err(lines.error("expected nothing after the clause".to_owned())),
    }
}

/// Lines that hold something, comments removed.
struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    number: u32,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        Lines { rest: text.lines().enumerate(), number: 0 }
    }

    fn next(&mut self) -> Option<Cursor<'a>> {
        for (i, line) in self.rest.by_ref() {
            self.number = i as u32 + 1;
            let cx = Cursor { rest: without_comment(line).trim() };
            if !cx.finished() {
                return Some(cx);
            }
        }
        None
    }

    fn error(&self, message: String) -> ParseError {
        ParseError { line: self.number, message }
    }

    fn located<T>(&self, result: Result<T, String>) -> Result<T, ParseError> {
        result.map_err(|message| self.error(message))
    }
}

fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

/// The rest of a line. Blanks before a token are skipped.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    fn finished(&self) -> bool {
        self.rest.is_empty()
    }

    fn expected<T>(&self, what: &str) -> Result<T, String> {
        Err(match self.rest {
            "" => format!("expected {what} before the end of the line"),
            rest => format!("expected {what} at `{rest}`"),
        })
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        token
    }

    /// Takes `token` if it comes next; a word must end there.
    fn eat(&mut self, token: &str) -> bool {
        let Some(after) = self.rest.strip_prefix(token) else { return false };
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if token.bytes().last().is_some_and(is_word) && after.bytes().next().is_some_and(is_word) {
            return false;
        }
        self.rest = after.trim_start();
        true
    }

    fn need(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { self.expected(&format!("`{token}`")) }
    }

    /// Takes the bytes for which `f` holds; at least one.
    fn take_while(&mut self, what: &str, f: impl Fn(u8) -> bool) -> Result<&'a str, String> {
        match self.rest.bytes().position(|b| !f(b)).unwrap_or(self.rest.len()) {
            0 => self.expected(what),
            n => Ok(self.advance(n)),
        }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.take_while(what, |b| b.is_ascii_alphanumeric() || b == b'_')
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        let digits = self.take_while(what, |b| b.is_ascii_digit() || b == b'-')?;
        digits.parse().map_err(|_| format!("expected {what}, found `{digits}`"))
    }

    /// An id: a prefix directly followed by a number.
    fn id(&mut self, prefix: &str, what: &str) -> Result<u32, String> {
        match self.rest.strip_prefix(prefix) {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                self.rest = rest;
                self.number(what)
            }
            _ => self.expected(what),
        }
    }

    /// The next id of a table.
    fn next_id(&mut self, prefix: &str, len: usize) -> Result<(), String> {
        match self.id(prefix, "an id")? {
            id if id as usize == len => Ok(()),
            id => Err(format!("expected {prefix}{len}, found {prefix}{id}")),
        }
    }

    /// Items between commas, up to `close`, which is taken.
    fn list<T>(
        &mut self,
        close: &str,
        item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.items(item)?;
        self.need(close)?;
        Ok(items)
    }

    /// One or more items between commas.
    fn items<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn quoted(&mut self) -> Result<Vec<u8>, String> {
        let Some(rest) = self.rest.strip_prefix('"') else { return self.expected("a quoted text") };
        let mut bytes = Vec::new();
        let mut at = 0;
        loop {
            let Some(&byte) = rest.as_bytes().get(at) else { return self.expected("a closed text") };
            at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let escape = rest.as_bytes().get(at).copied();
                    at += 1;
                    bytes.push(match escape {
                        Some(b'n') => b'\n',
                        Some(b't') => b'\t',
                        Some(c @ (b'"' | b'\\')) => c,
                        Some(b'x') => {
                            let byte = rest.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
                            at += 2;
                            match byte {
                                Some(byte) => byte,
                                None => return self.expected("two hexadecimal digits in the text"),
                            }
                        }
                        _ => return self.expected("a known escape in the text"),
                    });
                }
                _ => bytes.push(byte),
            }
        }
        match rest.get(at..) {
            Some(rest) => self.rest = rest.trim_start(),
            None => return self.expected("a closed text"),
        }
        Ok(bytes)
    }

    fn quoted_string(&mut self) -> Result<String, String> {
        String::from_utf8(self.quoted()?).map_err(|_| "expected UTF-8 in the text".to_owned())
    }

    /// A span, if one is there.
    fn span(&mut self) -> Result<Span, String> {
        if !self.eat("@") {
            return Ok(NO_SPAN);
        }
        let mut start = self.number("a start")?;
        let mut source = 0;
        if self.eat(":") {
            source = start;
            start = self.number("a start")?;
        }
        self.need("..")?;
        Ok(Span { source: SourceId(source), start, end: self.number("an end")? })
    }

    fn value_type(&mut self) -> Result<ValueType, String> {
        Ok(match self.word("a type")? {
            "ptr" => ValueType::Pointer,
            "string" => ValueType::Str,
            word => {
                let bits = word.get(1..).and_then(|bits| bits.parse().ok());
                match (word.as_bytes().first(), bits) {
                    (Some(b'i'), Some(bits)) => ValueType::Int { bits, signed: true },
                    (Some(b'u'), Some(bits)) => ValueType::Int { bits, signed: false },
                    _ => return Err(format!("expected a type, found `{word}`")),
                }
            }
        })
    }

    fn end(&self) -> Result<(), String> {
        if self.finished() { Ok(()) } else { self.expected("the end of the line") }
    }
}

/// Reads a line that is not part of a clause; of the first line of a clause it takes nothing.
fn table_line(cx: &mut Cursor<'_>, program: &mut Program) -> Result<(), String> {
    let first = cx.rest;
    if cx.eat("clause") {
        cx.rest = first;
        return Ok(());
    }
    if cx.eat("limits") {
        cx.need("strsize")?;
        program.limits.strsize = cx.number("a size")?;
        cx.need("scratchsize")?;
        program.limits.scratchsize = cx.number("a size")?;
    } else if cx.eat("args") {
        let args: Vec<ProbeArg> = cx.items(|cx| {
            let ty = cx.quoted_string()?;
            Ok(ProbeArg { ty: Arc::from(ty), userland: cx.eat("userland") })
        })?;
        let Some(probe) = program.probes.last_mut() else { return Err("expected a probe before".to_owned()) };
        probe.args = Arc::from(args);
    } else if cx.eat("stability") {
        let stability = ProviderStability { description: stability(cx)?, args: stability(cx)? };
        let Some(probe) = program.probes.last_mut() else { return Err("expected a probe before".to_owned()) };
        probe.stability = stability;
    } else if cx.eat("var") {
        let variable = variable(cx)?;
        program.vars.push(variable);
    } else if cx.eat("agg") {
        let aggregation = aggregation(cx)?;
        program.aggs.push(aggregation);
    } else if cx.eat("string") {
        let bytes = cx.quoted()?;
        program.strings.push(bytes.into_boxed_slice());
    } else if cx.eat("enable") {
        let clause = ClauseId(cx.id("c", "a clause")?);
        cx.need("on")?;
        let probes = cx.items(|cx| Ok(ProbeIndex(cx.id("p", "a probe")?)))?;
        program.enablings.push(Enabling { clause, probes });
    } else if cx.rest.starts_with('p') {
        cx.next_id("p", program.probes.len())?;
        let probe = probe(cx)?;
        program.probes.push(probe);
    } else if cx.rest.starts_with('g') {
        cx.next_id("g", program.agg_sites.len())?;
        cx.need("=")?;
        let agg = agg_ref(cx, program)?;
        cx.need("in")?;
        let clause = ClauseId(cx.id("c", "a clause")?);
        program.agg_sites.push(AggSite { agg, clause, span: cx.span()? });
    } else if cx.rest.starts_with('k') {
        cx.next_id("k", program.sites.len())?;
        let site = action_site(cx, program)?;
        program.sites.push(site);
    } else {
        return cx.expected("a line of a program");
    }
    cx.end()
}

fn probe(cx: &mut Cursor<'_>) -> Result<Probe, String> {
    cx.need("=")?;
    cx.need("probe")?;
    let id = ProbeId(cx.number("a probe ID")?);
    let mut component = |last: bool| -> Result<Arc<str>, String> {
        let text = match cx.rest.starts_with('"') {
            true => cx.quoted_string()?,
            false => {
                let end = cx.rest.bytes().position(|b| b == b':' || b == b' ').unwrap_or(cx.rest.len());
                cx.advance(end).to_owned()
            }
        };
        if !last {
            cx.need(":")?;
        }
        Ok(Arc::from(text))
    };
    let [provider, module, function, name] =
        [component(false)?, component(false)?, component(false)?, component(true)?];
    let fired_by = match () {
        () if cx.eat("tracer") => FiredBy::Tracer,
        () if cx.eat("fault") => FiredBy::Fault,
        () => {
            cx.eat("source");
            FiredBy::Source
        }
    };
    Ok(Probe { id, provider, module, function, name, fired_by, args: Arc::from([]), stability: PRIVATE })
}

fn stability(cx: &mut Cursor<'_>) -> Result<Stability, String> {
    const LEVELS: &[&str] = &[
        "Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard",
        "Unknown", "CPU", "Platform", "Group", "ISA", "Common",
    ];
    let mut level = || {
        let word = cx.word("a stability level")?;
        LEVELS.iter().copied().find(|l| *l == word).ok_or(format!("unknown stability level `{word}`"))
    };
    let name = level()?;
    cx.need("/")?;
    let mut level = || {
        let word = cx.word("a stability level")?;
        LEVELS.iter().copied().find(|l| *l == word).ok_or(format!("unknown stability level `{word}`"))
    };
    let data = level()?;
    cx.need("/")?;
    let class = cx.word("a stability class")?;
    let class = LEVELS.iter().copied().find(|l| *l == class).ok_or(format!("unknown class `{class}`"))?;
    Ok(Stability { name, data, class })
}

fn variable(cx: &mut Cursor<'_>) -> Result<Variable, String> {
    let scope = scope(cx);
    let name = match cx.rest.starts_with('"') {
        true => cx.quoted_string()?,
        false => cx.word("a variable's name")?.to_owned(),
    };
    let keys = if cx.eat("[") { Some(cx.list("]", Cursor::value_type)?) } else { None };
    cx.need(":")?;
    Ok(Variable { name, scope, ty: cx.value_type()?, keys })
}

fn scope(cx: &mut Cursor<'_>) -> Scope {
    match () {
        () if cx.eat("self->") => Scope::ThreadLocal,
        () if cx.eat("this->") => Scope::ClauseLocal,
        () => Scope::Global,
    }
}

fn agg_name(cx: &mut Cursor<'_>) -> Result<String, String> {
    cx.need("@")?;
    match cx.rest.starts_with('"') {
        true => cx.quoted_string(),
        false => Ok(cx.word("an aggregation's name")?.to_owned()),
    }
}

fn aggregation(cx: &mut Cursor<'_>) -> Result<Aggregation, String> {
    let name = agg_name(cx)?;
    let keys = if cx.eat("[") { cx.list("]", Cursor::value_type)? } else { Vec::new() };
    cx.need(":")?;
    let func = cx.word("an aggregating function")?;
    let func = AggFn::by_name(func).ok_or(format!("unknown aggregating function `{func}`"))?;
    let mut shape = Shape::default();
    if cx.eat("(") {
        shape.base = cx.number("a base")?;
        cx.need(",")?;
        shape.limit = cx.number("a limit")?;
        cx.need(",")?;
        shape.step = cx.number("a step")?;
        cx.need(")")?;
    }
    Ok(Aggregation { name, func, shape, keys })
}

fn agg_ref(cx: &mut Cursor<'_>, program: &Program) -> Result<AggId, String> {
    if cx.rest.starts_with("@%") {
        return Ok(AggId(cx.id("@%", "an aggregation")?));
    }
    let name = agg_name(cx)?;
    match program.aggs.iter().position(|agg| agg.name == name) {
        Some(i) => Ok(AggId(i as u32)),
        None => Err(format!("unknown aggregation `@{name}`")),
    }
}

fn action_site(cx: &mut Cursor<'_>, program: &Program) -> Result<ActionSite, String> {
    cx.need("=")?;
    let action = match cx.word("an action")? {
        "default" => Action::Default,
        name => Action::by_name(name).ok_or(format!("unknown action `{name}`"))?,
    };
    cx.need("in")?;
    let clause = ClauseId(cx.id("c", "a clause")?);
    let stmt = if cx.eat("stmt") { cx.number("a statement number")? } else { 0 };
    cx.need("(")?;
    let args = cx.list(")", Cursor::value_type)?;
    let span = cx.span()?;
    let detail = if cx.eat("format") {
        Detail::Format(format(cx)?)
    } else if cx.eat("aggs") {
        let aggs = cx.items(|cx| agg_ref(cx, program))?;
        Detail::Printa { aggs, format: if cx.eat("format") { Some(format(cx)?) } else { None } }
    } else if cx.eat("agg") {
        Detail::Agg(agg_ref(cx, program)?)
    } else {
        Detail::None
    };
    Ok(ActionSite { action, clause, stmt, args, detail, span })
}

fn format(cx: &mut Cursor<'_>) -> Result<Format, String> {
    let mut pieces = Vec::new();
    while !cx.finished() {
        pieces.push(match cx.rest.starts_with('"') {
            true => Piece::Text(cx.quoted()?),
            false => {
                let token = cx.take_while("a piece of a format", |b| b != b' ')?;
                Piece::Conversion(conversion(token).ok_or(format!("unknown conversion `{token}`"))?)
            }
        });
    }
    Ok(Format { pieces })
}

fn conversion(token: &str) -> Option<Conversion> {
    let mut cx = Cursor { rest: token.strip_prefix('%')? };
    let [left, zero, plus, space, alternate, grouping, aggregation] = ['-', '0', '+', '_', '#', '\'', '@']
        .map(|flag| {
            let set = cx.rest.starts_with(flag);
            cx.advance(usize::from(set));
            set
        });
    let width = match () {
        () if cx.eat("*") => Width::Arg,
        () if cx.rest.starts_with("w0") => {
            cx.advance(2);
            Width::Fixed(0)
        }
        () if cx.rest.starts_with(|c: char| c.is_ascii_digit()) => Width::Fixed(cx.number("").ok()?),
        () => Width::None,
    };
    let precision = match () {
        () if cx.eat(".*") => Width::Arg,
        () if cx.eat(".") => Width::Fixed(cx.number("").ok()?),
        () => Width::None,
    };
    let integer = |base, upper, signed, bits| ConversionKind::Integer { base, upper, signed, bits };
    let letter = cx.rest.chars().next()?;
    cx.advance(letter.len_utf8());
    let kind = match letter {
        'd' => integer(10, false, true, cx.number("").ok()?),
        'u' => integer(10, false, false, cx.number("").ok()?),
        'o' => integer(8, false, false, cx.number("").ok()?),
        'x' => integer(16, false, false, cx.number("").ok()?),
        'X' => integer(16, true, false, cx.number("").ok()?),
        '!' => {
            let numbers: Vec<u8> = cx.items(|cx| cx.number("a number")).ok()?;
            let [base, upper, signed, bits] = numbers[..] else { return None };
            integer(base, upper != 0, signed != 0, bits)
        }
        'c' => ConversionKind::Char,
        'C' => ConversionKind::EscapedChar,
        's' => ConversionKind::Str,
        'S' => ConversionKind::EscapedStr,
        'T' => ConversionKind::Time,
        'Y' => ConversionKind::Date,
        'a' => ConversionKind::KernelAddress,
        'A' => ConversionKind::UserAddress,
        'k' => ConversionKind::Stack,
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => ConversionKind::Float(letter),
        _ => return None,
    };
    cx.finished().then_some(Conversion {
        kind,
        left,
        zero,
        plus,
        space,
        alternate,
        grouping,
        aggregation,
        width,
        precision,
    })
}

/// Reads a clause whose first line is at hand.
fn clause_at(
    mut cx: Cursor<'_>,
    lines: &mut Lines<'_>,
    program: &mut Program,
) -> Result<(ClauseId, Clause), ParseError> {
    let (id, number, span) = lines.located(clause_head(&mut cx))?;
    let mut code =
        Code { program, names: Vec::new(), regs: Vec::new(), blocks: Vec::new(), stmt: 0, point: 0 };
    code.names = print::var_names(code.program);
    loop {
        let Some(mut cx) = lines.next() else { return Err(lines.error("expected `}`".to_owned())) };
        if cx.eat("}") {
            lines.located(cx.end())?;
            break;
        }
        lines.located(code.line(&mut cx).and_then(|()| cx.end()))?;
    }
    let regs = code.kinds();
    let blocks = lines.located(code.finish())?;
    Ok((id, Clause { number, regs, blocks, span }))
}

fn clause_head(cx: &mut Cursor<'_>) -> Result<(ClauseId, u32, Span), String> {
    cx.need("clause")?;
    let id = ClauseId(cx.id("c", "a clause's id")?);
    let number = if cx.eat("number") { cx.number("a number")? } else { id.0 };
    let span = cx.span()?;
    cx.need("{")?;
    cx.end()?;
    Ok((id, number, span))
}

/// The clause being read.
struct Code<'a> {
    program: &'a mut Program,
    names: Vec<String>,
    /// By register number; `None`: not named yet.
    regs: Vec<Option<RegKind>>,
    blocks: Vec<(Vec<Inst>, Option<Terminator>)>,
    stmt: u32,
    point: u32,
}

/// More registers than any text needs, so that a number alone cannot use up memory.
const MAX_REGS: u32 = 1 << 20;

impl Code<'_> {
    fn kinds(&self) -> Vec<RegKind> {
        self.regs.iter().map(|kind| kind.unwrap_or(RegKind::Int)).collect()
    }

    fn finish(self) -> Result<Vec<Block>, String> {
        let blocks = self.blocks.into_iter().enumerate();
        blocks
            .map(|(i, (insts, end))| match end {
                Some(end) => Ok(Block { insts, end }),
                None => Err(format!("b{i} has no terminator")),
            })
            .collect()
    }

    fn line(&mut self, cx: &mut Cursor<'_>) -> Result<(), String> {
        if cx.eat("regs") {
            while !cx.finished() {
                self.reg(cx)?;
            }
            return Ok(());
        }
        if cx.eat("stmt") {
            self.stmt = cx.number("a statement number")?;
            return Ok(());
        }
        if cx.rest.starts_with('b') && cx.rest.ends_with(':') {
            cx.next_id("b", self.blocks.len())?;
            cx.need(":")?;
            self.blocks.push((Vec::new(), None));
            return Ok(());
        }
        if let Some(end) = self.terminator(cx)? {
            let last = self.block()?;
            last.1 = Some(end);
            return Ok(());
        }
        let op = self.op(cx)?;
        if cx.eat("#") {
            self.point = cx.number("a point")?;
        }
        let inst = Inst { op, point: self.point, stmt: self.stmt, span: cx.span()? };
        self.point = self.point.wrapping_add(1);
        self.block()?.0.push(inst);
        Ok(())
    }

    /// The block that takes the next line.
    fn block(&mut self) -> Result<&mut (Vec<Inst>, Option<Terminator>), String> {
        match self.blocks.last_mut() {
            Some(block) if block.1.is_none() => Ok(block),
            Some(_) => Err("expected the next block after a terminator".to_owned()),
            None => Err("expected `b0:` first".to_owned()),
        }
    }

    fn reg(&mut self, cx: &mut Cursor<'_>) -> Result<Reg, String> {
        let (kind, number) = match cx.rest.as_bytes().first() {
            Some(b's') => (RegKind::Str, cx.id("s", "a register")?),
            _ => (RegKind::Int, cx.id("i", "a register")?),
        };
        if number >= MAX_REGS {
            return Err(format!("register number {number} is too high"));
        }
        if self.regs.len() <= number as usize {
            self.regs.resize(number as usize + 1, None);
        }
        match self.regs[number as usize] {
            Some(known) if known != kind => Err(format!("register {number} is both `i` and `s`")),
            _ => {
                self.regs[number as usize] = Some(kind);
                Ok(Reg(number))
            }
        }
    }

    fn two(&mut self, cx: &mut Cursor<'_>) -> Result<(Reg, Reg), String> {
        let lhs = self.reg(cx)?;
        cx.need(",")?;
        Ok((lhs, self.reg(cx)?))
    }

    fn regs(&mut self, cx: &mut Cursor<'_>, close: &str) -> Result<Vec<Reg>, String> {
        cx.list(close, |cx| self.reg(cx))
    }

    fn slot(cx: &mut Cursor<'_>) -> Result<SlotId, String> {
        Ok(SlotId(cx.id("$", "a slot")?))
    }

    fn terminator(&mut self, cx: &mut Cursor<'_>) -> Result<Option<Terminator>, String> {
        let block = |cx: &mut Cursor<'_>| Ok::<_, String>(BlockId(cx.id("b", "a block")?));
        Ok(Some(if cx.eat("goto") {
            Terminator::Goto(block(cx)?)
        } else if cx.eat("branch") {
            let cond = self.reg(cx)?;
            cx.need("?")?;
            let then = block(cx)?;
            cx.need(":")?;
            let otherwise = block(cx)?;
            cx.need("merge")?;
            Terminator::Branch { cond, then, otherwise, merge: block(cx)? }
        } else if cx.eat("return") {
            Terminator::Return
        } else if cx.eat("attempt") {
            let body = block(cx)?;
            cx.need("->")?;
            let slot = Self::slot(cx)?;
            cx.need("merge")?;
            Terminator::Attempt { body, slot, merge: block(cx)? }
        } else {
            return Ok(None);
        }))
    }

    fn var(&self, cx: &mut Cursor<'_>) -> Result<VarId, String> {
        if cx.rest.starts_with('%') {
            return Ok(VarId(cx.id("%", "a variable")?));
        }
        let prefix = print::scope_prefix(scope(cx));
        let name = format!("{prefix}{}", cx.word("a variable")?);
        match self.names.iter().position(|n| *n == name) {
            Some(i) => Ok(VarId(i as u32)),
            None => Err(format!("unknown variable `{name}`")),
        }
    }

    fn op(&mut self, cx: &mut Cursor<'_>) -> Result<Op, String> {
        if cx.eat("store") {
            let (size, _) = width(cx)?;
            cx.need("[")?;
            let addr = self.reg(cx)?;
            cx.need("]")?;
            cx.need("=")?;
            return Ok(Op::Store { addr, src: self.reg(cx)?, size });
        }
        if cx.eat("set") {
            let var = self.var(cx)?;
            let keys = if cx.eat("[") { Some(self.regs(cx, "]")?) } else { None };
            cx.need("=")?;
            let src = self.reg(cx)?;
            return Ok(match keys {
                Some(keys) => Op::SetElem { var, keys, src },
                None => Op::SetVar { var, src },
            });
        }
        if cx.eat("aggregate") {
            let site = AggSiteId(cx.id("g", "an aggregation site")?);
            cx.need("[")?;
            let keys = self.regs(cx, "]")?;
            let mut value = None;
            if cx.eat("(") {
                value = Some(self.reg(cx)?);
                cx.need(")")?;
            }
            let weight = if cx.eat("weight") { Some(self.reg(cx)?) } else { None };
            return Ok(Op::Aggregate { site, keys, value, weight });
        }
        if cx.eat("record") {
            let site = SiteId(cx.id("k", "an action site")?);
            cx.need("(")?;
            return Ok(Op::Record { site, args: self.regs(cx, ")")? });
        }
        if cx.eat("send") {
            let slot = Self::slot(cx)?;
            cx.need("=")?;
            return Ok(Op::Send { slot, src: self.reg(cx)? });
        }
        if cx.eat("work") {
            return Ok(Op::Work);
        }
        if cx.eat("setbit") {
            return Ok(Op::SetBit { bit: cx.number("a bit")? });
        }
        if cx.eat("control") {
            if cx.eat("cut") {
                return Ok(Op::Control { status: None });
            }
            cx.need("exit")?;
            return Ok(Op::Control { status: Some(self.reg(cx)?) });
        }
        if cx.eat("faultpoint") {
            let attempt =
                if cx.finished() || cx.rest.starts_with(['#', '@']) { None } else { Some(Self::slot(cx)?) };
            return Ok(Op::FaultPoint { attempt });
        }
        let dst = self.reg(cx)?;
        cx.need("=")?;
        self.value(cx, dst)
    }

    /// What stands after `dst =`.
    fn value(&mut self, cx: &mut Cursor<'_>, dst: Reg) -> Result<Op, String> {
        if cx.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Op::Const { dst, value: cx.number("a constant")? });
        }
        if cx.rest.starts_with('"') {
            let bytes = cx.quoted()?;
            return Ok(Op::Str { dst, value: self.string(&bytes) });
        }
        let start = cx.rest;
        let word = cx.word("an operation")?;
        if let Some((op, _)) = BIN_OPS.iter().find(|(_, name)| *name == word) {
            let (lhs, rhs) = self.two(cx)?;
            return Ok(Op::Binary { op: *op, dst, lhs, rhs });
        }
        if let Some((op, _)) = CMP_OPS.iter().find(|(_, name)| *name == word) {
            let (lhs, rhs) = self.two(cx)?;
            return Ok(Op::Compare { op: *op, dst, lhs, rhs });
        }
        let str_cmp = word.strip_prefix("str").filter(|rest| !rest.is_empty());
        if let Some((op, _)) = str_cmp.and_then(|rest| CMP_OPS.iter().find(|(_, name)| *name == rest)) {
            let (lhs, rhs) = self.two(cx)?;
            return Ok(Op::StrCompare { op: *op, dst, lhs, rhs });
        }
        if let Some((signed, bits)) = extension(word) {
            return Ok(Op::Extend { dst, src: self.reg(cx)?, bits, signed });
        }
        Ok(match word {
            "null" => Op::Null { dst },
            "str" => Op::Str { dst, value: StrId(cx.number("a string's index")?) },
            "neg" => Op::Unary { op: UnOp::Neg, dst, src: self.reg(cx)? },
            "not" => Op::Unary { op: UnOp::Not, dst, src: self.reg(cx)? },
            "builtin" => {
                let name = internal_or_word(cx, "a built-in variable")?;
                let (var, index) =
                    BuiltinVar::by_name(name).ok_or(format!("unknown built-in variable `{name}`"))?;
                Op::Builtin { dst, var, index }
            }
            "load" => {
                let (size, signed) = width(cx)?;
                let space = space(cx)?;
                cx.need("[")?;
                let addr = self.reg(cx)?;
                cx.need("]")?;
                Op::Load { dst, addr, size, signed, space }
            }
            "loadstr" => {
                let space = space(cx)?;
                cx.need("[")?;
                let addr = self.reg(cx)?;
                cx.need("]")?;
                cx.need("limit")?;
                Op::LoadStr { dst, addr, limit: cx.number("a limit")?, space }
            }
            "get" => {
                let var = self.var(cx)?;
                match cx.eat("[") {
                    true => Op::GetElem { dst, var, keys: self.regs(cx, "]")? },
                    false => Op::GetVar { dst, var },
                }
            }
            "call" => {
                let name = internal_or_word(cx, "a subroutine")?;
                let func = Func::by_name(name).ok_or(format!("unknown subroutine `{name}`"))?;
                cx.need("(")?;
                Op::Call { dst, func, args: self.regs(cx, ")")? }
            }
            "recv" => Op::Recv { dst, slot: Self::slot(cx)? },
            "bit" => Op::Bit { dst, bit: cx.number("a bit")? },
            _ => {
                cx.rest = start;
                let is_reg =
                    start.starts_with(['i', 's']) && start[1..].starts_with(|c: char| c.is_ascii_digit());
                if !is_reg {
                    return Err(format!("unknown operation `{word}`"));
                }
                Op::Move { dst, src: self.reg(cx)? }
            }
        })
    }

    fn string(&mut self, bytes: &[u8]) -> StrId {
        let strings = &mut self.program.strings;
        let at = strings.iter().position(|s| **s == *bytes).unwrap_or_else(|| {
            strings.push(bytes.into());
            strings.len() - 1
        });
        StrId(at as u32)
    }
}

/// A word, or `<words>` for the internal rows of the tables.
fn internal_or_word<'a>(cx: &mut Cursor<'a>, what: &str) -> Result<&'a str, String> {
    match (cx.rest.starts_with('<'), cx.rest.find('>')) {
        (true, Some(end)) => Ok(cx.advance(end + 1)),
        _ => cx.word(what),
    }
}

fn extension(word: &str) -> Option<(bool, u8)> {
    let (signed, bits) = match word.strip_prefix("sext") {
        Some(bits) => (true, bits),
        None => (false, word.strip_prefix("zext")?),
    };
    Some((signed, bits.parse().ok()?))
}

fn width(cx: &mut Cursor<'_>) -> Result<(MemSize, bool), String> {
    let ValueType::Int { bits, signed } = cx.value_type()? else {
        return cx.expected("an integer type before");
    };
    let size = match bits {
        8 => MemSize::B1,
        16 => MemSize::B2,
        32 => MemSize::B4,
        64 => MemSize::B8,
        _ => return Err(format!("expected 8, 16, 32 or 64 bits, found {bits}")),
    };
    Ok((size, signed))
}

fn space(cx: &mut Cursor<'_>) -> Result<super::AddrSpace, String> {
    let word = cx.word("an address space")?;
    let found = SPACES.iter().find(|(_, name)| *name == word).map(|(space, _)| *space);
    found.ok_or(format!("unknown address space `{word}`"))
}

#[cfg(test)]
mod tests {
    use super::super::print::{self, Spans};
    use super::*;

    /// Every table and every op, in the form the printer gives.
    const ALL: &str = r#"limits strsize 64 scratchsize 512
p0 = probe 42 syscall:vmlinux:read:entry source
    args "int", "char *" userland
    stability Evolving/Evolving/ISA Private/Private/Unknown
p1 = probe 1 dtrace:::BEGIN tracer
p2 = probe 3 dtrace:::ERROR fault
p3 = probe 9 "a b"::"x:y\xc3\xa9":n source
var x: i32
var self->t: u64
var this->s: string
var a[i32, string]: ptr
var x: u8
agg @_[string]: quantize
agg @lat[]: lquantize(-5, 100, 10)
string "passwd"
string "passwd"
string "a\"\\\n\t\x00\xff;"
g0 = @_ in c0 @10..20
g1 = @lat in c0 @1:1..2
k0 = printf in c0 stmt 1 (string, i32) @3..9 format %-16.3s "a; b\n" %0+_#'5d32 %*.*x64 %w0.0!10,1,1,8 %c %C %S %T %Y %a %A %k %e
k1 = printa in c0 stmt 2 () aggs @_, @lat format %@8d64
k2 = printa in c0 stmt 2 () aggs @_
k3 = trunc in c0 stmt 3 (i64) agg @lat
k4 = default in c0 ()
k5 = printf in c0 stmt 4 () format
enable c0 on p0, p1
enable c0 on p2
clause c0 number 7 @0..40 {
  regs i3 s4
b0:
    i0 = builtin pid
    i1 = -9223372036854775808 @3..9
    i2 = eq i0, i1 #7 @2:3..9
    i2 = ne i0, i1
    i2 = lts i0, i1
    i2 = les i0, i1
    i2 = ltu i0, i1
    i2 = leu i0, i1
    branch i2 ? b1 : b2 merge b2
b1:
  stmt 1
    i1 = add i0, i2
    i1 = sub i0, i2
    i1 = mul i0, i2
    i1 = divs i0, i2
    i1 = divu i0, i2
    i1 = rems i0, i2
    i1 = remu i0, i2
    i1 = and i0, i2
    i1 = or i0, i2
    i1 = xor i0, i2
    i1 = shl i0, i2
    i1 = shrs i0, i2
    i1 = shru i0, i2
    i1 = neg i0
    i1 = not i0
    i1 = sext8 i0
    i1 = zext32 i0
    i1 = i0
    s5 = "passwd"
    s5 = str 1
    s5 = "a\"\\\n\t\x00\xff;"
    s6 = null
    s6 = s5
    i1 = streq s5, s6
    i1 = strne s5, s6
    i1 = strltu s5, s6
    i1 = strleu s5, s6
    goto b2
b2:
    i0 = builtin arg9
    i0 = builtin <task start>
    s5 = builtin execname
    i0 = load u32 user [i1]
    i0 = load i8 any [i1]
    s5 = loadstr scratch [i1] limit 256
    store u16 [i1] = i0
    i0 = get self->t
    s5 = get this->s
    set %0 = i0
    set %4 = i0
    i0 = get a[i0, s5]
    set a[i0, s5] = i1
    aggregate g0 [s5] (i0) weight i1
    aggregate g1 [] (i0)
    aggregate g1 []
    i0 = call strlen(s5)
    s5 = call <suffix>(s5, i0)
    record k4 ()
  stmt 2
    record k0 (s5, i0)
    send $1 = s5
    work
    setbit 63
    control exit i0
    control cut
    s5 = recv $0
    i0 = bit 3
    faultpoint
    faultpoint $2 #200
    attempt b3 -> $1 merge b4
b3:
    goto b4
b4:
    return
}
"#;

    #[test]
    fn reading_back_what_was_printed() {
        let first = program(ALL).unwrap();
        let printed = print::program(&first, Spans::Keep);
        let bare: String = printed.lines().map(|l| without_comment(l).trim_end().to_owned() + "\n").collect();
        // The printer adds comments only, and two of the texts hold a `;`.
        assert_eq!(bare, ALL);
        assert_eq!(program(&printed).unwrap(), first);
        let clause_text = print::clause(&first, ClauseId(0), &first.clauses[0], Spans::Keep);
        assert_eq!(clause(&clause_text, &mut first.clone()).unwrap(), first.clauses[0]);
    }

    #[test]
    fn what_can_be_left_out() {
        let p = program(
            "p0 = probe 4 syscall::read:entry\nvar x: i32\nclause c0 {\nb0:\n  s0 = \"a\"\n  set x = i1\n  return\n}",
        )
        .unwrap();
        assert_eq!(p.strings, [Box::from(*b"a")]);
        assert_eq!(p.probes[0].fired_by, FiredBy::Source);
        assert_eq!(p.clauses[0].regs, [RegKind::Str, RegKind::Int]);
        assert_eq!(p.clauses[0].blocks[0].insts[1].point, 1);
    }

    #[test]
    fn notes_say_what_a_site_is() {
        let p = program(ALL).unwrap();
        let text = print::clause(&p, ClauseId(0), &p.clauses[0], Spans::Omit);
        for line in [
            "    aggregate g0 [s5] (i0) weight i1  ; @_ quantize\n",
            "    record k4 ()  ; default\n",
            "    i2 = eq i0, i1\n",
            "    i1 = divs i0, i2 #16\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("p1 = probe 1 a:b:c:d", "line 1: expected p0, found p1"),
            ("\n; nothing\nfoo", "line 3: expected a line of a program at `foo`"),
            ("var x: f32", "line 1: expected a type, found `f32`"),
            ("clause c0 {\nb0:\n  i0 = frob i1\n}", "line 3: unknown operation `frob`"),
            ("clause c0 {\nb0:\n  i0 = get y\n}", "line 3: unknown variable `y`"),
            ("clause c0 {\nb0:\n  i0 = s0\n}", "line 3: register 0 is both `i` and `s`"),
            ("clause c0 {\nb0:\n}", "line 3: b0 has no terminator"),
            ("clause c0 {\n  i0 = 1\n}", "line 2: expected `b0:` first"),
            ("clause c0 {\nb0:\n return\n i0 = 1\n}", "line 4: expected the next block after a terminator"),
            ("clause c1 {\nb0:\n return\n}", "line 4: expected clause c0"),
            ("clause c0 {\nb0:\n return", "line 3: expected `}`"),
            ("string \"a", "line 1: expected a closed text at `\"a`"),
            ("string \"\\xé\"", "line 1: expected two hexadecimal digits in the text at `\"\\xé\"`"),
            ("clause c0 {\nb0:\n i4000000000 = 1\n}", "line 3: register number 4000000000 is too high"),
        ] {
            assert_eq!(program(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
