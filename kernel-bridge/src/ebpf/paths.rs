//! Paths of files in the kernel, by the walk of [`dtrail_lang::builtins::paths`]: first the entries from the file to the
//! root, kept in scratch memory, then their names from the root to the file, in the string's buffer.
//!
//! All that changes from turn to turn lies in scratch memory, but for the number of turns: the verifier follows that one
//! alone, and meets the same state at each turn.

use dtrail_lang::builtins::paths::{DEPTH, MORE, PATH_DENTRY, PathPlaces, TURNS};
use dtrail_lang::ir::Reg;

use super::asm::{Alu, FP, Jmp, Label, Mreg, R0, R1, R2, R3, R4, R7, Size};
use super::clause::Gen;
use super::emit::EmitError;
use super::helper;
use super::strings::pad;

/// Words of scratch memory, and what they hold behind the entries.
pub(super) const WORDS: u32 = DEPTH + 7;
const ENTRY: u32 = 8 * DEPTH;
const MOUNT: u32 = ENTRY + 8;
const ROOT_ENTRY: u32 = ENTRY + 16;
const ROOT_MOUNT: u32 = ENTRY + 24;
/// How many entries there are.
const COUNT: u32 = ENTRY + 32;
/// What was read last.
const FOUND: u32 = ENTRY + 40;
/// Bytes of the text so far.
const LENGTH: u32 = ENTRY + 48;

