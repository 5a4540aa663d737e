//! String values: where their bytes are, how they are copied and compared.
//!
//! A string lies in a *cell*: 8 bytes of length + 1 (0: NULL), then its bytes, zero-padded to a word. Constants are cells
//! in read-only data, computed strings have a buffer each in scratch, the command name is made a cell when one is needed.
//! Copies are one `probe_read_kernel` of whole words, so that padding comes along; lengths that come back from memory
//! are bounded by `strsize` again before they are used, for the verifier.

use dtrail_lang::builtins::BuiltinVar;
use dtrail_lang::env::Probe;
use dtrail_lang::ir::{Op, Reg, StrId};
use dtrail_lang::plan::SharedSlot;

use super::alloc::StrHome;
use super::asm::{Alu, Asm, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R5, R7, Size};
use super::clause::Gen;
use super::context::{ContextBase, Field, Fields};
use super::emit::{EmitError, Env};
use super::rodata;
use super::vars::Zero;
use super::{fault, helper};

/// Bytes of a command name, with its NUL.
pub(super) const COMM: u32 = 16;

/// The bytes of a string constant, cut at `strsize`.
pub(super) fn constant<'a>(env: &'a Env<'_>, id: StrId) -> &'a [u8] {
    let text = env.plan.program.strings.get(id.index()).map_or(&[][..], |s| s);
    &text[..text.len().min(env.strsize() as usize)]
}

/// A component of a probe's name.
pub(super) fn component(probe: &Probe, var: BuiltinVar) -> &[u8] {
    match var {
        BuiltinVar::Probeprov => probe.provider.as_bytes(),
        BuiltinVar::Probemod => probe.module.as_bytes(),
        BuiltinVar::Probefunc => probe.function.as_bytes(),
        _ => probe.name.as_bytes(),
    }
}

impl Env<'_> {
    pub(super) fn strsize(&self) -> u32 {
        self.plan.program.limits.strsize
    }

    /// `strsize` in whole words.
    pub(super) fn string_room(&self) -> u32 {
        self.strsize().next_multiple_of(8)
    }
}

/// Copies the string cell at `R3` to the cell at `R1`; clobbers `R0` to `R5`.
pub(super) fn copy_cell(asm: &mut Asm, env: &Env<'_>) {
    // Length + 1, rounded up, is the bytes in whole words; NULL copies its header only.
    asm.ldx(Size::D, R2, R3, 0);
    asm.alu_imm(Alu::Add, R2, 6);
    asm.alu_imm(Alu::And, R2, -8);
    asm.clamp(R2, env.string_room());
    asm.alu_imm(Alu::Add, R2, 8);
    asm.call(helper::PROBE_READ_KERNEL);
}

/// Writes the command name, which the context holds, as a cell at `R7 + at`; clobbers `R0` and `R2` to `R5`.
fn comm_cell(asm: &mut Asm, env: &Env<'_>, base: ContextBase, at: u32) {
    let comm = env.context.field(Field::Comm);
    let (found, done) = (asm.label(), asm.label());
    asm.mov_imm(R5, 1);
    for word in [0, 8] {
        base.load(asm, R0, comm + word);
        asm.stx(Size::D, R7, (at + 8 + word) as i32, R0);
        // A byte's high bit survives where the byte is zero, and perhaps in bytes above it.
        asm.mov_imm(R2, 0x0101_0101_0101_0101);
        asm.mov(R3, R0);
        asm.alu(Alu::Sub, R3, R2);
        asm.alu_imm(Alu::Xor, R0, -1);
        asm.alu(Alu::And, R3, R0);
        asm.mov_imm(R4, 0x8080_8080_8080_8080u64 as i64);
        asm.alu(Alu::And, R3, R4);
        asm.jmp_imm(Jmp::Ne, R3, 0, found);
        asm.alu_imm(Alu::Add, R5, 8);
    }
    // Never: a command name ends within its 16 bytes.
    asm.mov_imm(R5, i64::from(COMM));
    asm.ja(done);
    asm.bind(found);
    // The lowest such bit, moved to the byte's bit 0, less one: all ones below the byte, which are then counted.
    asm.mov_imm(R0, 0);
    asm.alu(Alu::Sub, R0, R3);
    asm.alu(Alu::And, R3, R0);
    asm.alu_imm(Alu::Rsh, R3, 7);
    asm.alu_imm(Alu::Sub, R3, 1);
    asm.alu(Alu::And, R3, R2);
    asm.alu(Alu::Mul, R3, R2);
    asm.alu_imm(Alu::Rsh, R3, 56);
    asm.alu(Alu::Add, R5, R3);
    asm.bind(done);
    asm.stx(Size::D, R7, at as i32, R5);
    if env.strsize() < COMM - 1 {
        asm.clamp(R5, env.strsize() + 1);
        asm.stx(Size::D, R7, at as i32, R5);
        asm.mov(R0, R5);
        asm.alu_imm(Alu::Sub, R0, 1);
        pad(asm, env, at);
    }
}

