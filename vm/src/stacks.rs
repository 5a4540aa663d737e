//! The stacks that numbers stand for: taken at an event here or handed over by a kernel part, looked up when a number is
//! printed or compared. [`dtrail_lang::plan::stacks`] makes the numbers.

use std::cell::Cell;
use std::cmp::Ordering;

use dtrail_lang::builtins::{Action, Func};
use dtrail_lang::format::{ConversionKind, Piece};
use dtrail_lang::ir::inst::{Op, Reg};
use dtrail_lang::ir::{Detail, ValueType};
use dtrail_lang::plan::Plan;
use dtrail_lang::plan::stacks::{self, ADDRESS, DUMP, HEAD, KERNEL, USER};
use foldhash::HashMap;

use crate::names::{Names, Process};

/// Where addresses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The kernel's stack.
    Kernel,
    /// The stack of a thread in user space, and how many bytes of names for made code go with it.
    User {
        /// 0: none are looked for.
        strsize: u32,
    },
    /// One address of a process.
    Address,
}

/// A stack, or an address of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Where it was taken.
    pub origin: Origin,
    /// Whose it is; all zeros for the kernel.
    pub process: Process,
    /// Innermost first.
    pub frames: Box<[u64]>,
    /// Whether its names of made code that do not fit have been counted, which happens when it is first printed.
    pub counted: Cell<bool>,
}

impl Stack {
    /// Reads the packed form; `None` if it is none. `seen` is when the kernel part met it first.
    pub fn unpack(words: &[u64], seen: u64) -> Option<Stack> {
        let (head, frames) = words.split_at_checked(HEAD)?;
        let origin = match head[0] as u32 {
            KERNEL => Origin::Kernel,
            USER => Origin::User { strsize: (head[0] >> 32) as u32 },
            ADDRESS => Origin::Address,
            _ => return None,
        };
        let process = Process { pid: head[1] as u32, start: head[2], execs: head[3], seen };
        Some(Stack { origin, process, frames: frames.into(), counted: Cell::new(false) })
    }

    /// The order of keys: the process, then the addresses, as their bytes lie in memory.
    fn order(&self, other: &Stack) -> Ordering {
        let bytes = |stack: &Stack| u64::from(stack.process.pid).to_le_bytes();
        let frames =
            |stack: &Stack| stack.frames.iter().flat_map(|frame| frame.to_le_bytes()).collect::<Vec<_>>();
        bytes(self).cmp(&bytes(other)).then_with(|| match (self.origin, other.origin) {
            (Origin::Address, Origin::Address) => self.frames.cmp(&other.frames),
            _ => frames(self).cmp(&frames(other)),
        })
    }
}

/// Fills `words` with the packed form of a stack's head.
pub fn head(words: &mut Vec<u64>, origin: Origin, process: Process) {
    words.clear();
    let (kind, strsize) = match origin {
        Origin::Kernel => (KERNEL, 0),
        Origin::User { strsize } => (USER, strsize),
        Origin::Address => (ADDRESS, 0),
    };
    words.extend_from_slice(&[u64::from(kind) | u64::from(strsize) << 32, 0, 0, 0]);
    set_process(words, process);
}

/// Says in a packed form whose it is.
pub fn set_process(words: &mut [u64], process: Process) {
    if let Some(head) = words.get_mut(..HEAD) {
        head[1..].copy_from_slice(&[u64::from(process.pid), process.start, process.execs]);
    }
}

/// Stacks by number.
#[derive(Clone, Debug, Default)]
pub struct StackTable {
    stacks: HashMap<u64, Stack>,
    /// Numbers whose stacks turned out to be those of other numbers: those that were learned since it was last forgotten,
    /// and those from before.
    same: [HashMap<u64, u64>; 2],
    capacity: usize,
    most_learned: usize,
    /// Stacks that found no room since it was last asked.
    lost: u64,
    /// Names that did not fit, since it was last asked. Counted while printing.
    overflows: Cell<u64>,
}

/// Most stacks that are kept: some hundred megabytes at worst.
const CAPACITY: usize = 1 << 18;
/// Most numbers of other numbers' stacks that are learned before some are forgotten; as many are there still from before.
/// Both take some 80 megabytes. (Tests come to it sooner.)
const MOST_LEARNED: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

impl StackTable {
    /// An empty table.
    pub fn new() -> StackTable {
        StackTable { capacity: CAPACITY, most_learned: MOST_LEARNED, ..StackTable::default() }
    }

