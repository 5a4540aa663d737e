//! Calls of subroutines, and the reads of memory behind actions: what takes a pointer gets the bytes it points to, as a
//! block, so that only the read itself is bound to the event.

use super::build::{Fits, Val};
use super::clause::Lower;
use super::expr::not_yet;
use super::place::MemoryAt;
use crate::ast::{Clause, Expr, ExprKind, UnaryOp};
use crate::builtins::funcs::{FAMILIES, HARDWARE};
use crate::builtins::paths::PathPlaces;
use crate::builtins::{BuiltinVar, Func, Proto};
use crate::check::info::for_each_expr;
use crate::check::{ExprInfo, Meaning, TypeInfo};
use crate::diag::Diagnostic;
use crate::ir::{AddrSpace, BinOp, CmpOp, MemSize, Op, Reg, RegKind};
use crate::source::Span;

type Lowered = Result<Val, Diagnostic>;

/// The bits of a `qrwlock`'s word: readers, the writer, and writers that wait or write.
const READERS: i64 = 0xffff_fe00;
const WRITING: i64 = 0xff;
const WRITERS: i64 = 0x1ff;

/// How much of a command line is read: of its 79 bytes all.
const WORDS_READ: i64 = 80;
/// Bytes of the smallest pages.
const PAGE: i64 = 4096;