/// Zeroes what follows the first `R0` bytes of the cell at `R7 + at` up to the end of their word, or the word after it;
/// clobbers `R0` and `R2` to `R4`.
pub(super) fn pad(asm: &mut Asm, env: &Env<'_>, at: u32) {
    asm.clamp(R0, env.strsize());
    asm.mov(R2, R0);
    asm.alu_imm(Alu::And, R2, -8);
    asm.mov(R3, R7);
    asm.alu(Alu::Add, R3, R2);
    asm.alu_imm(Alu::And, R0, 7);
    asm.alu_imm(Alu::Lsh, R0, 3);
    asm.mov_imm(R2, -1);
    asm.alu(Alu::Lsh, R2, R0);
    asm.alu_imm(Alu::Xor, R2, -1);
    asm.ldx(Size::D, R4, R3, (at + 8) as i32);
    asm.alu(Alu::And, R4, R2);
    asm.stx(Size::D, R3, (at + 8) as i32, R4);
}

/// Appends the cell at `R3` to the record's tail and stores its offset and length at `R1 + off`; clobbers `R0` to `R5`.
fn append(asm: &mut Asm, env: &Env<'_>, off: i32) {
    let (null, done) = (asm.label(), asm.label());
    asm.ldx(Size::D, R2, R3, 0);
    asm.jmp_imm(Jmp::Eq, R2, 0, null);
    asm.alu_imm(Alu::Sub, R2, 1);
    asm.clamp(R2, env.strsize());
    asm.ldx(Size::D, R4, R7, env.scratch.tail as i32);
    asm.stx(Size::W, R1, off, R4);
    asm.stx(Size::W, R1, off + 4, R2);
    asm.alu_imm(Alu::Add, R2, 7);
    asm.alu_imm(Alu::And, R2, -8);
    asm.mov(R0, R4);
    asm.alu(Alu::Add, R0, R2);
    asm.stx(Size::D, R7, env.scratch.tail as i32, R0);
    asm.clamp(R4, env.scratch.record.saturating_sub(env.string_room()));
    asm.mov(R1, R7);
    asm.alu(Alu::Add, R1, R4);
    asm.alu_imm(Alu::Add, R1, env.scratch.record_at as i32);
    asm.alu_imm(Alu::Add, R3, 8);
    asm.call(helper::PROBE_READ_KERNEL);
    asm.ja(done);
    asm.bind(null);
    asm.stx(Size::D, R1, off, R2);
    asm.bind(done);
}

/// Stores a string that the whole firing shares into a record; `R7` is the scratch memory.
pub(super) fn shared_string(
    asm: &mut Asm,
    env: &Env<'_>,
    base: ContextBase,
    slot: &SharedSlot,
    known: &mut Fields,
) -> Result<(), EmitError> {
    if slot.builtin() != Some(BuiltinVar::Execname) {
        return Err(EmitError::inconsistent(None, "a record carries a name that its header tells"));
    }
    env.filler().read(asm, base, Field::Comm, known);
    let at = env.scratch.comm;
    comm_cell(asm, env, base, at);
    asm.mov(R3, R7);
    asm.alu_imm(Alu::Add, R3, at as i32);
    asm.address_of(R1, R7, env.scratch.in_record(slot.offset));
    append(asm, env, 0);
    Ok(())
}

