//! The run-time call table: one routine for each row of `lang::builtins::funcs`, called by the interpreter and by
//! compiled code alike. A routine takes its arguments as register words and gives the result's; it reports a fault
//! through the run's status.

use dtrail_lang::builtins::{Func, consts, funcs};
use dtrail_lang::ir::AddrSpace;

use super::arena::{self, NULL};
use super::{Run, World, addresses, json, numbers, strings};
use crate::event::reason;
use crate::fault::{FaultKind, Raised};
use crate::speculation::words::Verdict;
use crate::stacks::Origin;
use crate::value::ValueRef;

/// A subroutine: up to three arguments, of which `given` count (the others are 0).
pub type Routine = for<'r, 'a> extern "C" fn(run: &'r mut Run<'a>, a: u64, b: u64, c: u64, given: u32) -> u64;

/// By `func as usize`.
pub const TABLE: &[(Func, Routine)] = &[
    (Func::Copyin, copyin),
    (Func::Copyinstr, copyinstr),
    (Func::Strlen, strlen),
    (Func::Strjoin, strjoin),
    (Func::Strstr, strstr),
    (Func::Index, index),
    (Func::Substr, substr),
    (Func::Basename, basename),
    (Func::Dirname, dirname),
    (Func::Rindex, rindex),
    (Func::Strchr, strchr),
    (Func::Strrchr, strrchr),
    (Func::Strtok, strtok),
    (Func::Cleanpath, cleanpath),
    (Func::Tolower, tolower),
    (Func::Toupper, toupper),
    (Func::Lltostr, lltostr),
    (Func::Strtoll, strtoll),
    (Func::Htons, swap16),
    (Func::Htonl, swap32),
    (Func::Htonll, swap64),
    (Func::Ntohs, swap16),
    (Func::Ntohl, swap32),
    (Func::Ntohll, swap64),
    (Func::Getmajor, getmajor),
    (Func::Getminor, getminor),
    (Func::Rand, rand),
    (Func::Alloca, alloca),
    (Func::Bcopy, expanded),
    (Func::Copyinto, expanded),
    (Func::Copyout, copyout),
    (Func::Copyoutstr, copyoutstr),
    (Func::InetNtoa, inet_ntoa),
    (Func::InetNtoa6, inet_ntoa6),
    (Func::InetNtop, inet_ntop),
    (Func::LinkNtop, link_ntop),
    (Func::Json, json),
    (Func::Progenyof, progenyof),
    (Func::Speculation, speculation),
    (Func::DPath, expanded),
    (Func::Getf, expanded),
    (Func::MountPoint, expanded),
    (Func::Arguments, expanded),
    (Func::MutexOwned, expanded),
    (Func::MutexOwner, expanded),
    (Func::MutexTypeAdaptive, expanded),
    (Func::MutexTypeSpin, expanded),
    (Func::RwReadHeld, expanded),
    (Func::RwWriteHeld, expanded),
    (Func::RwIswriter, expanded),
    (Func::Signal, signal),
    (Func::Block, block),
    (Func::Path, path),
    (Func::Words, words),
    (Func::Scratch, scratch),
    (Func::Size, size),
    (Func::Fill, fill),
    (Func::NoAddress, no_address),
    (Func::StrSuffix, suffix),
    (Func::StrByte, byte),
    (Func::StrWord, word),
    (Func::ArrayIndex, array_index),
    (Func::SpecNumber, speculation_number),
    (Func::SpecTurn, speculation_turn),
    (Func::SpecCommit, speculation_commit),
    (Func::SpecDiscard, speculation_discard),
    (Func::Stack, kernel_stack),
    (Func::Ustack, user_stack),
    (Func::Uaddr, user_address),
    (Func::Strerror, strerror),
    (Func::SignalName, signal_name),
    (Func::SyscallName, syscall_name),
    (Func::Strftime, strftime),
];

/// Calls the routine of a subroutine with register words.
pub fn call(run: &mut Run<'_>, func: Func, args: &[u64]) -> u64 {
    let arg = |i: usize| args.get(i).copied().unwrap_or(0);
    match TABLE.get(func as usize) {
        Some((_, routine)) => routine(run, arg(0), arg(1), arg(2), args.len() as u32),
        None => run.bug("a subroutine without a routine"),
    }
}

/// The length of a string argument, which must not be NULL.
fn length(run: &mut Run<'_>, word: u64) -> Option<usize> {
    let length = run.bytes(word).map(<[u8]>::len);
    if length.is_none() {
        run.raise(Raised::new(FaultKind::BadAddr, 0));
    }
    length
}

