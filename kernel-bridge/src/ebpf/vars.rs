//! D variables that live in the kernel: globals in a mapped array, `self->` in task storage (a hash under injection),
//! `this->` in the context or scratch, associative arrays in hashes.
//!
//! A missing dynamic variable reads 0 or NULL. Storing zero or NULL removes it, which for a thread's variable means that
//! its cell is zeroed: the thread's value goes with the thread. How many threads may have cells that are not zero is
//! bounded ([`dtrail_lang::plan::layout::threads`]); the control map counts them.

use dtrail_lang::ir::{Reg, RegKind, VarId};
use dtrail_lang::plan::layout;

use super::asm::{Alu, FP, Jmp, Label, R0, R1, R2, R3, R4, Size};
use super::clause::Gen;
use super::context::{Field, STORAGE_CREATE};
use super::emit::{EmitError, is_clause_local};
use super::keys::KeyAddress;
use super::{VarPlace, control, helper, thread, var_place};

/// `BPF_NOEXIST`
const NOEXIST: i64 = 1;

impl Gen<'_> {
    fn place(&self, var: VarId) -> Result<VarPlace, EmitError> {
        let place = var_place(&self.env.state, var);
        place.ok_or_else(|| self.inconsistent("a kernel clause uses a variable that lives in user space"))
    }

    pub(super) fn get_var(&mut self, dst: Reg, var: VarId) -> Result<(), EmitError> {
        let string = self.kind(dst) == RegKind::Str;
        match self.place(var)? {
            VarPlace::Global { map, offset } => {
                self.asm.map_value(R1, map, offset);
                if string {
                    return self.string_from_cell(dst);
                }
                let target = self.target(dst);
                self.asm.ldx(Size::D, target, R1, 0);
                self.define(dst, target);
            }
            VarPlace::Firing { offset } if is_clause_local(self.env.plan, var) => {
                if string {
                    self.scratch_address(R1, offset);
                    return self.string_from_cell(dst);
                }
                let target = self.target(dst);
                self.base.load(&mut self.asm, target, offset);
                self.define(dst, target);
            }
            VarPlace::Task { map, offset } => {
                self.find_task(map)?;
                if string {
                    self.asm.mov(R1, R0);
                    return self.string_from_cell_or_null(dst, offset);
                }
                self.int_from_cell_or_zero(dst, offset);
            }
            VarPlace::Array { .. } | VarPlace::Firing { .. } => {
                return Err(self.inconsistent("a scalar variable has the place of another kind"));
            }
        }
        Ok(())
    }

    pub(super) fn set_var(&mut self, var: VarId, src: Reg) -> Result<(), EmitError> {
        let string = self.kind(src) == RegKind::Str;
        match self.place(var)? {
            VarPlace::Global { map, offset } => {
                if string {
                    self.asm.map_value(R1, map, offset);
                    return self.string_to_cell(src);
                }
                let value = self.operand(src, R0);
                self.asm.map_value(R1, map, offset);
                self.asm.stx(Size::D, R1, 0, value);
            }
            VarPlace::Firing { offset } if is_clause_local(self.env.plan, var) => {
                if string {
                    self.scratch_address(R1, offset);
                    return self.string_to_cell(src);
                }
                let value = self.operand(src, R0);
                self.base.store(&mut self.asm, offset, value);
            }
            VarPlace::Task { map, offset } => self.set_task(map, offset, src, string)?,
            VarPlace::Array { .. } | VarPlace::Firing { .. } => {
                return Err(self.inconsistent("a scalar variable has the place of another kind"));
            }
        }
        Ok(())
    }

    /// `dst` = the integer at `R0 + offset`, or 0 if `R0` is 0.
    fn int_from_cell_or_zero(&mut self, dst: Reg, offset: u32) {
        let missing = self.asm.label();
        let target = self.target(dst);
        // A missing cell's address is the value it reads.
        self.asm.jmp_imm(Jmp::Eq, R0, 0, missing);
        self.asm.ldx(Size::D, R0, R0, offset as i32);
        self.asm.bind(missing);
        self.asm.mov(target, R0);
        self.define(dst, target);
    }

    // ---- the thread's value ----

    /// `R0` = the address of the thread's value, 0 if it has none; found once a firing.
    fn find_task(&mut self, map: u32) -> Result<(), EmitError> {
        let base = self.base;
        let at = self.env.context.field(Field::Task);
        if self.known.has(Field::Task) {
            base.load(&mut self.asm, R0, at);
            return Ok(());
        }
        let (have, done) = (self.asm.label(), self.asm.label());
        // Ahead of the branch, so that what it fills is filled on both ways.
        let key = self.task_key()?;
        self.env.filler().go_if_filled(&mut self.asm, base, Field::Task, have);
        match key {
            Some(key) => self.lookup(map, &key),
            None => self.task_storage(map, 0),
        }
        self.keep_task();
        self.asm.ja(done);
        self.asm.bind(have);
        base.load(&mut self.asm, R0, at);
        self.asm.bind(done);
        self.known.add(Field::Task);
        Ok(())
    }

    /// Remembers the address in `R0` for the rest of the firing; clobbers `R1`.
    fn keep_task(&mut self) {
        self.base.store(&mut self.asm, self.env.context.field(Field::Task), R0);
        self.env.filler().set_filled(&mut self.asm, self.base, Field::Task);
    }

    /// `R0` = the current task's storage.
    fn task_storage(&mut self, map: u32, flags: i64) {
        self.asm.call(helper::GET_CURRENT_TASK_BTF);
        self.asm.map(R1, map);
        self.asm.mov(R2, R0);
        self.asm.mov_imm(R3, 0);
        self.asm.mov_imm(R4, flags);
        self.asm.call(helper::TASK_STORAGE_GET);
    }

    /// Under injection, the key of the thread's value on the stack.
    fn task_key(&mut self) -> Result<Option<KeyAddress>, EmitError> {
        if !self.env.target.inject {
            return Ok(None);
        }
        let off = self.key_stack(16)?;
        self.field(Field::PidTgid);
        self.asm.mov32(R0, R0);
        self.asm.stx(Size::D, FP, off, R0);
        self.field(Field::Start);
        self.asm.stx(Size::D, FP, off + 8, R0);
        Ok(Some(KeyAddress::Stack(off)))
    }

    /// Stores into the thread's value, which is made if it is missing and the new value is not zero.
    fn set_task(&mut self, map: u32, offset: u32, src: Reg, string: bool) -> Result<(), EmitError> {
        let (have, zero, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        // What a way of two fills is not known after they meet.
        self.task_key()?;
        let before = self.known;
        let maybe_zero = self.go_if_zero(src, zero);
        if maybe_zero != Zero::Always {
            // Making it finds it too, if it is there.
            self.make_task(map, have)?;
            self.known = before;
        }
        let store = self.asm.label();
        self.asm.bind(zero);
        if maybe_zero != Zero::Never {
            self.find_task(map)?;
            self.asm.jmp_imm(Jmp::Eq, R0, 0, done);
            self.cell_empties(map, offset, store, done)?;
        }
        self.known.add(Field::Task);
        self.asm.bind(have);
        if maybe_zero != Zero::Always {
            self.cell_fills(offset, store);
        }
        self.asm.bind(store);
        if string {
            self.asm.mov(R1, R0);
            self.asm.alu_imm(Alu::Add, R1, offset as i32);
            self.string_to_cell(src)?;
        } else if let Some(value) = self.constant(src).and_then(|v| i32::try_from(v).ok()) {
            self.asm.st_imm(Size::D, R0, offset as i32, value);
        } else {
            let value = self.operand(src, R1);
            self.asm.stx(Size::D, R0, offset as i32, value);
        }
        self.asm.bind(done);
        Ok(())
    }

    /// `R0` = the thread's value, made if missing, and goes to `have`; without room it drops the store.
    fn make_task(&mut self, map: u32, have: Label) -> Result<(), EmitError> {
        let base = self.base;
        let at = self.env.context.field(Field::Task);
        let key = self.task_key()?;
        let make = self.asm.label();
        if !self.known.has(Field::Task) {
            let asked = self.asm.label();
            self.env.filler().go_if_filled(&mut self.asm, base, Field::Task, asked);
            self.asm.ja(make);
            self.asm.bind(asked);
        }
        base.load(&mut self.asm, R0, at);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, have);
        self.asm.bind(make);
        match key {
            Some(key) => {
                let size = self.env.maps[map as usize].value_size as usize;
                let zeros = self.env.rodata.borrow_mut().intern(&vec![0; size]);
                self.asm.map(R1, map);
                self.key_to(R2, &key);
                self.asm.map_value(R3, self.env.rodata_map, zeros);
                self.asm.mov_imm(R4, NOEXIST);
                self.asm.call(helper::MAP_UPDATE_ELEM);
                self.lookup(map, &key);
            }
            None => self.task_storage(map, STORAGE_CREATE),
        }
        self.keep_task();
        self.known.add(Field::Task);
        let full = self.dropped();
        self.asm.jmp_imm(Jmp::Eq, R0, 0, full);
        self.asm.ja(have);
        Ok(())
    }

    /// Before the cell at `R0 + offset` gets a value: counts it if it had none, and the thread if it had no room. Without
    /// room it drops the store. Goes to `store` or falls through to it. Clobbers `R1` to `R5`.
    ///
    /// A timer's program that interrupts another on the same thread can spoil the count of its cells, and so keep or lose
    /// the room of one thread.
    fn cell_fills(&mut self, offset: u32, store: Label) {
        let counted = self.asm.label();
        self.asm.ldx(Size::D, R1, R0, offset as i32);
        self.asm.jmp_imm(Jmp::Ne, R1, 0, store);
        self.asm.ldx(Size::W, R1, R0, thread::ROOM as i32);
        self.asm.jmp_imm(Jmp::Ne, R1, 0, counted);
        self.asm.map_value(R1, self.env.state.control, control::THREADS * 8);
        self.asm.ldx(Size::D, R2, R1, 0);
        let full = self.dropped();
        self.asm.jmp_value(Jmp::Ge, R2, i64::from(self.env.state.threads), R3, full);
        self.asm.mov_imm(R2, 1);
        self.asm.atomic_add(R1, 0, R2);
        self.asm.st_imm(Size::W, R0, thread::ROOM as i32, 1);
        self.asm.bind(counted);
        self.asm.ldx(Size::W, R1, R0, thread::CELLS as i32);
        self.asm.alu_imm(Alu::Add, R1, 1);
        self.asm.stx(Size::W, R0, thread::CELLS as i32, R1);
    }

    /// Before the cell at `R0 + offset` is zeroed: counts it no more, and gives the thread's room back if it was the last
    /// and room is scarce. Goes to `store`, or to `done` if there is nothing to zero. Clobbers `R1` to `R5`.
    fn cell_empties(&mut self, map: u32, offset: u32, store: Label, done: Label) -> Result<(), EmitError> {
        let keep = layout::threads_that_keep(u64::from(self.env.state.threads)) as i64;
        self.asm.ldx(Size::D, R1, R0, offset as i32);
        self.asm.jmp_imm(Jmp::Eq, R1, 0, done);
        self.asm.ldx(Size::W, R1, R0, thread::CELLS as i32);
        self.asm.alu_imm(Alu::Sub, R1, 1);
        self.asm.stx(Size::W, R0, thread::CELLS as i32, R1);
        self.asm.jmp_imm(Jmp::Ne, R1, 0, store);
        self.asm.map_value(R1, self.env.state.control, control::THREADS * 8);
        self.asm.ldx(Size::D, R2, R1, 0);
        self.asm.jmp_value(Jmp::Le, R2, keep, R3, store);
        self.asm.mov_imm(R2, -1);
        self.asm.atomic_add(R1, 0, R2);
        self.asm.st_imm(Size::W, R0, thread::ROOM as i32, 0);
        let Some(key) = self.task_key()? else {
            self.asm.ja(store);
            return Ok(());
        };
        // The hash has room for as many threads as may be counted, and the value is all zeros but for this cell.
        self.asm.map(R1, map);
        self.key_to(R2, &key);
        self.asm.call(helper::MAP_DELETE_ELEM);
        self.asm.mov_imm(R0, 0);
        self.keep_task();
        self.asm.ja(done);
        Ok(())
    }

    /// Goes to `zero` if a value is 0 or NULL.
    fn go_if_zero(&mut self, src: Reg, zero: Label) -> Zero {
        if self.kind(src) == RegKind::Str {
            return self.go_if_null(src, zero);
        }
        match self.constant(src) {
            Some(0) => Zero::Always,
            Some(_) => Zero::Never,
            None => {
                let value = self.operand(src, R0);
                self.asm.jmp_imm(Jmp::Eq, value, 0, zero);
                Zero::Maybe
            }
        }
    }

    // ---- associative arrays ----

    pub(super) fn get_elem(&mut self, dst: Reg, var: VarId, keys: &[Reg]) -> Result<(), EmitError> {
        let (map, key) = self.element(var, keys)?;
        self.lookup(map, &key);
        if self.kind(dst) == RegKind::Str {
            self.asm.mov(R1, R0);
            return self.string_from_cell_or_null(dst, 0);
        }
        self.int_from_cell_or_zero(dst, 0);
        Ok(())
    }

    pub(super) fn set_elem(&mut self, var: VarId, keys: &[Reg], src: Reg) -> Result<(), EmitError> {
        let (map, key) = self.element(var, keys)?;
        let (zero, done) = (self.asm.label(), self.asm.label());
        let maybe_zero = self.go_if_zero(src, zero);
        if maybe_zero != Zero::Always {
            if self.kind(src) == RegKind::Str {
                self.string_value_to(R3, src)?;
            } else {
                let off = self.key_word()?;
                let value = self.operand(src, R0);
                self.asm.stx(Size::D, FP, off, value);
                self.asm.mov(R3, FP);
                self.asm.alu_imm(Alu::Add, R3, off);
            }
            self.asm.map(R1, map);
            self.key_to(R2, &key);
            self.asm.mov_imm(R4, 0);
            self.asm.call(helper::MAP_UPDATE_ELEM);
            let full = self.dropped();
            self.asm.jmp_imm(Jmp::Ne, R0, 0, full);
            self.asm.ja(done);
        }
        self.asm.bind(zero);
        if maybe_zero != Zero::Never {
            self.asm.map(R1, map);
            self.key_to(R2, &key);
            self.asm.call(helper::MAP_DELETE_ELEM);
        }
        self.asm.bind(done);
        Ok(())
    }

    fn element(&mut self, var: VarId, keys: &[Reg]) -> Result<(u32, KeyAddress), EmitError> {
        let VarPlace::Array { map } = self.place(var)? else {
            return Err(self.inconsistent("an element is taken of a scalar"));
        };
        let parts = self.env.plan.homes[var.index()].key.clone();
        if parts.len() != keys.len() {
            return Err(self.inconsistent("an array key has another length than its layout"));
        }
        Ok((map, self.build_key(&parts, keys, false)?))
    }
}

/// What is known of a value at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zero {
    /// It is zero or NULL.
    Always,
    /// It is neither.
    Never,
    /// A jump was emitted.
    Maybe,
}