impl Gen<'_> {
    /// `into = R7 + at`
    pub(super) fn scratch_address(&mut self, into: Mreg, at: u32) {
        self.asm.mov(into, R7);
        self.asm.alu_imm(Alu::Add, into, at as i32);
    }

    /// The offset of a string register's own buffer.
    pub(super) fn buffer_of(&self, r: Reg) -> Result<u32, EmitError> {
        match self.str_home(r) {
            StrHome::Buffer(number) => Ok(self.env.scratch.buffer(number)),
            _ => Err(self.inconsistent("a computed string has no buffer")),
        }
    }

    /// Makes a string readable as a cell, if it is not one already: to be called before registers are set up for a copy.
    /// Clobbers `R0` and `R2` to `R5`.
    pub(super) fn prepare(&mut self, home: StrHome) {
        if home == StrHome::Comm {
            let at = self.env.scratch.comm;
            comm_cell(&mut self.asm, self.env, self.base, at);
        }
    }

    /// `into` = the address of a string's cell, after [`Gen::prepare`]; clobbers `R0`.
    pub(super) fn cell_address(&mut self, into: Mreg, home: StrHome) {
        match home {
            StrHome::Null | StrHome::None => {
                let at = self.env.rodata.borrow_mut().intern(&[0; 8]);
                self.asm.map_value(into, self.env.rodata_map, at);
            }
            StrHome::Const(id) => {
                let at = self.env.rodata.borrow_mut().cell(constant(self.env, id));
                self.asm.map_value(into, self.env.rodata_map, at);
            }
            StrHome::Comm => {
                let at = self.env.scratch.comm;
                self.scratch_address(into, at);
            }
            StrHome::Probe(var) => self.probe_cell(into, var),
            StrHome::Buffer(number) => {
                let at = self.env.scratch.buffer(number);
                self.scratch_address(into, at);
            }
        }
    }

    /// `into` = the address of the cell of a component of the firing probe's name.
    fn probe_cell(&mut self, into: Mreg, var: BuiltinVar) {
        let env = self.env;
        let cut = |p| {
            let text = component(p, var);
            &text[..text.len().min(env.strsize() as usize)]
        };
        let probes = &env.plan.program.probes;
        let room = probes.iter().map(|p| cut(p).len()).max().unwrap_or(0).next_multiple_of(8);
        let table: Vec<u8> = probes.iter().flat_map(|p| rodata::cell(cut(p), room)).collect();
        let at = env.rodata.borrow_mut().intern(&table);
        self.base.load(&mut self.asm, R0, env.context.probe);
        self.asm.clamp(R0, probes.len().saturating_sub(1) as u32);
        self.asm.alu_imm(Alu::Mul, R0, 8 + room as i32);
        self.asm.map_value(into, env.rodata_map, at);
        self.asm.alu(Alu::Add, into, R0);
    }

    /// `dst` = a constant or NULL, if it is not that everywhere.
    pub(super) fn constant_string(&mut self, dst: Reg, op: &Op) -> Result<(), EmitError> {
        let StrHome::Buffer(buffer) = self.str_home(dst) else { return Ok(()) };
        match op {
            Op::Str { value, .. } => self.copy_to_buffer(buffer, StrHome::Const(*value)),
            _ => self.copy_to_buffer(buffer, StrHome::Null),
        }
    }

    pub(super) fn move_string(&mut self, dst: Reg, src: Reg) -> Result<(), EmitError> {
        match (self.str_home(dst), self.str_home(src)) {
            (to, from) if to == from => Ok(()),
            (StrHome::Buffer(buffer), from) => self.copy_to_buffer(buffer, from),
            _ => Ok(()),
        }
    }

    pub(super) fn copy_to_buffer(&mut self, buffer: u32, from: StrHome) -> Result<(), EmitError> {
        let at = self.env.scratch.buffer(buffer);
        match from {
            StrHome::Null => self.asm.st_imm(Size::D, R7, at as i32, 0),
            StrHome::Comm => comm_cell(&mut self.asm, self.env, self.base, at),
            _ => {
                self.cell_address(R3, from);
                self.scratch_address(R1, at);
                copy_cell(&mut self.asm, self.env);
            }
        }
        Ok(())
    }

    /// `dst` = the string in the cell at `R1`.
    pub(super) fn string_from_cell(&mut self, dst: Reg) -> Result<(), EmitError> {
        let at = self.buffer_of(dst)?;
        self.asm.mov(R3, R1);
        self.scratch_address(R1, at);
        copy_cell(&mut self.asm, self.env);
        Ok(())
    }

    /// `dst` = the string in the cell at `R1 + offset`, NULL if `R1` is 0.
    pub(super) fn string_from_cell_or_null(&mut self, dst: Reg, offset: u32) -> Result<(), EmitError> {
        let at = self.buffer_of(dst)?;
        let (missing, done) = (self.asm.label(), self.asm.label());
        self.asm.jmp_imm(Jmp::Eq, R1, 0, missing);
        self.asm.mov(R3, R1);
        self.asm.alu_imm(Alu::Add, R3, offset as i32);
        self.scratch_address(R1, at);
        copy_cell(&mut self.asm, self.env);
        self.asm.ja(done);
        self.asm.bind(missing);
        self.asm.st_imm(Size::D, R7, at as i32, 0);
        self.asm.bind(done);
        Ok(())
    }

    /// The cell at `R1` = a string.
    pub(super) fn string_to_cell(&mut self, src: Reg) -> Result<(), EmitError> {
        let home = self.str_home(src);
        if home == StrHome::Null {
            self.asm.st_imm(Size::D, R1, 0, 0);
            return Ok(());
        }
        self.prepare(home);
        self.cell_address(R3, home);
        copy_cell(&mut self.asm, self.env);
        Ok(())
    }

    /// `into` = the address of a string's cell with readable bytes after it, as a map's value.
    pub(super) fn string_value_to(&mut self, into: Mreg, src: Reg) -> Result<(), EmitError> {
        let home = self.str_home(src);
        self.prepare(home);
        self.cell_address(into, home);
        Ok(())
    }

    /// Writes a string as a part of a key at `R7 + at`: its cell, padded with zeros to the longest.
    pub(super) fn string_to_key(&mut self, at: u32, home: StrHome) -> Result<(), EmitError> {
        let room = self.env.string_room() + 8;
        if room <= 520 {
            for word in (0..room).step_by(8) {
                self.asm.st_imm(Size::D, R7, (at + word) as i32, 0);
            }
        } else {
            let zeros = self.env.rodata.borrow_mut().intern(&vec![0; room as usize]);
            self.scratch_address(R1, at);
            self.asm.mov_imm(R2, i64::from(room));
            self.asm.map_value(R3, self.env.rodata_map, zeros);
            self.asm.call(helper::PROBE_READ_KERNEL);
        }
        if home != StrHome::Null {
            self.prepare(home);
            self.cell_address(R3, home);
            self.scratch_address(R1, at);
            copy_cell(&mut self.asm, self.env);
        }
        Ok(())
    }

    pub(super) fn send_string(&mut self, off: i32, src: Reg) -> Result<(), EmitError> {
        let home = self.str_home(src);
        let area = self.env.context.area;
        // The command name goes into a record once.
        let sent = self.env.scratch.sent_name.filter(|_| home == StrHome::Comm);
        let done = self.asm.label();
        if let Some(sent) = sent {
            let fresh = self.asm.label();
            self.asm.ldx(Size::D, R0, R7, sent as i32);
            self.asm.jmp_imm(Jmp::Eq, R0, 0, fresh);
            self.base.load(&mut self.asm, R1, area);
            self.asm.stx(Size::D, R1, off, R0);
            self.asm.ja(done);
            self.asm.bind(fresh);
        }
        self.prepare(home);
        self.cell_address(R3, home);
        self.base.load(&mut self.asm, R1, area);
        append(&mut self.asm, self.env, off);
        if let Some(sent) = sent {
            self.base.load(&mut self.asm, R1, area);
            self.asm.ldx(Size::D, R0, R1, off);
            self.asm.stx(Size::D, R7, sent as i32, R0);
        }
        self.asm.bind(done);
        Ok(())
    }

    /// Appends a block to the record's tail.
    pub(super) fn send_block(&mut self, off: i32, src: Reg) -> Result<(), EmitError> {
        let Some(&size) = self.facts.blocks.get(&src) else {
            return Err(self.inconsistent("a block of a size that is not known"));
        };
        let room = size.next_multiple_of(8);
        let at = self.buffer_of(src)?;
        self.base.load(&mut self.asm, R1, self.env.context.area);
        self.asm.ldx(Size::D, R4, R7, self.env.scratch.tail as i32);
        self.asm.stx(Size::W, R1, off, R4);
        self.asm.ldx(Size::D, R0, R7, at as i32);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        self.asm.stx(Size::W, R1, off + 4, R0);
        if size == 0 {
            return Ok(());
        }
        self.asm.mov(R2, R0);
        self.asm.alu_imm(Alu::Add, R2, 7);
        self.asm.alu_imm(Alu::And, R2, -8);
        self.asm.clamp(R2, room);
        self.asm.mov(R0, R4);
        self.asm.alu(Alu::Add, R0, R2);
        self.asm.stx(Size::D, R7, self.env.scratch.tail as i32, R0);
        self.asm.clamp(R4, self.env.scratch.record.saturating_sub(room));
        self.asm.mov(R1, R7);
        self.asm.alu(Alu::Add, R1, R4);
        self.asm.alu_imm(Alu::Add, R1, self.env.scratch.record_at as i32);
        self.scratch_address(R3, at + 8);
        self.asm.call(helper::PROBE_READ_KERNEL);
        Ok(())
    }

    /// Goes to `null` if a string is NULL.
    pub(super) fn go_if_null(&mut self, src: Reg, null: Label) -> Zero {
        match self.str_home(src) {
            StrHome::Null => Zero::Always,
            StrHome::Buffer(number) => {
                let at = self.env.scratch.buffer(number);
                self.asm.ldx(Size::D, R0, R7, at as i32);
                self.asm.jmp_imm(Jmp::Eq, R0, 0, null);
                Zero::Maybe
            }
            _ => Zero::Never,
        }
    }

    /// Faults if a string argument is NULL. `false`: it always is, and nothing after it runs.
    pub(super) fn not_null(&mut self, src: Reg) -> Result<bool, EmitError> {
        let home = self.str_home(src);
        if !matches!(home, StrHome::Null | StrHome::Buffer(_)) {
            return Ok(true);
        }
        let at = self.fault(fault::BADADDR, Some(0))?;
        if self.go_if_null(src, at) == Zero::Always {
            self.asm.ja(at);
            return Ok(false);
        }
        Ok(true)
    }
}