extern "C" fn copyin(run: &mut Run<'_>, addr: u64, size: u64, _: u64, _: u32) -> u64 {
    let block = match run.allocate(size) {
        Ok(block) => block,
        Err(raised) => return run.raise(raised),
    };
    // The block is taken out while the event is read, so that the read can borrow the run.
    let start = run.world.scratch.len() - (size as usize).next_multiple_of(8);
    let mut scratch = std::mem::take(&mut run.world.scratch);
    let read = match size {
        0 => Ok(()),
        _ => run.read(AddrSpace::User, addr, &mut scratch[start..start + size as usize]),
    };
    run.world.scratch = scratch;
    run.ok(read.map(|()| block))
}

extern "C" fn copyinstr(run: &mut Run<'_>, addr: u64, max: u64, _: u64, given: u32) -> u64 {
    let strsize = run.world.strsize;
    let max = if given > 1 { usize::try_from(max).unwrap_or(usize::MAX).min(strsize) } else { strsize };
    match max.checked_sub(1) {
        Some(limit) => run.read_string(AddrSpace::User, addr, limit),
        None => run.raise(Raised::new(FaultKind::BadAddr, addr)),
    }
}

extern "C" fn strlen(run: &mut Run<'_>, text: u64, _: u64, _: u64, _: u32) -> u64 {
    length(run, text).map_or(0, |length| length as u64)
}

extern "C" fn strjoin(run: &mut Run<'_>, a: u64, b: u64, _: u64, _: u32) -> u64 {
    if length(run, a).is_none() || length(run, b).is_none() {
        return 0;
    }
    let joined = run.world.arena.join(a, b, run.world.strsize);
    run.filed(joined)
}

extern "C" fn strstr(run: &mut Run<'_>, text: u64, needle: u64, _: u64, _: u32) -> u64 {
    let (Some(length), Some(_)) = (length(run, text), length(run, needle)) else { return 0 };
    match find(run, text, needle, 0) {
        Some(at) => arena::part(text, at..length),
        None => NULL,
    }
}

extern "C" fn index(run: &mut Run<'_>, text: u64, needle: u64, start: u64, _: u32) -> u64 {
    if length(run, text).is_none() || length(run, needle).is_none() {
        return 0;
    }
    let start = usize::try_from((start as i64).max(0)).unwrap_or(usize::MAX);
    find(run, text, needle, start).map_or(u64::MAX, |at| at as u64)
}

fn find(run: &Run<'_>, text: u64, needle: u64, start: usize) -> Option<usize> {
    strings::find(run.bytes(text)?, run.bytes(needle)?, start)
}

extern "C" fn substr(run: &mut Run<'_>, text: u64, start: u64, count: u64, given: u32) -> u64 {
    let Some(length) = length(run, text) else { return 0 };
    let count = if given > 2 { count as i64 } else { run.world.strsize as i64 };
    arena::part(text, strings::substr(length, start as i64, count))
}

extern "C" fn basename(run: &mut Run<'_>, path: u64, _: u64, _: u64, _: u32) -> u64 {
    component(run, path, strings::basename)
}

extern "C" fn dirname(run: &mut Run<'_>, path: u64, _: u64, _: u64, _: u32) -> u64 {
    component(run, path, strings::dirname)
}

fn component(run: &mut Run<'_>, path: u64, pick: fn(&[u8]) -> Option<std::ops::Range<usize>>) -> u64 {
    if length(run, path).is_none() {
        return 0;
    }
    match pick(run.bytes(path).unwrap_or(&[])) {
        Some(range) => arena::part(path, range),
        None => {
            let dot = run.world.arena.push(b".");
            run.filed(dot)
        }
    }
}

extern "C" fn rindex(run: &mut Run<'_>, text: u64, needle: u64, start: u64, given: u32) -> u64 {
    if length(run, text).is_none() || length(run, needle).is_none() {
        return 0;
    }
    let start = if given > 2 { start as i64 } else { i64::MAX };
    let Ok(start) = usize::try_from(start) else { return u64::MAX };
    let (text, needle) = (run.bytes(text).unwrap_or(&[]), run.bytes(needle).unwrap_or(&[]));
    strings::find_last(text, needle, start).map_or(u64::MAX, |at| at as u64)
}

extern "C" fn strchr(run: &mut Run<'_>, text: u64, byte: u64, _: u64, _: u32) -> u64 {
    from_byte(run, text, |text| text.iter().position(|&b| b == byte as u8))
}

