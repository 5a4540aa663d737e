//! Addresses and stacks as text (runtime spec §6). In: numbers and addresses, the table of stacks, names. Out: bytes.

use std::io::Write as _;

use dtrail_lang::builtins::Symbolic;

use super::Style;
use crate::names::{Names, Place, Process};
use crate::stacks::{Origin, Stack, StackTable};

/// What addresses print from.
#[derive(Clone, Copy)]
pub struct Symbols<'a> {
    /// Names of addresses.
    pub names: &'a dyn Names,
    /// Stacks by number.
    pub stacks: &'a StackTable,
    /// `stackindent`
    pub indent: usize,
    /// `noresolve`: frames of user stacks print as file and offset.
    pub noresolve: bool,
}

/// How much of a place is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Module,
    Symbol,
    Offset,
}

/// Appends an address with all that is known of where it lies.
fn place(out: &mut Vec<u8>, addr: u64, place: Option<&Place>, detail: Detail) {
    let Some(Place { module, symbol, .. }) = place else {
        // Writing to a vector cannot fail.
        let _ = write!(out, "{addr:#x}");
        return;
    };
    out.extend_from_slice(module.as_bytes());
    let _ = match (detail, symbol) {
        (Detail::Module, _) => Ok(()),
        (_, None) => write!(out, "`{addr:#x}"),
        (Detail::Offset, Some(symbol)) if symbol.offset != 0 => {
            write!(out, "`{}+{:#x}", symbol.name, symbol.offset)
        }
        (_, Some(symbol)) => write!(out, "`{}", symbol.name),
    };
}

/// Appends a kernel address as `%a` prints it.
pub fn kernel_address(out: &mut Vec<u8>, addr: u64, style: Style<'_>) {
    place(out, addr, style.symbols.names.kernel(addr).as_ref(), Detail::Offset);
}

/// Appends an address of the target process as `%A` prints it.
pub fn target_address(out: &mut Vec<u8>, addr: u64, style: Style<'_>) {
    let names = style.symbols.names;
    let found = names.target().and_then(|process| names.user(&process, addr));
    place(out, addr, found.as_ref(), Detail::Offset);
}

/// Appends the text of a value that `sym()` or one of its kin took.
pub fn address(out: &mut Vec<u8>, value: u64, kind: Symbolic, style: Style<'_>) {
    let Symbols { names, stacks, .. } = style.symbols;
    let detail = match kind {
        Symbolic::Mod | Symbolic::Umod => Detail::Module,
        Symbolic::Uaddr => Detail::Offset,
        _ => Detail::Symbol,
    };
    if !kind.is_numbered() {
        return place(out, value, names.kernel(value).as_ref(), detail);
    }
    let (process, addr) = match stacks.get(value) {
        Some(stack) => (stack.process, stack.frames.first().copied().unwrap_or(0)),
        None => (Process::default(), 0),
    };
    place(out, addr, names.user(&process, addr).as_ref(), detail);
}

/// Appends a stack: a newline, then each frame on its own line. A number without a stack has no frames.
pub fn stack(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    out.push(b'\n');
    let Some(stack) = style.symbols.stacks.get(number) else { return };
    let mut budget = Budget::of(stack);
    for addr in frames(stack, style.symbols.names) {
        out.resize(out.len() + style.symbols.indent, b' ');
        frame(out, stack, addr, style.symbols, &mut budget);
        out.push(b'\n');
    }
}

/// Appends the frames of a stack as one word, outermost first, separated by semicolons: a line of a folded profile.
pub fn folded(out: &mut Vec<u8>, number: u64, symbols: Symbols<'_>) {
    let Some(stack) = symbols.stacks.get(number) else { return };
    let mut budget = Budget::of(stack);
    let frames: Vec<u64> = frames(stack, symbols.names).collect();
    for (i, &addr) in frames.iter().rev().enumerate() {
        if i > 0 {
            out.push(b';');
        }
        frame(out, stack, addr, symbols, &mut budget);
    }
}

/// What surrounds a tracepoint's subscribers, at the top of a kernel stack.
const MACHINERY: [&str; 2] = ["__traceiter_", "__bpf_trace_"];

/// The addresses that are printed: up to a zero, without those of the tracing machinery.
fn frames<'s>(stack: &'s Stack, names: &dyn Names) -> impl Iterator<Item = u64> + 's {
    let ours = |addr: u64| {
        let symbol = names.kernel(addr).and_then(|place| place.symbol);
        symbol.is_some_and(|symbol| MACHINERY.iter().any(|prefix| symbol.name.starts_with(prefix)))
    };
    let skipped = match stack.origin {
        Origin::Kernel => stack.frames.iter().take_while(|&&addr| ours(addr)).count(),
        _ => 0,
    };
    stack.frames[skipped..].iter().copied().take_while(|&addr| addr != 0)
}

/// Bytes of names of made code that a stack may still print.
struct Budget(Option<usize>);

impl Budget {
    fn of(stack: &Stack) -> Budget {
        match stack.origin {
            Origin::User { strsize } if strsize > 0 => Budget(Some(strsize as usize)),
            _ => Budget(None),
        }
    }

    /// Whether a name of so many bytes and its end still fit; it is then taken off.
    fn take(&mut self, length: usize) -> bool {
        match &mut self.0 {
            Some(left) if *left > length => {
                *left -= length + 1;
                true
            }
            _ => false,
        }
    }
}

fn frame(out: &mut Vec<u8>, stack: &Stack, addr: u64, symbols: Symbols<'_>, budget: &mut Budget) {
    let names = symbols.names;
    if stack.origin == Origin::Kernel {
        return place(out, addr, names.kernel(addr).as_ref(), Detail::Offset);
    }
    let found = names.user(&stack.process, addr);
    let nameless = found.as_ref().is_none_or(|place| place.symbol.is_none());
    if budget.0.is_some()
        && nameless
        && let Some(name) = names.made(&stack.process, addr)
    {
        match (budget.take(name.len()), name.strip_prefix('@')) {
            (true, None) => return out.extend_from_slice(name.as_bytes()),
            (true, Some(text)) => {
                // An annotation: on its own line, below the frame.
                place(out, addr, found.as_ref(), Detail::Offset);
                out.push(b'\n');
                out.resize(out.len() + symbols.indent, b' ');
                let _ = write!(out, "  [ {text} ]");
                return;
            }
            (false, _) => symbols.stacks.overflow(),
        }
    }
    match found {
        Some(Place { module, base, .. }) if symbols.noresolve => {
            let _ = write!(out, "{module}:{:#x}", addr.wrapping_sub(base));
        }
        found => place(out, addr, found.as_ref(), Detail::Offset),
    }
}
