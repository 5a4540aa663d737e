//! Keys that print as symbols, in the form that stands for all keys of the same meaning: for `sym` and `usym` the start of
//! the symbol, for `mod` and `umod` the start of the module. A key in, a key out where it differs.

use dtrail_lang::builtins::Symbolic;
use dtrail_lang::ir::ValueType;

use crate::names::{Names, Place};
use crate::stacks::{self, Origin, StackTable};
use crate::value::{self, ValueRef};

/// The canonical bytes of a key, if it is not canonical.
pub(super) fn key(
    key: &[u8],
    types: &[ValueType],
    stacks: &mut StackTable,
    names: &dyn Names,
) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(key.len());
    for (element, ty) in value::decode(key, types).zip(types) {
        match (element, ty) {
            (ValueRef::Int(word), ValueType::Symbolic(kind)) => {
                ValueRef::Int(word_of(word as u64, *kind, stacks, names) as i64).encode(&mut out);
            }
            _ => element.encode(&mut out),
        }
    }
    (out != key).then_some(out)
}

fn word_of(word: u64, kind: Symbolic, stacks: &mut StackTable, names: &dyn Names) -> u64 {
    let start = |addr: u64, place: Option<Place>| match (kind, place) {
        (_, None) => addr,
        (Symbolic::Mod | Symbolic::Umod, Some(place)) => place.base,
        (_, Some(Place { symbol: Some(symbol), .. })) => addr.wrapping_sub(symbol.offset),
        _ => addr,
    };
    match kind {
        Symbolic::Stack | Symbolic::Uaddr => stacks.canonical(word),
        Symbolic::Sym | Symbolic::Mod => start(word, names.kernel(word)),
        Symbolic::Usym | Symbolic::Umod => {
            let Some(stack) = stacks.get(word) else { return word };
            let (process, addr) = (stack.process, stack.frames.first().copied().unwrap_or(0));
            let begins = start(addr, names.user(&process, addr));
            if begins == addr {
                return word;
            }
            let mut words = Vec::new();
            stacks::head(&mut words, Origin::Address, process);
            words.push(begins);
            match stacks.intern(&words, process.seen) {
                0 => word,
                number => number,
            }
        }
    }
}
