//! The kernel's own symbols: the text of `/proc/kallsyms` in, look-ups of addresses out. Without privilege all addresses in
//! it are 0; then there are no names.

use std::rc::Rc;

use dtrail_vm::names::{Place, Symbol};
use indexmap::IndexSet;

/// The name of the kernel itself among the modules.
const KERNEL: &str = "vmlinux";

/// Symbols in order of their addresses.
#[derive(Debug, Default)]
pub(super) struct Kallsyms {
    /// Address, where its name lies in `names`, index in `modules`.
    symbols: Vec<(u64, u32, u16)>,
    names: Vec<u8>,
    /// Name and first address.
    modules: Vec<(Rc<str>, u64)>,
}

/// How well a symbol stands for its address; the greatest is taken (runtime spec §6.2).
fn rank(kind: u8, name: &[u8]) -> (u8, i32, i32) {
    let binding = match kind {
        b'W' | b'V' | b'w' | b'v' => 1,
        b'A'..=b'Z' => 2,
        _ => 0,
    };
    let underscores = name.iter().take_while(|&&byte| byte == b'_').count();
    (binding, -(underscores as i32), -(name.len() as i32))
}

impl Kallsyms {
    /// Reads the kernel's symbols as they are now.
    pub(super) fn read() -> Kallsyms {
        std::fs::read("/proc/kallsyms").map_or_else(|_| Kallsyms::default(), |text| Kallsyms::parse(&text))
    }

    fn parse(text: &[u8]) -> Kallsyms {
        let mut modules: IndexSet<&[u8]> = IndexSet::new();
        modules.insert(KERNEL.as_bytes());
        let mut found: Vec<(u64, u8, &[u8], u16)> = Vec::new();
        for line in text.split(|&byte| byte == b'\n') {
            let mut words = line.split(|&byte| byte == b' ' || byte == b'\t').filter(|word| !word.is_empty());
            let (Some(addr), Some(&[kind]), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let Some(addr) = hex(addr).filter(|&addr| addr != 0) else { continue };
            let module = match words.next() {
                Some(module) => {
                    let name = module.strip_prefix(b"[").unwrap_or(module);
                    modules.insert_full(name.strip_suffix(b"]").unwrap_or(name)).0
                }
                None => 0,
            };
            found.push((addr, kind, name, module.min(usize::from(u16::MAX)) as u16));
        }
        found.sort_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| rank(b.1, b.2).cmp(&rank(a.1, a.2))).then(a.2.cmp(b.2))
        });
        found.dedup_by_key(|symbol| symbol.0);
        let mut table = Kallsyms {
            modules: modules.iter().map(|name| (String::from_utf8_lossy(name).into(), u64::MAX)).collect(),
            ..Kallsyms::default()
        };
        for (addr, _, name, module) in found {
            table.symbols.push((addr, table.names.len() as u32, module));
            table.names.extend_from_slice(name);
            if let Some((_, base)) = table.modules.get_mut(usize::from(module)) {
                *base = (*base).min(addr);
            }
        }
        table
    }

    /// Where an address lies. A symbol reaches to the next one of its module; what follows the last symbol of all is in no
    /// module.
    pub(super) fn place(&self, addr: u64) -> Option<Place> {
        let after = self.symbols.partition_point(|symbol| symbol.0 <= addr);
        let index = after.checked_sub(1)?;
        let &(start, at, module) = self.symbols.get(index)?;
        let next = self.symbols.get(after);
        if next.is_none() && addr != start {
            return None;
        }
        let end = next.map_or(self.names.len(), |next| next.1 as usize);
        let name = String::from_utf8_lossy(self.names.get(at as usize..end)?).into();
        let (module, base) = self.modules.get(usize::from(module))?;
        Some(Place {
            module: module.clone(),
            base: *base,
            symbol: Some(Symbol { name, offset: addr - start }),
        })
    }
}

/// A hexadecimal number without prefix.
pub(super) fn hex(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0u64, |value, &digit| Some(value << 4 | u64::from((digit as char).to_digit(16)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\nffffffff81000100 t __local\n\
        ffffffff81000100 T vfs_read\nffffffff81000100 W alias\nffffffff81000200 T last\n\
        ffffffffc0000010 t ext4_read\t[ext4]\nffffffffc0000080 t ext4_end\t[ext4]\n";

    fn show(table: &Kallsyms, addr: u64) -> String {
        match table.place(addr) {
            Some(Place { module, symbol: Some(symbol), .. }) => {
                format!("{module}`{}+{:#x}", symbol.name, symbol.offset)
            }
            Some(Place { module, .. }) => module.to_string(),
            None => "?".to_owned(),
        }
    }

    #[test]
    fn addresses_have_the_best_name() {
        let table = Kallsyms::parse(TEXT);
        for (addr, expected) in [
            (0xffff_ffff_8100_0100, "vmlinux`vfs_read+0x0"),
            (0xffff_ffff_8100_01ff, "vmlinux`vfs_read+0xff"),
            (0xffff_ffff_c000_0018, "ext4`ext4_read+0x8"),
            (0xffff_ffff_c000_0080, "ext4`ext4_end+0x0"),
            (0xffff_ffff_c000_0081, "?"),
            (0x1234, "?"),
        ] {
            assert_eq!(show(&table, addr), expected, "{addr:#x}");
        }
        let base = |addr| table.place(addr).map(|place| place.base);
        assert_eq!(base(0xffff_ffff_c000_0080), Some(0xffff_ffff_c000_0010));
    }

    #[test]
    fn hidden_addresses_are_no_names() {
        let table = Kallsyms::parse(b"0000000000000000 T vfs_read\n0000000000000000 T ksys_read\njunk\n\n");
        assert_eq!(show(&table, 0), "?");
        assert_eq!(show(&table, u64::MAX), "?");
    }
}