extern "C" fn strrchr(run: &mut Run<'_>, text: u64, byte: u64, _: u64, _: u32) -> u64 {
    from_byte(run, text, |text| text.iter().rposition(|&b| b == byte as u8))
}

/// The suffix from where a byte is. No string holds a NUL, so 0 is nowhere.
fn from_byte(run: &mut Run<'_>, text: u64, find: impl Fn(&[u8]) -> Option<usize>) -> u64 {
    let Some(length) = length(run, text) else { return 0 };
    run.bytes(text).and_then(find).map_or(NULL, |at| arena::part(text, at..length))
}

extern "C" fn strtok(run: &mut Run<'_>, text: u64, delimiters: u64, _: u64, _: u32) -> u64 {
    if length(run, delimiters).is_none() {
        return 0;
    }
    let cpu = run.cpu();
    let World { arena, tokens, .. } = &mut *run.world;
    let delimiters = arena.get(delimiters).unwrap_or(&[]);
    let token = match arena.get(text) {
        Some(text) => tokens.entry(cpu).or_default().start(text, delimiters),
        None => match tokens.get_mut(&cpu) {
            Some(tokens) => tokens.next(delimiters),
            None => return run.raise(Raised::new(FaultKind::BadAddr, 0)),
        },
    };
    match token {
        Some(token) => {
            let word = arena.push(token);
            run.filed(word)
        }
        None => NULL,
    }
}

extern "C" fn cleanpath(run: &mut Run<'_>, path: u64, _: u64, _: u64, _: u32) -> u64 {
    rewritten(run, path, strings::cleanpath)
}

extern "C" fn tolower(run: &mut Run<'_>, text: u64, _: u64, _: u64, _: u32) -> u64 {
    rewritten(run, text, <[u8]>::to_ascii_lowercase)
}

extern "C" fn toupper(run: &mut Run<'_>, text: u64, _: u64, _: u64, _: u32) -> u64 {
    rewritten(run, text, <[u8]>::to_ascii_uppercase)
}

/// A string made from another, never longer.
fn rewritten(run: &mut Run<'_>, text: u64, make: fn(&[u8]) -> Vec<u8>) -> u64 {
    if length(run, text).is_none() {
        return 0;
    }
    let made = make(run.bytes(text).unwrap_or(&[]));
    run.word(ValueRef::Str(Some(&made)))
}

/// The base argument, or a fault.
fn base(run: &mut Run<'_>, base: u64, given: bool) -> Option<u32> {
    let base = if given { base as i64 } else { 10 };
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base));
    if base.is_none() {
        run.raise(Raised::plain(FaultKind::IllOp));
    }
    base
}

extern "C" fn lltostr(run: &mut Run<'_>, value: u64, radix: u64, _: u64, given: u32) -> u64 {
    let Some(base) = base(run, radix, given > 1) else { return 0 };
    let text = numbers::digits(value as i64, base);
    run.word(ValueRef::Str(Some(&text)))
}

extern "C" fn strtoll(run: &mut Run<'_>, text: u64, radix: u64, _: u64, given: u32) -> u64 {
    if length(run, text).is_none() {
        return 0;
    }
    let Some(base) = base(run, radix, given > 1) else { return 0 };
    numbers::parse(run.bytes(text).unwrap_or(&[]), base) as u64
}

extern "C" fn swap16(_: &mut Run<'_>, value: u64, _: u64, _: u64, _: u32) -> u64 {
    u64::from((value as u16).to_be())
}

extern "C" fn swap32(_: &mut Run<'_>, value: u64, _: u64, _: u64, _: u32) -> u64 {
    u64::from((value as u32).to_be())
}

extern "C" fn swap64(_: &mut Run<'_>, value: u64, _: u64, _: u64, _: u32) -> u64 {
    value.to_be()
}

extern "C" fn getmajor(_: &mut Run<'_>, device: u64, _: u64, _: u64, _: u32) -> u64 {
    u64::from(device as u32 >> 20)
}

extern "C" fn getminor(_: &mut Run<'_>, device: u64, _: u64, _: u64, _: u32) -> u64 {
    device & 0xf_ffff
}

extern "C" fn rand(run: &mut Run<'_>, _: u64, _: u64, _: u64, _: u32) -> u64 {
    run.world.random.next() as i32 as u64
}

extern "C" fn alloca(run: &mut Run<'_>, size: u64, _: u64, _: u64, _: u32) -> u64 {
    match run.allocate(size) {
        Ok(block) => block,
        Err(_) => run.raise(Raised::plain(FaultKind::NoScratch)),
    }
}