    /// Keeps a packed stack and gives its number; 0 if there is no room.
    pub fn intern(&mut self, words: &[u64], seen: u64) -> u64 {
        let number = stacks::number(words);
        if self.stacks.contains_key(&number) {
            return number;
        }
        match Stack::unpack(words, seen) {
            Some(stack) if self.stacks.len() < self.capacity => {
                self.stacks.insert(number, stack);
                number
            }
            _ => {
                self.lost += 1;
                0
            }
        }
    }

    /// Takes what a kernel part kept under a number that need not be made from its words.
    pub fn learn(&mut self, number: u64, words: &[u64], seen: u64) {
        let own = self.intern(words, seen);
        if own == number || own == 0 {
            return;
        }
        let [young, _] = &mut self.same;
        if young.len() < self.most_learned || young.contains_key(&number) {
            young.insert(number, own);
        } else {
            self.lost += 1;
        }
    }

    /// Whether there are so many numbers of other numbers' stacks that some should be forgotten ([`StackTable::forget`]).
    pub fn crowded(&self) -> bool {
        self.same[0].len() >= self.most_learned / 2
    }

    /// Forgets what numbers stood for stacks of other numbers, but for those that were learned since this was last called.
    /// Those that are forgotten are nobody's any more: keys have become canonical, and rows been printed.
    pub fn forget(&mut self) {
        self.same[1] = std::mem::take(&mut self.same[0]);
    }

    /// The number that stands for all numbers of the same stack.
    pub fn canonical(&self, number: u64) -> u64 {
        self.same.iter().find_map(|same| same.get(&number)).copied().unwrap_or(number)
    }

    /// The stack of a number.
    pub fn get(&self, number: u64) -> Option<&Stack> {
        self.stacks.get(&self.canonical(number))
    }

    /// Stacks that found no room since it was last asked.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// Counts names of made code that did not fit in a stack, once for each stack however often it is printed.
    pub fn overflow(&self, stack: &Stack, names: u64) {
        if !stack.counted.replace(true) {
            self.overflows.set(self.overflows.get() + names);
        }
    }

    /// Names that did not fit since it was last asked.
    pub fn take_overflows(&mut self) -> u64 {
        self.overflows.take()
    }

    /// Compares what two numbers stand for; what is not known comes first.
    pub fn compare(&self, a: u64, b: u64) -> Ordering {
        match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => a.order(b),
            (None, None) => a.cmp(&b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        }
    }
}

/// Makes the packed form of a stack from one that is yet to be unwound; `false` if it is not such a one.
pub fn unwind(words: &[u64], seen: u64, names: &dyn Names, out: &mut Vec<u64>) -> bool {
    let Some((head, rest)) = words.split_at_checked(HEAD) else { return false };
    let Some((&[pc, sp, fp, _, most], stack)) = rest.split_first_chunk() else { return false };
    if head[0] as u32 != DUMP {
        return false;
    }
    out.clear();
    out.extend_from_slice(&[u64::from(USER) | head[0] >> 32 << 32, head[1], head[2], head[3]]);
    let process = Process { pid: head[1] as u32, start: head[2], execs: head[3], seen };
    names.unwind(&process, [pc, sp, fp], stack, most as usize, out);
    true
}

/// Whether values of a type are numbers of this table.
pub fn is_numbered(ty: ValueType) -> bool {
    matches!(ty, ValueType::Symbolic(kind) if kind.is_numbered())
}

/// Whether a plan takes stacks or addresses of processes at all.
pub fn used(plan: &Plan) -> bool {
    let program = &plan.program;
    let keys = program.aggs.iter().flat_map(|agg| &agg.keys);
    let values = program.sites.iter().flat_map(|site| &site.args);
    let kept = program.vars.iter().map(|var| &var.ty);
    keys.chain(values).chain(kept).any(|&ty| is_numbered(ty))
}

/// Whether a plan prints numbers as addresses of processes: `%A`.
pub fn addresses_printed(plan: &Plan) -> bool {
    let formats = plan.program.sites.iter().filter_map(|site| match &site.detail {
        Detail::Format(format) | Detail::Printa { format: Some(format), .. } => Some(format),
        _ => None,
    });
    formats.flat_map(|format| &format.pieces).any(
        |piece| matches!(piece, Piece::Conversion(conversion) if conversion.kind == ConversionKind::UserAddress),
    )
}

/// Whether a plan keeps numbers of stacks where nobody looks for them: in variables, in rows of speculations.
pub fn kept(plan: &Plan) -> bool {
    let program = &plan.program;
    let speculates = program.sites.iter().any(|site| site.action == Action::Speculate);
    let recorded = program.sites.iter().flat_map(|site| &site.args).any(|&ty| is_numbered(ty));
    speculates && recorded || program.vars.iter().any(|var| is_numbered(var.ty))
}