/// Whether a clause changes scratch memory besides filling it by `copyin`.
pub(super) fn changes_scratch(clause: &Clause, info: &TypeInfo) -> bool {
    let mut changes = false;
    for_each_expr(clause, &mut |expr| {
        changes |= match &expr.kind {
            ExprKind::Call { .. } => {
                matches!(info.get(expr).map(|info| info.meaning), Some(Meaning::Call(func)) if func.changes_scratch())
            }
            ExprKind::Assign { lhs: place, .. }
            | ExprKind::Postfix { operand: place, .. }
            | ExprKind::Unary { op: UnaryOp::Increment | UnaryOp::Decrement, operand: place } => {
                info.get(place).is_some_and(|info| info.meaning == Meaning::Memory)
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => {
                info.get(operand).is_some_and(|info| info.meaning == Meaning::StringByte)
            }
            _ => false,
        }
    });
    changes
}

impl Lower<'_> {
    pub(super) fn call(&mut self, func: Func, args: &[Expr], info: ExprInfo, span: Span) -> Lowered {
        match (func, args) {
            (Func::Copyin, [addr, size]) if self.changes_scratch => {
                let addr = self.value(addr)?.reg;
                let size = self.scratch_size(size)?;
                let to = self.emit_call(Func::Alloca, vec![size], RegKind::Int, span);
                let block = self.block(addr, size, AddrSpace::User, span);
                self.emit_call(Func::Fill, vec![block, to, size], RegKind::Int, span);
                Ok(Val::new(to, Fits::ANY))
            }
            (Func::Copyinto, [addr, size, to]) => {
                let addr = self.value(addr)?.reg;
                let size = self.scratch_size(size)?;
                let to = self.value(to)?.reg;
                let block = self.block(addr, size, AddrSpace::User, span);
                let done = self.emit_call(Func::Fill, vec![block, to, size], RegKind::Int, span);
                Ok(Val::new(done, Fits::ANY))
            }
            (Func::DPath | Func::MountPoint, [path]) => self.path(path, func == Func::MountPoint, span),
            (Func::Getf, [descriptor]) => self.open_file(descriptor, span),
            (Func::Arguments, [start, end]) => self.command_line(start, end, span),
            (Func::MutexOwner, [mutex]) => self.mutex_owner(mutex, span),
            (Func::MutexOwned, [mutex]) => {
                let owner = self.mutex_owner(mutex, span)?;
                let current = self.build.reg(RegKind::Int);
                self.build.emit(span, Op::Builtin { dst: current, var: BuiltinVar::Curthread, index: 0 });
                Ok(self.compare(CmpOp::Eq, owner.reg, current, span))
            }
            (Func::MutexTypeAdaptive | Func::MutexTypeSpin, [mutex]) => {
                self.effect(mutex)?;
                Ok(self.build.constant(span, i64::from(func == Func::MutexTypeAdaptive)))
            }
            (Func::RwReadHeld, [lock]) => self.lock_state(lock, READERS, CmpOp::Ne, 0, span),
            (Func::RwWriteHeld, [lock]) => self.lock_state(lock, WRITING, CmpOp::Eq, WRITING, span),
            (Func::RwIswriter, [lock]) => self.lock_state(lock, WRITERS, CmpOp::Ne, 0, span),
            (Func::Bcopy, [from, to, size]) => self.bcopy(from, to, size, span),
            (Func::InetNtop, [family, addr]) => self.sized_address(func, family, FAMILIES, addr, span),
            (Func::LinkNtop, [kind, addr]) => self.sized_address(func, kind, HARDWARE, addr, span),
            (Func::Copyout, [from, to, size]) => {
                let known = self.frame.early.constant(size).map(|c| c.value);
                let size = self.value(size)?.reg;
                let block = self.pointed_to(from, size, known)?;
                let to = self.value(to)?.reg;
                let done = self.emit_call(func, vec![block, to, size], RegKind::Int, span);
                Ok(Val::new(done, Fits::ANY))
            }
            _ => self.plain_call(func, args, info, span),
        }
    }

    /// A call whose arguments are values, strings, or blocks of a known size.
    fn plain_call(&mut self, func: Func, args: &[Expr], info: ExprInfo, span: Span) -> Lowered {
        let mut regs = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(func.row().params) {
            regs.push(match *param {
                param if param.is_text() => self.string(arg)?,
                Proto::Bytes(_, size) => {
                    let known = Some(i64::from(size));
                    let size = self.build.constant(arg.span, i64::from(size)).reg;
                    self.pointed_to(arg, size, known)?
                }
                _ => self.value(arg)?.reg,
            });
        }
        let kind = self.kind_of(info.ty);
        let dst = self.emit_call(func, regs, kind, span);
        Ok(Val::new(dst, self.fits(info.ty)))
    }

    pub(super) fn emit_call(&mut self, func: Func, args: Vec<Reg>, kind: RegKind, span: Span) -> Reg {
        let dst = self.build.reg(kind);
        self.build.emit(span, Op::Call { dst, func, args });
        dst
    }

    /// A size of scratch memory, checked if it is not known to be small enough.
    fn scratch_size(&mut self, size: &Expr) -> Result<Reg, Diagnostic> {
        let known = self.frame.early.constant(size).map(|c| c.value as u64);
        let reg = self.value(size)?.reg;
        Ok(match known {
            Some(size) if size <= u64::from(self.checked.limits.scratchsize) => reg,
            _ => self.emit_call(Func::Size, vec![reg], RegKind::Int, size.span),
        })
    }

    /// So many bytes at an address.
    pub(super) fn block(&mut self, addr: Reg, size: Reg, space: AddrSpace, span: Span) -> Reg {
        match space {
            AddrSpace::Scratch => {
                self.reads_scratch_block = true;
                self.emit_call(Func::Scratch, vec![addr, size], RegKind::Str, span)
            }
            AddrSpace::ByAddress | AddrSpace::User => {
                let user = i64::from(space == AddrSpace::User);
                let space = self.build.constant(span, user).reg;
                self.emit_call(Func::Block, vec![addr, size, space], RegKind::Str, span)
            }
        }
    }

    /// So many bytes where an expression points to; of a part of a variable as many as a constant says.
    fn pointed_to(&mut self, expr: &Expr, size: Reg, known: Option<i64>) -> Result<Reg, Diagnostic> {
        if self.leads_to_variable(expr) {
            let bytes = known.and_then(|size| u32::try_from(size).ok());
            let bytes =
                bytes.ok_or_else(|| not_yet(expr.span, "sizes of variables that are no constants"))?;
            return self.whole_behind(expr, bytes);
        }
        let space = self.address_space(expr)?;
        let addr = self.value(expr)?.reg;
        Ok(self.load_block(addr, (size, known), space, expr.span))
    }

    /// What memory an address is in, a pointer's or that of an integer made from one.
    pub(super) fn address_space(&self, expr: &Expr) -> Result<AddrSpace, Diagnostic> {
        let info = self.info_of(expr);
        match &expr.kind {
            ExprKind::Cast { operand, .. } if self.points_to(info).is_none() => self.address_space(operand),
            _ => self.space(expr, info),
        }
    }

    /// The path of a `struct path`, or of the place of a mount, seen from the root of the current process.
    fn path(&mut self, path: &Expr, of_mount: bool, span: Span) -> Lowered {
        let places = self.checked.kernel;
        let path = self.value(path)?.reg;
        let own = self.current_thread(span);
        let root = self.plus(own, places.task_fs, span);
        let packed = PathPlaces { of_mount, ..places.path }.packed().unwrap_or(0);
        let packed = self.build.constant(span, packed as i64).reg;
        let dst = self.emit_call(Func::Path, vec![path, root, packed], RegKind::Str, span);
        Ok(Val::new(dst, Fits::ANY))
    }

    /// The open file of a descriptor. One that is out of range reads the first of the table, and is not used.
    fn open_file(&mut self, descriptor: &Expr, span: Span) -> Lowered {
        let places = self.checked.kernel;
        let descriptor = self.value(descriptor)?.reg;
        let own = self.current_thread(span);
        let files = self.pointer_at(own, places.task_files, MemSize::B8, span);
        let table = self.pointer_at(files, places.files_table, MemSize::B8, span);
        let size = self.pointer_at(table, places.table_size, MemSize::B4, span);
        let known = self.compare(CmpOp::LtU, descriptor, size, span).reg;
        let number = self.arithmetic(BinOp::Mul, descriptor, known, span).reg;
        let width = self.build.constant(span, 8).reg;
        let distance = self.arithmetic(BinOp::Mul, number, width, span).reg;
        let open = self.pointer_at(table, places.table_files, MemSize::B8, span);
        let place = self.arithmetic(BinOp::Add, open, distance, span).reg;
        let file = self.pointer_at(place, 0, MemSize::B8, span);
        Ok(self.arithmetic(BinOp::Mul, file, known, span))
    }

    /// The words between two addresses of the process. A page holds their beginning, and what follows it need not be
    /// there: unless the words go on, what is read ends with that page, and begins before them if need be.
    fn command_line(&mut self, start: &Expr, end: &Expr, span: Span) -> Lowered {
        let start = self.value(start)?.reg;
        let end = self.value(end)?.reg;
        let (size, page) = (self.build.constant(span, WORDS_READ).reg, self.build.constant(span, PAGE).reg);
        let mask = self.build.constant(span, -PAGE).reg;
        let first = self.arithmetic(BinOp::And, start, mask, span).reg;
        let page_end = self.arithmetic(BinOp::Add, first, page, span).reg;
        let last = self.arithmetic(BinOp::Sub, page_end, size, span).reg;
        // 1 if the page's last bytes are to be read, else 0.
        let ends = self.compare(CmpOp::LeU, end, page_end, span).reg;
        let late = self.compare(CmpOp::LtU, last, start, span).reg;
        let moved = self.arithmetic(BinOp::And, ends, late, span).reg;
        let beyond = self.arithmetic(BinOp::Sub, start, last, span).reg;
        let skip = self.arithmetic(BinOp::Mul, beyond, moved, span).reg;
        let from = self.arithmetic(BinOp::Sub, start, skip, span).reg;
        let block = self.block(from, size, AddrSpace::User, span);
        let length = self.arithmetic(BinOp::Sub, end, start, span).reg;
        let dst = self.emit_call(Func::Words, vec![block, skip, length], RegKind::Str, span);
        Ok(Val::new(dst, Fits::ANY))
    }

    fn current_thread(&mut self, span: Span) -> Reg {
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Builtin { dst, var: BuiltinVar::Curthread, index: 0 });
        dst
    }

    fn plus(&mut self, base: Reg, offset: u32, span: Span) -> Reg {
        let at = MemoryAt { base: Some(base), offset: i64::from(offset), space: AddrSpace::ByAddress };
        self.address(at, span).reg
    }

    /// An unsigned integer of the kernel, so many bytes behind an address.
    fn pointer_at(&mut self, base: Reg, offset: u32, size: MemSize, span: Span) -> Reg {
        let (addr, space) = (self.plus(base, offset, span), AddrSpace::ByAddress);
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Load { dst, addr, size, signed: false, space });
        dst
    }

    /// The thread in the word of a mutex, whose lowest bits are flags.
    fn mutex_owner(&mut self, mutex: &Expr, span: Span) -> Lowered {
        let types = &self.checked.types;
        let record = self.points_to(self.info_of(mutex));
        let owner = record.and_then(|record| types.member(record, "owner"));
        let offset = owner.map_or(0, |owner| (owner.bit_offset / 8) as i64);
        let word = self.load_at(mutex, offset, MemSize::B8, span)?;
        let mask = self.build.constant(span, !7);
        Ok(self.arithmetic(BinOp::And, word, mask.reg, span))
    }

    /// Whether the bits of a lock's word (`qrwlock`) that `mask` leaves compare so to a value.
    fn lock_state(&mut self, lock: &Expr, mask: i64, op: CmpOp, to: i64, span: Span) -> Lowered {
        let word = self.load_at(lock, 0, MemSize::B4, span)?;
        let mask = self.build.constant(span, mask);
        let bits = self.arithmetic(BinOp::And, word, mask.reg, span);
        let to = self.build.constant(span, to);
        Ok(self.compare(op, bits.reg, to.reg, span))
    }

    /// An unsigned integer so many bytes behind a pointer.
    fn load_at(&mut self, pointer: &Expr, offset: i64, size: MemSize, span: Span) -> Result<Reg, Diagnostic> {
        let space = self.address_space(pointer)?;
        let base = self.value(pointer)?.reg;
        let addr = self.address(MemoryAt { base: Some(base), offset, space }, span).reg;
        let dst = self.build.reg(RegKind::Int);
        self.build.emit(span, Op::Load { dst, addr, size, signed: false, space });
        Ok(dst)
    }

    /// Bytes of a string or of memory to scratch memory.
    fn bcopy(&mut self, from: &Expr, to: &Expr, size: &Expr, span: Span) -> Lowered {
        let text = self.checked.types.is_string(self.info_of(from).ty);
        let known = self.frame.early.constant(size).map(|c| c.value);
        if self.leads_to_variable(from) {
            let to = self.value(to)?.reg;
            let size = self.scratch_size(size)?;
            let bytes = self.pointed_to(from, size, known)?;
            let done = self.emit_call(Func::Fill, vec![bytes, to, size], RegKind::Int, span);
            return Ok(Val::new(done, Fits::ANY));
        }
        let source = match text {
            true => self.string(from)?,
            false => self.value(from)?.reg,
        };
        let to = self.value(to)?.reg;
        let size = self.scratch_size(size)?;
        let bytes = match text {
            true => source,
            false => {
                let space = self.address_space(from)?;
                self.load_block(source, (size, known), space, span)
            }
        };
        let done = self.emit_call(Func::Fill, vec![bytes, to, size], RegKind::Int, span);
        Ok(Val::new(done, Fits::ANY))
    }

    /// `inet_ntop` and `link_ntop`: the kind of address says how many bytes are read. Each kind has its own read, of a
    /// constant size, since a kernel part reads no other size.
    fn sized_address(
        &mut self,
        func: Func,
        kind: &Expr,
        sizes: &[(i64, i64)],
        addr: &Expr,
        span: Span,
    ) -> Lowered {
        let known = self.frame.early.constant(kind).map(|c| c.value);
        let size = known.and_then(|known| sizes.iter().find(|&&(kind, _)| kind == known));
        if self.leads_to_variable(addr)
            && let Some(&(_, size)) = size
        {
            let kind = self.value(kind)?.reg;
            let length = self.build.constant(span, size).reg;
            let block = self.pointed_to(addr, length, Some(size))?;
            return Ok(Val::new(self.emit_call(func, vec![kind, block], RegKind::Str, span), Fits::ANY));
        }
        let space = self.address_space(addr)?;
        let kind = self.value(kind)?.reg;
        let addr = self.value(addr)?.reg;
        let sizes = match known {
            None => sizes,
            Some(known) => match sizes.iter().position(|&(kind, _)| kind == known) {
                Some(at) => &sizes[at..=at],
                None => &[],
            },
        };
        let dst = match (known, sizes) {
            (Some(_), &[(_, size)]) => self.address_text(func, kind, size, (addr, space), span),
            _ => {
                let dst = self.build.reg(RegKind::Str);
                self.address_of_kind((dst, func), kind, sizes, (addr, space), span);
                dst
            }
        };
        Ok(Val::new(dst, Fits::ANY))
    }

    fn address_text(
        &mut self,
        func: Func,
        kind: Reg,
        size: i64,
        (addr, space): (Reg, AddrSpace),
        span: Span,
    ) -> Reg {
        let length = self.build.constant(span, size).reg;
        let block = self.load_block(addr, (length, Some(size)), space, span);
        self.emit_call(func, vec![kind, block], RegKind::Str, span)
    }

    /// The text of an address whose kind is computed: a branch a kind that is known, and a fault behind the last. Each
    /// branch makes its text, since a block goes from the kernel part to where it is used, not through a branch's end.
    fn address_of_kind(
        &mut self,
        (dst, func): (Reg, Func),
        kind: Reg,
        sizes: &[(i64, i64)],
        memory: (Reg, AddrSpace),
        span: Span,
    ) {
        let mark = self.build.mark();
        let Some((&(known, size), others)) = sizes.split_first() else {
            let none = self.emit_call(Func::NoAddress, vec![kind], RegKind::Str, span);
            self.build.put(span, dst, none, mark);
            return;
        };
        let known = self.build.constant(span, known).reg;
        let cond = self.compare(CmpOp::Eq, kind, known, span).reg;
        let before = self.build.current();
        let then = self.build.begin();
        let mark = self.build.mark();
        let text = self.address_text(func, kind, size, memory, span);
        self.build.put(span, dst, text, mark);
        let then_end = self.build.current();
        let otherwise = self.build.begin();
        self.address_of_kind((dst, func), kind, others, memory, span);
        let otherwise_end = self.build.current();
        self.merge(before, cond, (then, then_end), Some((otherwise, otherwise_end)));
    }
}
