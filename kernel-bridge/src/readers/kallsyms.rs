//! Addresses of the kernel's symbols by name, from `/proc/kallsyms`: one line a symbol, `ADDRESS KIND NAME [MODULE]`.
//!
//! In: a name. Out: where it is, as far as this user may know. The file is made by the kernel as it is read, 200,000 lines,
//! so it is read through and nothing of it is kept; only programs that name a symbol come here.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

/// The file.
const PATH: &str = "/proc/kallsyms";

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Where it is; 0 if the kernel hides that from this user.
    pub address: u64,
    /// Whether it is code.
    pub function: bool,
    /// Bytes to the next symbol of the core kernel, whose symbols come in the order of their addresses; 0 if that is not
    /// known.
    pub size: u64,
}

/// A function's name, its address and its length.
pub type Extent = (String, u64, u32);

/// Looks a symbol up in a module (`vmlinux` for the core kernel), or wherever it comes first.
pub fn find(module: Option<&str>, name: &str) -> io::Result<Option<Symbol>> {
    find_in(BufReader::with_capacity(1 << 16, File::open(PATH)?), module, name)
}

/// Where functions lie, and how long they are: up to the next symbol. Those that are not there, or whose addresses this
/// user may not know, are left out.
pub fn extents(names: &[String]) -> io::Result<Vec<Extent>> {
    extents_in(BufReader::with_capacity(1 << 16, File::open(PATH)?), names)
}

fn extents_in(mut lines: impl BufRead, names: &[String]) -> io::Result<Vec<Extent>> {
    let mut found: Vec<Extent> = Vec::new();
    let mut open: Vec<(&String, u64)> = Vec::new();
    let mut line = Vec::new();
    while found.len() < names.len() && lines.read_until(b'\n', &mut line)? > 0 {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let address = words.next().and_then(|word| std::str::from_utf8(word).ok());
        let address = address.and_then(|word| u64::from_str_radix(word, 16).ok()).unwrap_or(0);
        let name = words.nth(1);
        open.retain(|&(name, start)| match u32::try_from(address.wrapping_sub(start)) {
            Ok(0) => true,
            Ok(length) => {
                found.push((name.clone(), start, length));
                false
            }
            Err(_) => false,
        });
        if address != 0
            && let Some(own) = names.iter().find(|own| name == Some(own.as_bytes()))
        {
            open.push((own, address));
        }
        line.clear();
    }
    Ok(found)
}

fn find_in(mut lines: impl BufRead, module: Option<&str>, name: &str) -> io::Result<Option<Symbol>> {
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if let Some(symbol) = parse(&line, module, name.as_bytes()) {
            let size = if line.contains(&b'[') { 0 } else { size(&mut lines, symbol.address)? };
            return Ok(Some(Symbol { size, ..symbol }));
        }
        line.clear();
    }
    Ok(None)
}

/// How far the next symbol is: other names of the same place come right behind it.
fn size(lines: &mut impl BufRead, address: u64) -> io::Result<u64> {
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let word = line.split(u8::is_ascii_whitespace).next().and_then(|word| std::str::from_utf8(word).ok());
        match word.and_then(|word| u64::from_str_radix(word, 16).ok()) {
            Some(next) if next == address && address != 0 => line.clear(),
            Some(next) if next > address => return Ok(next - address),
            _ => break,
        }
    }
    Ok(0)
}

/// The symbol of a line, if it is the one that is looked for.
fn parse(line: &[u8], module: Option<&str>, wanted: &[u8]) -> Option<Symbol> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    if name != wanted {
        return None;
    }
    let of = words.next().and_then(|word| word.strip_prefix(b"[")?.strip_suffix(b"]")).unwrap_or(b"vmlinux");
    if module.is_some_and(|module| module.as_bytes() != of) {
        return None;
    }
    let address = u64::from_str_radix(std::str::from_utf8(address).ok()?, 16).ok()?;
    Some(Symbol { address, function: matches!(kind.first()?, b't' | b'T' | b'w' | b'W'), size: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_reach_to_the_next_symbol() {
        let text: &[u8] =
            b"ffffffff81000000 T a\nffffffff81000010 t b\nffffffff81000010 t c\nffffffff81000030 t d\n\
                            0000000000000000 T hidden\nffffffffc0001000 t e\t[other]\n";
        let names = ["b", "a", "hidden", "absent", "e"].map(str::to_owned);
        let found = extents_in(text, &names).expect("bytes in memory can be read");
        let found: Vec<_> = found.iter().map(|(name, start, length)| (&**name, *start, *length)).collect();
        assert_eq!(found, [("a", 0xffff_ffff_8100_0000, 0x10), ("b", 0xffff_ffff_8100_0010, 0x20)]);
    }

    #[test]
    fn symbols_by_name_and_module() {
        let text: &[u8] =
            b"ffffffff81000000 T _text\nffffffff81001000 t do_it\nffffffff81001000 T too\n\
              ffffffff81001100 t next\nffffffffc0001000 t do_it\t[other]\nffffffff82000000 D jiffies\n0000000000000000 T hidden\n";
        for (module, name, expect) in [
            (None, "_text", Some((0xffff_ffff_8100_0000, true, 0x1000))),
            (None, "do_it", Some((0xffff_ffff_8100_1000, true, 0x100))),
            (None, "too", Some((0xffff_ffff_8100_1000, true, 0x100))),
            (Some("other"), "do_it", Some((0xffff_ffff_c000_1000, true, 0))),
            (Some("vmlinux"), "do_it", Some((0xffff_ffff_8100_1000, true, 0x100))),
            (Some("vmlinux"), "jiffies", Some((0xffff_ffff_8200_0000, false, 0))),
            (Some("other"), "jiffies", None),
            (None, "hidden", Some((0, true, 0))),
            (None, "do", None),
        ] {
            let found = find_in(text, module, name).expect("bytes in memory can be read");
            assert_eq!(
                found.map(|symbol| (symbol.address, symbol.function, symbol.size)),
                expect,
                "{module:?} {name}"
            );
        }
    }
}
