//! What the verifier says of programs that it takes, for `bpflog`: aya keeps its words only where it refuses.
//!
//! Comes in: an [`EbpfProgram`]. Goes out: lines. The programs are those that [`load`](super::load) gives to the kernel, made
//! by the same steps out of the same object, with maps of their own; nothing of them is left behind. Never: an attached
//! program.

use std::collections::HashSet;
use std::os::fd::{AsFd, AsRawFd};

use aya::{Btf, Ebpf};
use aya_obj::btf::BtfKind;
use aya_obj::generated::{bpf_attach_type, bpf_insn, bpf_prog_type};
use aya_obj::{Function, Object};
use dtrail_lang::plan::Plan;
use dtrail_vm::event::{Error, reason};

use super::{Prepared, data, prepare, refusal};
use crate::ebpf::{EbpfProgram, Hook, ProgramSpec};
use crate::sys::bpf::{Check, Verdict, check};

/// Shows to `line` what the verifier says of each program, with its name before it, whether it takes the program or not. No more
/// than `size` bytes are kept of one program; that they were too few is a line, too. `types` as for [`load`](super::load).
pub fn verifier_log(
    plan: &Plan,
    program: &EbpfProgram,
    types: Option<&Btf>,
    size: u64,
    line: &mut dyn FnMut(&str),
) -> Result<(), Error> {
    // The maps live until the last program has been checked.
    let Prepared { made: _made, object, ebpf } = prepare(program)?;
    let object = linked(&object, &ebpf)?;
    for spec in &program.programs {
        let function = object.programs.get(&spec.name).and_then(|p| object.functions.get(&p.function_key()));
        let function = function.ok_or_else(|| wrong(&format!("program {} is missing", spec.name)))?;
        line(&format!("program '{}' for '{}':", spec.name, refusal::shown(plan, spec)));
        told(&judged(spec, &object, function, types, size)?, line);
    }
    Ok(())
}

/// The object as aya makes it before it loads programs.
fn linked(bytes: &[u8], ebpf: &Ebpf) -> Result<Object, Error> {
    let mut object = Object::parse(bytes).map_err(|e| wrong(&e))?;
    let text: HashSet<usize> = object.functions.keys().map(|(section, _)| *section).collect();
    let maps = std::mem::take(&mut object.maps);
    let maps = maps.iter().filter_map(|(name, map)| {
        let fd = data(ebpf.map(name)?).fd().as_fd().as_raw_fd();
        Some((name.as_str(), fd, map))
    });
    object.relocate_maps(maps, &text).map_err(|e| wrong(&e))?;
    object.relocate_calls(&text).map_err(|e| wrong(&e))?;
    object.sanitize_functions(aya::features());
    Ok(object)
}

fn judged(
    spec: &ProgramSpec,
    object: &Object,
    function: &Function,
    types: Option<&Btf>,
    size: u64,
) -> Result<Verdict, Error> {
    use bpf_prog_type::{
        BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_PROG_TYPE_TRACEPOINT,
        BPF_PROG_TYPE_TRACING,
    };
    let (kind, attach_type, attach_btf_id) = match (&spec.hook, types) {
        (hook, Some(types)) if spec.typed => {
            let name = format!("btf_trace_{}", hook.raw_tracepoint().unwrap_or_default());
            let id = types.id_by_type_name_kind(&name, BtfKind::Typedef).map_err(|e| wrong(&e))?;
            (BPF_PROG_TYPE_TRACING, bpf_attach_type::BPF_TRACE_RAW_TP as u32, id)
        }
        (Hook::Tracepoint { .. }, _) => (BPF_PROG_TYPE_TRACEPOINT, 0, 0),
        (Hook::Profile { .. }, _) => (BPF_PROG_TYPE_PERF_EVENT, 0, 0),
        _ => (BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0),
    };
    let code: Vec<u64> = function.instructions.iter().map(word).collect();
    let program = Check {
        name: &spec.name,
        kind: kind as u32,
        attach_type,
        attach_btf_id,
        code: &code,
        license: &object.license,
    };
    Ok(check(&program, size))
}

/// An instruction as the kernel reads it.
fn word(insn: &bpf_insn) -> u64 {
    let [o0, o1] = insn.off.to_ne_bytes();
    let [i0, i1, i2, i3] = insn.imm.to_ne_bytes();
    u64::from_ne_bytes([insn.code, insn.dst_reg() | insn.src_reg() << 4, o0, o1, i0, i1, i2, i3])
}

fn told(verdict: &Verdict, line: &mut dyn FnMut(&str)) {
    String::from_utf8_lossy(&verdict.log).lines().for_each(&mut *line);
    if let Some(size) = verdict.cut_to {
        line(&cut(size, verdict.whole));
    }
    if let Some(why) = &verdict.refused {
        line(&format!("refused: {}", reason(why)));
    }
}

/// That a log was cut to `size` bytes of `whole`, if the kernel told how many there are.
fn cut(size: u64, whole: Option<u64>) -> String {
    match whole {
        Some(whole) => format!("(cut to {size} bytes: all of it takes -x bpflogsize={whole})"),
        None => format!("(cut to {size} bytes: raise -x bpflogsize)"),
    }
}

fn wrong(why: &dyn std::fmt::Display) -> Error {
    Error::new(format!("internal error: the verifier's log cannot be had: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told_behind_what_is_there() {
        let shown = |verdict: &Verdict| {
            let mut lines = Vec::new();
            told(verdict, &mut |line| lines.push(line.to_owned()));
            lines
        };
        let log = b"0: (95) exit\nR0 !read_ok\n".to_vec();
        let refused = Some(std::io::Error::from_raw_os_error(libc::EACCES));
        let mut verdict = Verdict { log, refused, cut_to: None, whole: Some(27) };
        assert_eq!(shown(&verdict), ["0: (95) exit", "R0 !read_ok", "refused: Permission denied"]);
        verdict.refused = None;
        assert_eq!(shown(&verdict), ["0: (95) exit", "R0 !read_ok"]);
        verdict.cut_to = Some(128);
        verdict.whole = Some(3000);
        assert_eq!(shown(&verdict)[2], "(cut to 128 bytes: all of it takes -x bpflogsize=3000)");
        verdict.whole = None;
        assert_eq!(shown(&verdict)[2], "(cut to 128 bytes: raise -x bpflogsize)");
    }
}
