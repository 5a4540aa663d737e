//! The program of injected events: the whole context comes from a map, the probe from the event.

use dtrail_lang::builtins::vars::ARGS;
use dtrail_lang::plan::GroupId;

use super::Program;
use crate::ebpf::asm::{Alu, Jmp, R0, R1, R6, R8, Size};
use crate::ebpf::context::Field;
use crate::ebpf::emit::{EmitError, Subprograms};
use crate::ebpf::inject;

impl Program<'_, '_> {
    pub(super) fn inject(&mut self, subprograms: &mut Subprograms) -> Result<(), EmitError> {
        let Some(map) = self.env.state.inject else {
            return Err(EmitError::inconsistent(None, "injection without a map for its events"));
        };
        self.gate();
        self.find_context();
        self.asm.map_value(R6, map, 0);
        self.fill_injected();
        let table: Vec<u8> = self
            .env
            .plan
            .probe_groups
            .iter()
            .flat_map(|group| group.map_or(0, |g| g.0 + 1).to_le_bytes())
            .collect();
        let probes = self.env.plan.probe_groups.len();
        self.asm.ldx(Size::D, R8, R6, inject::PROBE as i32);
        self.asm.jmp_value(Jmp::Ge, R8, probes as i64, R0, self.out);
        let at = self.env.rodata.borrow_mut().intern(&table);
        self.asm.map_value(R1, self.env.rodata_map, at);
        self.asm.alu(Alu::Add, R8, R8);
        self.asm.alu(Alu::Add, R1, R8);
        self.asm.ldx(Size::H, R0, R1, 0);
        let groups: Vec<GroupId> = (0..self.env.plan.groups.len() as u16).map(GroupId).collect();
        self.dispatch(&groups, self.out, true, subprograms, &|_, _| Ok(()))
    }

    fn fill_injected(&mut self) {
        if !self.env.context.is_used() {
            return;
        }
        let context = &self.env.context;
        let fields = [
            (Field::Time, inject::TIME),
            (Field::PidTgid, inject::PID_TGID),
            (Field::UidGid, inject::UID_GID),
            (Field::Cpu, inject::CPU),
            (Field::Ppid, inject::PPID),
            (Field::Start, inject::START),
            (Field::Wall, inject::WALL),
            (Field::Comm, inject::COMM),
            (Field::Curthread, inject::CURTHREAD),
            (Field::OnCpu, inject::ON_CPU),
        ];
        let mut copies = Vec::new();
        let needs = self.any_needs();
        let mut flags = 0;
        for (field, from) in fields.into_iter().filter(|(f, _)| needs.fields.has(*f)) {
            flags |= field.flag();
            copies.push((context.field(field), from));
            if field == Field::Comm {
                copies.push((context.field(field) + 8, from + 8));
            }
        }
        if needs.probe {
            copies.push((context.probe, inject::PROBE));
        }
        if needs.errno {
            copies.push((context.errno, inject::ERRNO));
        }
        for arg in (0..10).filter(|arg| needs.args & 1 << arg != 0) {
            copies.push((context.arg(arg), inject::ARGS + 8 * arg));
        }
        // Made-up events have ten arguments.
        for arg in (10..ARGS).filter(|arg| needs.args & 1 << arg != 0) {
            self.base.store_imm(&mut self.asm, context.arg(arg), 0);
        }
        for (to, from) in copies {
            self.asm.ldx(Size::D, R0, R6, from as i32);
            self.base.store(&mut self.asm, to, R0);
        }
        self.env.filler().start(&mut self.asm, self.base, flags);
    }
}