/// A subroutine that the lowering replaces by others.
extern "C" fn expanded(run: &mut Run<'_>, _: u64, _: u64, _: u64, _: u32) -> u64 {
    run.bug("a subroutine that the lowering expands")
}

extern "C" fn copyout(run: &mut Run<'_>, bytes: u64, addr: u64, size: u64, _: u32) -> u64 {
    run.copy_out(bytes, addr, size)
}

extern "C" fn copyoutstr(run: &mut Run<'_>, text: u64, addr: u64, size: u64, _: u32) -> u64 {
    run.copy_out_string(text, addr, size)
}

/// A string register made from the bytes of a block.
fn shown(run: &mut Run<'_>, block: u64, show: impl Fn(&[u8]) -> String) -> u64 {
    let text = show(run.bytes(block).unwrap_or(&[]));
    run.word(ValueRef::Str(Some(text.as_bytes())))
}

extern "C" fn inet_ntoa(run: &mut Run<'_>, address: u64, _: u64, _: u64, _: u32) -> u64 {
    shown(run, address, addresses::ipv4)
}

extern "C" fn inet_ntoa6(run: &mut Run<'_>, address: u64, strict: u64, _: u64, _: u32) -> u64 {
    shown(run, address, |bytes| addresses::ipv6(bytes, strict != 0))
}

extern "C" fn inet_ntop(run: &mut Run<'_>, family: u64, address: u64, _: u64, _: u32) -> u64 {
    match family as i64 {
        funcs::AF_INET => shown(run, address, addresses::ipv4),
        funcs::AF_INET6 => shown(run, address, |bytes| addresses::ipv6(bytes, true)),
        _ => run.raise(Raised::plain(FaultKind::IllOp)),
    }
}

extern "C" fn link_ntop(run: &mut Run<'_>, _: u64, address: u64, _: u64, _: u32) -> u64 {
    shown(run, address, addresses::hardware)
}

extern "C" fn no_address(run: &mut Run<'_>, _: u64, _: u64, _: u64, _: u32) -> u64 {
    run.raise(Raised::plain(FaultKind::IllOp))
}

extern "C" fn json(run: &mut Run<'_>, text: u64, path: u64, _: u64, _: u32) -> u64 {
    if length(run, text).is_none() || length(run, path).is_none() {
        return 0;
    }
    let found = json::find(run.bytes(text).unwrap_or(&[]), run.bytes(path).unwrap_or(&[]));
    let found = found.map(<[u8]>::to_vec);
    run.word(ValueRef::Str(found.as_deref()))
}

extern "C" fn progenyof(run: &mut Run<'_>, pid: u64, _: u64, _: u64, _: u32) -> u64 {
    u64::from(run.descends_from(pid as i32))
}

extern "C" fn speculation(run: &mut Run<'_>, _: u64, _: u64, _: u64, _: u32) -> u64 {
    run.speculation()
}

extern "C" fn speculation_number(run: &mut Run<'_>, id: u64, _: u64, _: u64, _: u32) -> u64 {
    run.speculation_number(id)
}

extern "C" fn speculation_turn(run: &mut Run<'_>, id: u64, _: u64, _: u64, _: u32) -> u64 {
    run.speculation_turn(id)
}

extern "C" fn speculation_commit(run: &mut Run<'_>, id: u64, _: u64, _: u64, _: u32) -> u64 {
    run.end_turn(id, Verdict::Committed)
}

extern "C" fn speculation_discard(run: &mut Run<'_>, id: u64, _: u64, _: u64, _: u32) -> u64 {
    run.end_turn(id, Verdict::Discarded)
}

extern "C" fn signal(run: &mut Run<'_>, signal: u64, _: u64, _: u64, _: u32) -> u64 {
    run.signal(signal as i32)
}

extern "C" fn block(run: &mut Run<'_>, addr: u64, size: u64, user: u64, _: u32) -> u64 {
    run.block(addr, size, if user != 0 { AddrSpace::User } else { AddrSpace::ByAddress })
}

extern "C" fn path(run: &mut Run<'_>, addr: u64, root: u64, places: u64, _: u32) -> u64 {
    run.path(addr, root, places)
}

/// Most bytes of a command line that are shown.
const WORDS_SHOWN: usize = 79;

