//! The tables of a program: one line of IR text in, one row added to the program.

use std::sync::Arc;

use super::cursor::Cursor;
use super::shapes::type_shape;
use crate::builtins::aggs::{LogLinear, Percentiles, Shape};
use crate::builtins::{Action, AggFn, Symbolic};
use crate::env::{FiredBy, Probe, ProbeArg, ProbeId, ProviderStability, Stability};
use crate::format::{Conversion, ConversionKind, Format, Piece, Width};
use crate::ir::print::PRIVATE;
use crate::ir::{
    ActionSite, AggId, AggSite, Aggregation, ClauseId, Detail, Enabling, ProbeIndex, Program, Scope, Variable,
};

/// Levels of a shape.
const MOST_NESTED: u32 = 64;

/// Reads a line that is not part of a clause; of the first line of a clause it takes nothing.
pub(super) fn table_line(cx: &mut Cursor<'_>, program: &mut Program) -> Result<(), String> {
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
    let ty = cx.value_type()?;
    Ok(Variable { name, scope, ty, keys, lossy: cx.eat("lossy") })
}

pub(super) fn scope(cx: &mut Cursor<'_>) -> Scope {
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
    let func = AggFn::called(func, false).ok_or(format!("unknown aggregating function `{func}`"))?;
    let shape = if cx.eat("(") { shape(cx, func)? } else { Shape::Plain };
    Ok(Aggregation { name, func, shape, keys })
}

/// The constants of a function, from behind their `(`.
fn shape(cx: &mut Cursor<'_>, func: AggFn) -> Result<Shape, String> {
    let comma = |cx: &mut Cursor<'_>| cx.need(",");
    let strings = |cx: &mut Cursor<'_>| match cx.word("`int` or `string`")? {
        "string" => Ok(true),
        "int" => Ok(false),
        other => Err(format!("expected `int` or `string`, found `{other}`")),
    };
    let shape = if func == AggFn::Percentile {
        let mut percentiles = Percentiles::NONE;
        loop {
            let written = cx.number("a percentage")?;
            percentiles = percentiles.and(written).ok_or("not a percentage")?;
            if !cx.eat(",") {
                break Shape::Percentiles(percentiles);
            }
        }
    } else if func == AggFn::Distinct {
        Shape::Distinct { strings: strings(cx)? }
    } else if func == AggFn::Topk {
        let wanted = cx.number("a number of values")?;
        comma(cx)?;
        Shape::Top { wanted, strings: strings(cx)? }
    } else if func == AggFn::Llquantize {
        let factor = cx.number("a factor")?;
        comma(cx)?;
        let low = cx.number("a low magnitude")?;
        comma(cx)?;
        let high = cx.number("a high magnitude")?;
        comma(cx)?;
        Shape::LogLinear(LogLinear { factor, low, high, steps: cx.number("a number of steps")? })
    } else {
        let base = cx.number("a base")?;
        comma(cx)?;
        let limit = cx.number("a limit")?;
        comma(cx)?;
        Shape::linear(base, limit, cx.number("a step")?)
    };
    cx.need(")")?;
    Ok(shape)
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
    } else if cx.eat("option") {
        Detail::Option { name: cx.quoted_string()?, value: cx.quoted_string()? }
    } else if cx.eat("shape") {
        Detail::Shape(type_shape(cx, MOST_NESTED)?)
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
        'B' => ConversionKind::EscapedArray,
        'T' => ConversionKind::Time,
        'Y' => ConversionKind::Date,
        'a' => ConversionKind::KernelAddress,
        'A' => ConversionKind::UserAddress,
        'k' => ConversionKind::Stack,
        'w' => ConversionKind::WideChar,
        'W' => ConversionKind::WideStr,
        letter if let Some(kind) = Symbolic::ALL.into_iter().find(|kind| kind.letter() == letter) => {
            ConversionKind::Symbolic(kind)
        }
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
