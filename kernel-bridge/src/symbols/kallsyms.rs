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
    modules: Vec<Module>,
}

/// The kernel, or a module of it.
#[derive(Debug)]
struct Module {
    name: Rc<str>,
    /// Its first address: of its first symbol, if it is not known otherwise.
    base: u64,
    /// Where it ends, if that is known.
    end: u64,
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
        // Without modules there is no such file.
        let modules = std::fs::read("/proc/modules").unwrap_or_default();
        std::fs::read("/proc/kallsyms")
            .map_or_else(|_| Kallsyms::default(), |text| Kallsyms::parse(&text, &modules))
    }

    pub(super) fn parse(text: &[u8], loaded: &[u8]) -> Kallsyms {
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
            modules: modules.iter().map(|name| Module::new(name)).collect(),
            ..Kallsyms::default()
        };
        for (addr, _, name, module) in found {
            table.symbols.push((addr, table.names.len() as u32, module));
            table.names.extend_from_slice(name);
            if let Some(module) = table.modules.get_mut(usize::from(module)) {
                module.base = module.base.min(addr);
            }
        }
        for (name, base, size) in loaded_modules(loaded) {
            if let Some(at) = modules.get_index_of(name)
                && let Some(module) = table.modules.get_mut(at)
            {
                (module.base, module.end) = (base, base.saturating_add(size));
            }
        }
        table
    }

    /// Where an address lies. A symbol reaches to the next one, and not beyond the end of its module; what follows the last
    /// symbol of all is in no module.
    pub(super) fn place(&self, addr: u64) -> Option<Place> {
        let after = self.symbols.partition_point(|symbol| symbol.0 <= addr);
        let Some(index) = after.checked_sub(1) else { return self.nameless(addr) };
        let &(start, at, module) = self.symbols.get(index)?;
        let next = self.symbols.get(after);
        let module = self.modules.get(usize::from(module))?;
        if next.is_none() && addr != start || addr >= module.end {
            return self.nameless(addr);
        }
        // In front of the first symbol of a module the last one of another does not count.
        if let Some(place) = self.nameless(addr).filter(|place| place.module != module.name) {
            return Some(place);
        }
        let end = next.map_or(self.names.len(), |next| next.1 as usize);
        let name = String::from_utf8_lossy(self.names.get(at as usize..end)?).into();
        Some(Place {
            module: module.name.clone(),
            base: module.base,
            start: module.base,
            symbol: Some(Symbol { name, offset: addr - start }),
        })
    }
}

impl Kallsyms {
    /// The module that an address without a symbol lies in.
    fn nameless(&self, addr: u64) -> Option<Place> {
        let within = |module: &&Module| module.end != u64::MAX && (module.base..module.end).contains(&addr);
        let Module { name, base, .. } = self.modules.iter().find(within)?;
        Some(Place { module: name.clone(), base: *base, start: *base, symbol: None })
    }
}

impl Module {
    fn new(name: &[u8]) -> Module {
        Module { name: String::from_utf8_lossy(name).into(), base: u64::MAX, end: u64::MAX }
    }
}

/// Name, first address and size of each module in the text of `/proc/modules`, whose addresses are 0 for who may not know.
fn loaded_modules(text: &[u8]) -> impl Iterator<Item = (&[u8], u64, u64)> {
    text.split(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = line.split(|&byte| byte == b' ');
        let (name, size) = (words.next()?, str::from_utf8(words.next()?).ok()?.parse().ok()?);
        let base = hex(words.nth(3)?.strip_prefix(b"0x")?).filter(|&base| base != 0)?;
        Some((name, base, size))
    })
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
        let table = Kallsyms::parse(TEXT, b"");
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
    fn a_module_has_an_end() {
        let modules = b"ext4 256 1 - Live 0xffffffffc0000000\nquiet 4096 0 a,b, Live 0xffffffffc0010000 (O)\nhidden 1 0 - \
            Live 0x0000000000000000\nbad\n";
        let table = Kallsyms::parse(&[TEXT, b"ffffffffc0010800 t lone\t[quiet]\n"].concat(), modules);
        for (addr, expected) in [
            (0xffff_ffff_c000_0008, "ext4"),
            (0xffff_ffff_c000_00ff, "ext4`ext4_end+0x7f"),
            (0xffff_ffff_c000_0100, "?"),
            (0xffff_ffff_c001_0010, "quiet"),
            (0xffff_ffff_c001_0800, "quiet`lone+0x0"),
            (0xffff_ffff_c001_0801, "quiet"),
            (0xffff_ffff_c001_1000, "?"),
        ] {
            assert_eq!(show(&table, addr), expected, "{addr:#x}");
        }
        let base = table.place(0xffff_ffff_c000_0080).map(|place| place.base);
        assert_eq!(base, Some(0xffff_ffff_c000_0000));
    }

    #[test]
    fn hidden_addresses_are_no_names() {
        let table =
            Kallsyms::parse(b"0000000000000000 T vfs_read\n0000000000000000 T ksys_read\njunk\n\n", b"");
        assert_eq!(show(&table, 0), "?");
        assert_eq!(show(&table, u64::MAX), "?");
    }
}