extern "C" fn words(run: &mut Run<'_>, bytes: u64, skip: u64, length: u64, _: u32) -> u64 {
    let most = WORDS_SHOWN.min(run.world.strsize);
    let length = usize::try_from(length).unwrap_or(0).min(most);
    let mut text = [0; WORDS_SHOWN];
    let mut count = 0;
    if let Some(bytes) = usize::try_from(skip).ok().and_then(|skip| run.bytes(bytes)?.get(skip..)) {
        for (to, &byte) in text.iter_mut().zip(bytes.iter().take(length)) {
            *to = if byte == 0 { b' ' } else { byte };
            count += 1;
        }
    }
    while count > 0 && text[count - 1] == b' ' {
        count -= 1;
    }
    let word = run.world.arena.push(&text[..count]);
    run.filed(word)
}

extern "C" fn scratch(run: &mut Run<'_>, addr: u64, size: u64, _: u64, _: u32) -> u64 {
    run.scratch_block(addr, size)
}

extern "C" fn size(run: &mut Run<'_>, size: u64, _: u64, _: u64, _: u32) -> u64 {
    run.scratch_size(size)
}

extern "C" fn fill(run: &mut Run<'_>, bytes: u64, addr: u64, size: u64, _: u32) -> u64 {
    run.fill(bytes, addr, size)
}

extern "C" fn suffix(run: &mut Run<'_>, text: u64, from: u64, _: u64, _: u32) -> u64 {
    let Some(length) = length(run, text) else { return 0 };
    let from = usize::try_from(from).unwrap_or(length).min(length);
    arena::part(text, from..length)
}

extern "C" fn byte(run: &mut Run<'_>, text: u64, at: u64, computed: u64, _: u32) -> u64 {
    if length(run, text).is_none() {
        return 0;
    }
    if computed != 0 && at >= run.world.strsize as u64 {
        return run.raise(Raised::new(FaultKind::BadIndex, at));
    }
    let byte = usize::try_from(at).ok().and_then(|at| run.bytes(text)?.get(at).copied());
    byte.unwrap_or(0) as i8 as u64
}

extern "C" fn word(run: &mut Run<'_>, text: u64, at: u64, _: u64, _: u32) -> u64 {
    let bytes = run.bytes(text).unwrap_or(&[]);
    let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or(&[]);
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    u64::from_le_bytes(word)
}

extern "C" fn array_index(run: &mut Run<'_>, index: u64, length: u64, _: u64, _: u32) -> u64 {
    if index >= length {
        return run.raise(Raised::new(FaultKind::BadIndex, index));
    }
    index
}

extern "C" fn kernel_stack(run: &mut Run<'_>, frames: u64, _: u64, _: u64, _: u32) -> u64 {
    run.stack(Origin::Kernel, frames)
}

extern "C" fn user_stack(run: &mut Run<'_>, frames: u64, strsize: u64, _: u64, _: u32) -> u64 {
    run.stack(Origin::User { strsize: strsize as u32 }, frames)
}

extern "C" fn user_address(run: &mut Run<'_>, addr: u64, _: u64, _: u64, _: u32) -> u64 {
    run.process_address(addr)
}

extern "C" fn strerror(run: &mut Run<'_>, number: u64, _: u64, _: u64, _: u32) -> u64 {
    let text = reason(&std::io::Error::from_raw_os_error(number as i32));
    run.word(ValueRef::Str(Some(text.as_bytes())))
}

extern "C" fn signal_name(run: &mut Run<'_>, number: u64, _: u64, _: u64, _: u32) -> u64 {
    let name = consts::signal_name(i64::from(number as i32));
    run.word(ValueRef::Str(name.map(str::as_bytes)))
}

extern "C" fn syscall_name(run: &mut Run<'_>, number: u64, _: u64, _: u64, _: u32) -> u64 {
    let name = (run.world.facts.syscall_name)(number as i64);
    run.word(ValueRef::Str(name.map(str::as_bytes)))
}

extern "C" fn strftime(run: &mut Run<'_>, format: u64, nanos: u64, _: u64, _: u32) -> u64 {
    if length(run, format).is_none() {
        return 0;
    }
    let seconds = (nanos as i64).div_euclid(1_000_000_000);
    let fraction = (nanos as i64).rem_euclid(1_000_000_000) as u32;
    let time = (run.world.facts.local_time)(seconds);
    let mut text = Vec::new();
    crate::format::time::formatted(&mut text, run.bytes(format).unwrap_or(&[]), &time, seconds, fraction);
    run.word(ValueRef::Str(Some(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subroutine_has_its_routine() {
        assert_eq!(TABLE.len(), Func::ROWS.len());
        for (row, (func, _)) in Func::ROWS.iter().zip(TABLE) {
            assert_eq!(row.id, *func, "{}", row.name);
            assert!(row.params.len() <= 3, "{} takes more than a routine does", row.name);
        }
    }
}