/// Whether a plan takes stacks that print names of run-time code: `ustack` with room for names, or `jstack`.
pub fn names_made(plan: &Plan) -> bool {
    plan.program.clauses.iter().any(|clause| {
        let code = || clause.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
        let is_zero = |reg: Reg| code().any(|op| matches!(op, Op::Const { dst, value: 0 } if *dst == reg));
        code().any(|op| match op {
            Op::Call { func: Func::Ustack, args, .. } => args.get(1).is_some_and(|&size| !is_zero(size)),
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(origin: Origin, pid: u32, frames: &[u64]) -> Vec<u64> {
        let mut words = Vec::new();
        head(&mut words, origin, Process { pid, ..Process::default() });
        words.extend_from_slice(frames);
        words
    }

    #[test]
    fn one_number_a_stack() {
        let mut table = StackTable::new();
        let user = words(Origin::User { strsize: 9 }, 7, &[1, 2, 3]);
        let number = table.intern(&user, 50);
        assert_eq!(table.intern(&user, 60), number);
        let stack = table.get(number).expect("just kept");
        assert_eq!(stack.origin, Origin::User { strsize: 9 });
        assert_eq!((stack.process.pid, stack.process.seen, &*stack.frames), (7, 50, &[1, 2, 3][..]));
        assert_ne!(table.intern(&words(Origin::User { strsize: 9 }, 8, &[1, 2, 3]), 50), number);
        assert_ne!(table.intern(&words(Origin::Kernel, 0, &[1, 2, 3]), 50), number);
        assert_eq!(table.get(0), None);
    }

    #[test]
    fn a_number_of_its_own_leads_to_the_stack() {
        let mut table = StackTable::new();
        let stack = words(Origin::User { strsize: 0 }, 7, &[1]);
        table.learn(99, &stack, 5);
        let number = table.intern(&stack, 5);
        assert_eq!(table.canonical(99), number);
        assert_eq!(table.get(99), table.get(number));
    }

    #[test]
    fn numbers_of_other_numbers_are_forgotten_in_time() {
        let mut table = StackTable { most_learned: 4, ..StackTable::new() };
        let stack = words(Origin::User { strsize: 0 }, 7, &[1]);
        let number = table.intern(&stack, 5);
        let known = |table: &StackTable| (90..98).filter(|&n| table.get(n).is_some()).collect::<Vec<_>>();
        for (learned, crowded, expected) in
            [(90, false, &[90][..]), (91, true, &[90, 91]), (92, true, &[90, 91, 92])]
        {
            table.learn(learned, &stack, 5);
            assert_eq!((table.crowded(), &*known(&table)), (crowded, expected));
        }
        table.forget();
        assert!(!table.crowded());
        table.learn(93, &stack, 5);
        assert_eq!(known(&table), [90, 91, 92, 93], "they stay for one round more");
        table.forget();
        assert_eq!(known(&table), [93]);
        (94..98).for_each(|n| table.learn(n, &stack, 5));
        assert_eq!((known(&table), table.take_lost()), (vec![93, 94, 95, 96, 97], 0));
        table.learn(97, &stack, 5);
        table.learn(98, &stack, 5);
        assert_eq!(table.take_lost(), 1, "what finds no room is counted");
        assert!(table.get(98).is_none());
        assert!(table.get(number).is_some(), "the stack itself stays");
    }

    #[test]
    fn a_full_table_keeps_no_more() {
        let mut table = StackTable { capacity: 1, ..StackTable::new() };
        assert_ne!(table.intern(&words(Origin::Kernel, 0, &[1]), 0), 0);
        assert_eq!(table.intern(&words(Origin::Kernel, 0, &[2]), 0), 0);
        assert_eq!((table.take_lost(), table.take_lost()), (1, 0));
    }

    #[test]
    fn order_is_that_of_the_bytes() {
        let mut table = StackTable::new();
        let mut number =
            |pid, frames: &[u64]| table.intern(&words(Origin::User { strsize: 0 }, pid, frames), 0);
        let (a, b, c, d) = (number(1, &[0x100]), number(1, &[0x2]), number(1, &[0x100, 1]), number(2, &[0]));
        assert!(table.compare(a, b).is_lt(), "00 01 before 02");
        assert!(table.compare(a, c).is_lt());
        assert!(table.compare(b, d).is_lt());
        assert!(table.compare(0, a).is_lt());
    }
}
