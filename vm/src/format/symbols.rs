//! Addresses and stacks as text (runtime spec §6). In: numbers and addresses, the table of stacks, names. Out: bytes.

use std::io::Write as _;
use std::rc::Rc;

use dtrail_lang::builtins::Symbolic;

use super::{Style, show};
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

/// Appends an address like [`place`], so that the names of files, modules and symbols cannot command a terminal.
fn shown_place(out: &mut Vec<u8>, addr: u64, found: Option<&Place>, detail: Detail, style: Style<'_>) {
    let start = out.len();
    place(out, addr, found, detail);
    if style.escape {
        let text = out.split_off(start);
        show(out, &text, true);
    }
}

/// Appends a kernel address as `%a` prints it.
pub fn kernel_address(out: &mut Vec<u8>, addr: u64, style: Style<'_>) {
    shown_place(out, addr, style.symbols.names.kernel(addr).as_ref(), Detail::Offset, style);
}

/// Appends an address of the target process as `%A` prints it.
pub fn target_address(out: &mut Vec<u8>, addr: u64, style: Style<'_>) {
    let names = style.symbols.names;
    let found = names.target().and_then(|process| names.user(&process, addr));
    shown_place(out, addr, found.as_ref(), Detail::Offset, style);
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
        return shown_place(out, value, names.kernel(value).as_ref(), detail, style);
    }
    let (process, addr) = match stacks.get(value) {
        Some(stack) => (stack.process, stack.frames.first().copied().unwrap_or(0)),
        None => (Process::default(), 0),
    };
    shown_place(out, addr, names.user(&process, addr).as_ref(), detail, style);
}

/// Appends a stack: a newline, then each frame on its own line behind `stackindent` blanks. A number without a stack has no
/// frames.
pub fn stack(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    let indent = style.symbols.indent;
    lines(out, number, style, indent, &mut |out, text| out.extend_from_slice(text));
}

/// Appends a stack with so many blanks before each line, whose text `put` appends (runtime spec §6.4).
pub fn lines(
    out: &mut Vec<u8>,
    number: u64,
    style: Style<'_>,
    indent: usize,
    put: &mut dyn FnMut(&mut Vec<u8>, &[u8]),
) {
    out.push(b'\n');
    let Some(stack) = style.symbols.stacks.get(number) else { return };
    let mut budget = Budget::of(stack);
    let (mut inlined, mut text) = (Vec::new(), Vec::new());
    let mut safe = Vec::new();
    let mut line = |out: &mut Vec<u8>, text: &[u8]| {
        out.resize(out.len() + indent, b' ');
        safe.clear();
        show(&mut safe, text, style.escape);
        put(out, &safe);
        out.push(b'\n');
    };
    for (depth, addr) in frames(stack, style.symbols.names).enumerate() {
        let module = put_into(stack, depth, addr, style.symbols.names, &mut inlined);
        for name in inlined.drain(..) {
            let module = module.as_deref().unwrap_or_default();
            line(out, format!("{module}`{name} [inlined]").as_bytes());
        }
        text.clear();
        let annotation = frame(&mut text, stack, addr, Detail::Offset, style.symbols, &mut budget);
        line(out, &text);
        if let Some(annotation) = annotation {
            line(out, format!("  [ {annotation} ]").as_bytes());
        }
    }
    style.symbols.stacks.overflow(stack, budget.over);
}

/// Appends the frames of a stack as one word, outermost first, separated by semicolons: a line of a folded profile. A
/// function is one frame wherever in it the address lies.
pub fn folded(out: &mut Vec<u8>, number: u64, style: Style<'_>) {
    let symbols = style.symbols;
    let Some(stack) = symbols.stacks.get(number) else { return };
    let mut budget = Budget::of(stack);
    // Made from the innermost outwards, as which names fit depends on those before; then turned round.
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut inlined = Vec::new();
    for (depth, addr) in frames(stack, symbols.names).enumerate() {
        let module = put_into(stack, depth, addr, symbols.names, &mut inlined);
        for name in inlined.drain(..) {
            // The mark that flame graphs know.
            words.push(format!("{}`{name}_[i]", module.as_deref().unwrap_or_default()).into_bytes());
        }
        let mut word = Vec::new();
        frame(&mut word, stack, addr, Detail::Symbol, symbols, &mut budget);
        words.push(word);
    }
    for (place, word) in words.iter_mut().rev().enumerate() {
        if place > 0 {
            out.push(b';');
        }
        one_word(word);
        show(out, word, style.escape);
    }
    symbols.stacks.overflow(stack, budget.over);
}

/// Replaces what would separate frames or lines of a folded profile: a file's names may hold anything.
pub fn one_word(text: &mut [u8]) {
    for byte in text {
        if matches!(byte, b';' | 0..=0x1f | 0x7f) {
            *byte = b'_';
        }
    }
}

/// The functions that a compiler put where a frame of a process is, innermost first, and the module they are of. All
/// frames but the first are behind a call: what matters is the place of the call.
fn put_into(
    stack: &Stack,
    depth: usize,
    addr: u64,
    names: &dyn Names,
    inlined: &mut Vec<Rc<str>>,
) -> Option<Rc<str>> {
    if stack.origin == Origin::Kernel {
        return None;
    }
    names.inlined(&stack.process, if depth == 0 { addr } else { addr.wrapping_sub(1) }, inlined);
    if inlined.is_empty() { None } else { names.user(&stack.process, addr).map(|place| place.module) }
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

/// Bytes of names of made code that a stack may still print; `None` if it prints none.
struct Budget {
    left: Option<usize>,
    /// Names that did not fit.
    over: u64,
}

impl Budget {
    fn of(stack: &Stack) -> Budget {
        match stack.origin {
            Origin::User { strsize } if strsize > 0 => Budget { left: Some(strsize as usize), over: 0 },
            _ => Budget { left: None, over: 0 },
        }
    }

    /// Whether a name of so many bytes and its end still fit; it is then taken off.
    fn take(&mut self, length: usize) -> bool {
        match &mut self.left {
            Some(left) if *left > length => {
                *left -= length + 1;
                true
            }
            _ => {
                self.over += 1;
                false
            }
        }
    }
}

/// Appends the text of a frame. What is returned is an annotation of it, which has a line of its own below.
fn frame(
    out: &mut Vec<u8>,
    stack: &Stack,
    addr: u64,
    detail: Detail,
    symbols: Symbols<'_>,
    budget: &mut Budget,
) -> Option<Rc<str>> {
    let names = symbols.names;
    if stack.origin == Origin::Kernel {
        place(out, addr, names.kernel(addr).as_ref(), detail);
        return None;
    }
    let found = names.user(&stack.process, addr);
    let nameless = found.as_ref().is_none_or(|place| place.symbol.is_none());
    if budget.left.is_some()
        && nameless
        && let Some(name) = names.made(&stack.process, addr)
    {
        match (budget.take(name.len()), name.strip_prefix('@')) {
            (true, None) => {
                out.extend_from_slice(name.as_bytes());
                return None;
            }
            (true, Some(text)) => {
                place(out, addr, found.as_ref(), detail);
                return Some(text.into());
            }
            (false, _) => {}
        }
    }
    match found {
        Some(Place { module, start, .. }) if symbols.noresolve => {
            let _ = write!(out, "{module}:{:#x}", addr.wrapping_sub(start));
        }
        found => place(out, addr, found.as_ref(), detail),
    }
    None
}