impl Gen<'_> {
    /// `dst` = the text of the `struct path` at `addr` for a process that keeps where its root is at `root`.
    pub(super) fn path(&mut self, dst: Reg, addr: Reg, root: Reg, places: Reg) -> Result<(), EmitError> {
        let Some(places) = self.constant(places) else {
            return Err(self.inconsistent("a path without the places of its members"));
        };
        let places = PathPlaces::unpacked(places as u64);
        let to = self.buffer_of(dst)?;
        let turns = self.key_word()?;
        let (bad, done, rootless, rooted) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        let start: &[(u32, u32)] = match places.of_mount {
            true => &[(0, ENTRY)],
            false => &[(0, MOUNT), (PATH_DENTRY, ENTRY)],
        };
        for &(place, into) in start {
            self.load(addr, R3);
            self.asm.alu_imm(Alu::Add, R3, place as i32);
            self.read_pointer(into, bad);
        }
        if places.of_mount {
            let mount = self.operand(addr, R0);
            self.word_from(MOUNT, mount);
        }
        // A process that ends has no root any more.
        self.load(root, R3);
        self.read_pointer(FOUND, rootless);
        for (place, into) in [(0, ROOT_MOUNT), (PATH_DENTRY, ROOT_ENTRY)] {
            self.word_to(R3, FOUND);
            self.asm.alu_imm(Alu::Add, R3, (places.fs_root + place) as i32);
            self.read_pointer(into, rootless);
        }
        self.asm.ja(rooted);
        self.asm.bind(rootless);
        self.set_word(ROOT_MOUNT, 0);
        self.set_word(ROOT_ENTRY, 0);
        self.asm.bind(rooted);
        self.set_word(COUNT, 0);
        self.set_word(LENGTH, 0);
        self.entries(places, to, turns, bad);
        self.names(places, to, turns, bad);
        self.asm.ja(done);
        self.asm.bind(bad);
        self.bad_address(addr)?;
        self.asm.bind(done);
        Ok(())
    }

    /// Keeps the entries on the way to the root; what has no way there is the text already.
    fn entries(&mut self, places: PathPlaces, to: u32, turns: i32, bad: Label) {
        let (again, below, inside, next) =
            (self.asm.label(), self.asm.label(), self.asm.label(), self.asm.label());
        let (alone, deep, top) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.st_imm(Size::D, FP, turns, 0);
        self.asm.bind(again);
        self.word_to(R0, ENTRY);
        self.word_to(R1, ROOT_ENTRY);
        self.asm.jmp(Jmp::Ne, R0, R1, below);
        self.word_to(R0, MOUNT);
        self.word_to(R1, ROOT_MOUNT);
        self.asm.jmp(Jmp::Eq, R0, R1, top);
        self.asm.bind(below);
        self.word_to(R3, MOUNT);
        self.read_pointer(FOUND, bad);
        self.word_to(R0, FOUND);
        self.word_to(R1, ENTRY);
        self.asm.jmp(Jmp::Ne, R0, R1, inside);
        // The root of a mount: on to what it is mounted on.
        let own = |emit: &mut Self, reg: Mreg, place: u32| {
            emit.word_to(reg, MOUNT);
            emit.asm.alu_imm(Alu::Add, reg, place as i32 - places.mount as i32);
        };
        own(self, R3, places.mount_parent);
        self.read_pointer(FOUND, bad);
        self.word_to(R0, FOUND);
        own(self, R1, 0);
        self.asm.jmp(Jmp::Eq, R0, R1, top);
        own(self, R3, places.mountpoint);
        self.read_pointer(ENTRY, bad);
        self.word_to(R0, FOUND);
        self.asm.alu_imm(Alu::Add, R0, places.mount as i32);
        self.word_from(MOUNT, R0);
        self.asm.ja(next);
        self.asm.bind(inside);
        self.word_to(R3, ENTRY);
        self.asm.alu_imm(Alu::Add, R3, places.parent as i32);
        self.read_pointer(FOUND, bad);
        self.word_to(R0, FOUND);
        self.word_to(R1, ENTRY);
        self.asm.jmp(Jmp::Eq, R0, R1, alone);
        self.word_to(R2, COUNT);
        self.asm.jmp_imm(Jmp::Ge, R2, DEPTH as i32, deep);
        self.asm.mov(R3, R2);
        self.asm.alu_imm(Alu::Lsh, R3, 3);
        self.asm.alu(Alu::Add, R3, R7);
        self.asm.stx(Size::D, R3, self.env.scratch.path as i32, R1);
        self.asm.alu_imm(Alu::Add, R2, 1);
        self.word_from(COUNT, R2);
        self.word_from(ENTRY, R0);
        self.asm.bind(next);
        self.turn(turns, TURNS, again);
        self.asm.bind(deep);
        for (i, byte) in MORE.iter().enumerate() {
            self.asm.st_imm(Size::B, R7, (to + 8) as i32 + i as i32, i32::from(*byte));
        }
        self.set_word(LENGTH, MORE.len() as i32);
        self.asm.ja(top);
        self.asm.bind(alone);
        self.word_to(R0, COUNT);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, top);
        self.word_to(R3, ENTRY);
        self.asm.alu_imm(Alu::Add, R3, places.name as i32);
        self.read_pointer(FOUND, bad);
        self.scratch_address(R1, to + 8);
        self.asm.mov_imm(R2, i64::from(self.env.strsize()) + 1);
        self.word_to(R3, FOUND);
        self.read_kernel(helper::PROBE_READ_KERNEL_STR);
        self.asm.jmp_imm(Jmp::Sle, R0, 0, bad);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        self.word_from(LENGTH, R0);
        self.set_word(COUNT, -1);
        self.asm.bind(top);
    }

    /// Appends the names of the entries to the text, the last first. A count of -1 says that the text is complete.
    fn names(&mut self, places: PathPlaces, to: u32, turns: i32, bad: Label) {
        let (again, some, end) = (self.asm.label(), self.asm.label(), self.asm.label());
        let strsize = self.env.strsize();
        self.word_to(R0, COUNT);
        self.asm.jmp_imm(Jmp::Sgt, R0, 0, some);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, end);
        self.asm.st_imm(Size::B, R7, (to + 8) as i32, i32::from(b'/'));
        self.set_word(LENGTH, 1);
        self.asm.ja(end);
        self.asm.bind(some);
        self.asm.st_imm(Size::D, FP, turns, 0);
        self.asm.bind(again);
        self.word_to(R2, COUNT);
        self.asm.jmp_imm(Jmp::Eq, R2, 0, end);
        self.asm.alu_imm(Alu::Sub, R2, 1);
        self.word_from(COUNT, R2);
        self.asm.clamp(R2, DEPTH - 1);
        self.asm.alu_imm(Alu::Lsh, R2, 3);
        self.asm.alu(Alu::Add, R2, R7);
        self.asm.ldx(Size::D, R3, R2, self.env.scratch.path as i32);
        self.asm.alu_imm(Alu::Add, R3, places.name as i32);
        self.read_pointer(FOUND, bad);
        self.word_to(R4, LENGTH);
        self.asm.clamp(R4, strsize);
        self.asm.mov_imm(R2, i64::from(strsize));
        self.asm.alu(Alu::Sub, R2, R4);
        self.asm.jmp_imm(Jmp::Eq, R2, 0, end);
        // The room that is left takes the slash, and of the name with its NUL as much.
        self.asm.clamp(R2, strsize);
        self.scratch_address(R1, to + 8);
        self.asm.alu(Alu::Add, R1, R4);
        self.asm.st_imm(Size::B, R1, 0, i32::from(b'/'));
        self.asm.alu_imm(Alu::Add, R1, 1);
        self.asm.alu_imm(Alu::Add, R4, 1);
        self.word_from(LENGTH, R4);
        self.word_to(R3, FOUND);
        self.read_kernel(helper::PROBE_READ_KERNEL_STR);
        self.asm.jmp_imm(Jmp::Sle, R0, 0, bad);
        self.asm.alu_imm(Alu::Sub, R0, 1);
        self.word_to(R1, LENGTH);
        self.asm.alu(Alu::Add, R1, R0);
        self.word_from(LENGTH, R1);
        self.turn(turns, DEPTH, again);
        self.asm.bind(end);
        self.word_to(R0, LENGTH);
        self.asm.clamp(R0, strsize);
        self.asm.mov(R1, R0);
        self.asm.alu_imm(Alu::Add, R1, 1);
        self.asm.stx(Size::D, R7, to as i32, R1);
        pad(&mut self.asm, self.env, to);
    }

    /// Counts a turn of a loop and begins the next, unless there were so many.
    fn turn(&mut self, turns: i32, most: u32, again: Label) {
        self.asm.ldx(Size::D, R0, FP, turns);
        self.asm.alu_imm(Alu::Add, R0, 1);
        self.asm.stx(Size::D, FP, turns, R0);
        self.asm.jmp_imm(Jmp::Lt, R0, most as i32, again);
    }

    /// A word = the one at the address in `R3`; goes to `bad` if that cannot be read. Clobbers `R0` to `R5`.
    fn read_pointer(&mut self, into: u32, bad: Label) {
        self.scratch_address(R1, self.env.scratch.path + into);
        self.asm.mov_imm(R2, 8);
        self.read_kernel(helper::PROBE_READ_KERNEL);
        self.asm.jmp_imm(Jmp::Ne, R0, 0, bad);
    }

    fn word_to(&mut self, reg: Mreg, word: u32) {
        self.asm.ldx(Size::D, reg, R7, (self.env.scratch.path + word) as i32);
    }

    fn word_from(&mut self, word: u32, reg: Mreg) {
        self.asm.stx(Size::D, R7, (self.env.scratch.path + word) as i32, reg);
    }

    fn set_word(&mut self, word: u32, value: i32) {
        self.asm.st_imm(Size::D, R7, (self.env.scratch.path + word) as i32, value);
    }
}
