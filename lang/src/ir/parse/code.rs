//! The code of a clause: lines of IR text in, blocks out.

use super::ParseError;
use super::cursor::{Cursor, Lines};
use super::tables::scope;
use crate::builtins::{BuiltinVar, Func};
use crate::ir::print::{self, BIN_OPS, CMP_OPS, SPACES};
use crate::ir::{
    AddrSpace, AggSiteId, Block, BlockId, BlockPiece, Clause, ClauseId, Inst, MemSize, Op, Program, Reg,
    RegKind, SiteId, SlotId, StrId, Terminator, UnOp, ValueType, VarId,
};
use crate::source::Span;

/// Reads a clause whose first line is at hand.
pub(super) fn clause_at(
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
                if name == "uregs" {
                    cx.need("[")?;
                    let index = cx.number("a register's index")?;
                    cx.need("]")?;
                    return Ok(Op::Builtin { dst, var: BuiltinVar::Uregs, index });
                }
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
            "assemble" => {
                let text = cx.eat("text");
                let size = cx.number("a size")?;
                cx.need("[")?;
                let mut pieces = Vec::new();
                while !cx.eat("]") {
                    if !pieces.is_empty() {
                        cx.need(",")?;
                    }
                    let bit = cx.number("a bit")?;
                    cx.need(":")?;
                    let bits = cx.number("a number of bits")?;
                    let string = cx.rest.starts_with('s');
                    pieces.push(BlockPiece { src: self.reg(cx)?, string, bit, bits });
                }
                Op::Assemble { dst, size, pieces, text }
            }
            "call" => {
                let name = internal_or_word(cx, "a subroutine")?;
                let func = Func::called(name, false).ok_or(format!("unknown subroutine `{name}`"))?;
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

fn space(cx: &mut Cursor<'_>) -> Result<AddrSpace, String> {
    let word = cx.word("an address space")?;
    let found = SPACES.iter().find(|(_, name)| *name == word).map(|(space, _)| *space);
    found.ok_or(format!("unknown address space `{word}`"))
}
