//! D variables that live in user space (language spec §8.1): globals, `self->` keyed by thread, `this->` for one firing,
//! associative arrays under canonical keys. In: registers' values. Out: the same. Dynamic variables exist while they are
//! neither zero nor NULL, and their number is bounded by `dynvarsize`. Kernel-homed variables never come here.

use std::collections::{HashMap, HashSet};

use dtrail_lang::ir::{self, RegKind, Scope, VarId};
use dtrail_lang::plan::layout::{self, KeyPart};
use dtrail_lang::plan::{Rooms, Side};
use foldhash::fast::RandomState;

use crate::value::ValueRef;

/// A thread's identity: thread ID and start time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Kernel thread ID.
    pub tid: u32,
    /// Nanoseconds since boot.
    pub start: u64,
}

impl Thread {
    /// What the keys of a `self->` array begin with.
    pub fn prefix(self) -> [u8; 16] {
        let mut prefix = [0; 16];
        prefix[..8].copy_from_slice(&u64::from(self.tid).to_le_bytes());
        prefix[8..].copy_from_slice(&self.start.to_le_bytes());
        prefix
    }

    /// The thread that a key of a `self->` array begins with.
    fn of_key(key: &[u8]) -> Option<Thread> {
        let (tid, rest) = key.split_first_chunk()?;
        let start = rest.first_chunk()?;
        Some(Thread { tid: u64::from_le_bytes(*tid) as u32, start: u64::from_le_bytes(*start) })
    }
}

/// A store was refused because its space (`dynvarsize`) is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// All variables of a session.
#[derive(Clone, Debug, Default)]
pub struct Vars {
    places: Vec<Place>,
    globals: Vec<Cell>,
    locals: Vec<Cell>,
    /// Whether any local was written since they were zeroed.
    locals_used: bool,
    arrays: Vec<Array>,
    /// `self->` scalars, by the room that counts their threads ([`room`]).
    threads: [Threads; 2],
    /// Threads that are gone and may have left elements behind, which are removed when room is wanted or when it pays.
    ended: HashSet<Thread, RandomState>,
}

/// Where a variable is: an index in the store of its kind.
#[derive(Clone, Copy, Debug)]
enum Place {
    Global(u32),
    Local(u32),
    Thread { room: u8, index: u32 },
    Array { index: u32, per_thread: bool },
}

/// The place of a variable that does not move while a session lasts: an index in [`Vars::cells`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    /// A scalar global.
    Global(u32),
    /// A scalar `this->` variable.
    Local(u32),
}

/// Bytes from cell to cell.
pub(crate) const CELL_SIZE: usize = size_of::<Cell>();
/// Where in a cell the word of an integer is.
pub(crate) const CELL_WORD: usize = std::mem::offset_of!(Cell, word);

/// A value at rest: an integer, or the length + 1 of a string (0: NULL) whose buffer is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    word: u64,
    bytes: Vec<u8>,
}

impl Cell {
    fn get(&self, kind: RegKind) -> ValueRef<'_> {
        match kind {
            RegKind::Int => ValueRef::Int(self.word as i64),
            RegKind::Str => {
                ValueRef::Str(self.word.checked_sub(1).and_then(|n| self.bytes.get(..n as usize)))
            }
        }
    }

    fn set(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Int(value) => self.word = value as u64,
            ValueRef::Str(None) => self.word = 0,
            ValueRef::Str(Some(bytes)) => {
                self.word = bytes.len() as u64 + 1;
                self.bytes.clear();
                self.bytes.extend_from_slice(bytes);
            }
        }
    }

    /// The empty string, or 0: what an unassigned global or `this->` variable holds.
    fn unassigned(kind: RegKind) -> Cell {
        Cell { word: u64::from(kind == RegKind::Str), bytes: Vec::new() }
    }
}

fn absent(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Int(0) | ValueRef::Str(None))
}

/// What a missing dynamic variable reads as.
fn missing(kind: RegKind) -> ValueRef<'static> {
    match kind {
        RegKind::Int => ValueRef::Int(0),
        RegKind::Str => ValueRef::Str(None),
    }
}

/// The elements of an associative array.
#[derive(Clone, Debug)]
struct Array {
    elements: HashMap<Box<[u8]>, Cell, RandomState>,
    capacity: usize,
    /// Whether keys begin with a thread.
    per_thread: bool,
}

/// The index of a room in [`Vars::threads`].
fn room(side: Side) -> u8 {
    match side {
        Side::Kernel => 0,
        Side::User => 1,
    }
}

/// `self->` scalars of one room: a block of cells a thread.
#[derive(Clone, Debug, Default)]
struct Threads {
    blocks: HashMap<Thread, Box<[Cell]>, RandomState>,
    width: usize,
    capacity: usize,
}

impl Threads {
    /// Whether a thread whose last cell turns zero gives its room back ([`layout::THREADS_AT_ONCE`]).
    fn gives_back(&self) -> bool {
        self.blocks.len() as u64 > layout::threads_that_keep(self.capacity as u64)
    }
}

impl Vars {
    /// The variables of a program, unassigned. `dynvarsize` bounds dynamic ones, in bytes, each room of threads by itself.
    pub fn new(program: &ir::Program, rooms: &Rooms, dynvarsize: u64) -> Vars {
        let strsize = program.limits.strsize;
        let mut vars = Vars::default();
        for (i, var) in program.vars.iter().enumerate() {
            let kind = var.ty.reg_kind();
            let place = match (&var.keys, var.scope) {
                (Some(keys), scope) => {
                    let per_thread = scope == Scope::ThreadLocal;
                    let thread = [KeyPart::Int, KeyPart::Int].into_iter().filter(|_| per_thread);
                    let parts = keys.iter().map(|&ty| KeyPart::of(ty)).chain(thread);
                    let cell = u64::from(layout::cell_bytes(var.ty, strsize));
                    let capacity = layout::entries(dynvarsize, parts, strsize, cell) as usize;
                    vars.arrays.push(Array { elements: HashMap::default(), capacity, per_thread });
                    Place::Array { index: vars.arrays.len() as u32 - 1, per_thread }
                }
                (None, Scope::Global) => {
                    vars.globals.push(Cell::unassigned(kind));
                    Place::Global(vars.globals.len() as u32 - 1)
                }
                (None, Scope::ClauseLocal) => {
                    vars.locals.push(Cell::unassigned(kind));
                    Place::Local(vars.locals.len() as u32 - 1)
                }
                (None, Scope::ThreadLocal) => {
                    let room = room(rooms.var(VarId(i as u32)));
                    let threads = &mut vars.threads[usize::from(room)];
                    threads.width += 1;
                    Place::Thread { room, index: threads.width as u32 - 1 }
                }
            };
            vars.places.push(place);
        }
        let capacity = layout::threads(program, dynvarsize) as usize;
        vars.threads.iter_mut().for_each(|threads| threads.capacity = capacity);
        vars
    }

    /// Goes on with the variables of another program that are the same here: by name, scope, type and keys. `this->`
    /// variables begin anew with the next firing anyway.
    pub fn take_over(&mut self, program: &ir::Program, mut old: Vars, before: &ir::Program) {
        let mut moved: [Vec<(u8, u32, u32)>; 2] = [Vec::new(), Vec::new()];
        for (var, place) in program.vars.iter().zip(&self.places) {
            let Some(from) = before.vars.iter().position(|known| known == var) else { continue };
            match (*place, old.places.get(from).copied()) {
                (Place::Global(to), Some(Place::Global(from))) => {
                    std::mem::swap(&mut self.globals[to as usize], &mut old.globals[from as usize]);
                }
                (Place::Array { index: to, .. }, Some(Place::Array { index: from, .. })) => {
                    let elements = std::mem::take(&mut old.arrays[from as usize].elements);
                    self.arrays[to as usize].elements = elements;
                }
                (Place::Thread { room, index }, Some(Place::Thread { room: before, index: from })) => {
                    moved[usize::from(before)].push((room, index, from));
                }
                _ => {}
            }
        }
        for (threads, moved) in old.threads.iter_mut().zip(&moved) {
            for (thread, mut cells) in threads.blocks.drain() {
                for &(room, to, from) in moved {
                    let Threads { blocks, width, .. } = &mut self.threads[usize::from(room)];
                    let block = blocks.entry(thread).or_insert_with(|| vec![Cell::default(); *width].into());
                    std::mem::swap(&mut block[to as usize], &mut cells[from as usize]);
                }
            }
        }
        self.ended = old.ended;
    }

    /// Removes the variables of a thread that is gone.
    pub fn thread_ended(&mut self, thread: Thread) {
        self.threads.iter_mut().for_each(|threads| drop(threads.blocks.remove(&thread)));
        let elements = self.thread_arrays().map(|array| array.elements.len()).sum::<usize>();
        if elements > 0 {
            self.ended.insert(thread);
        }
        // A walk over all elements for half as many threads costs each of them two.
        if self.ended.len() >= 64 && self.ended.len() >= elements / 2 {
            self.bury();
        }
    }

    /// Removes what ended threads have left behind. A thread never comes again, so nobody can tell when it is done.
    fn bury(&mut self) {
        let ended = std::mem::take(&mut self.ended);
        for array in self.thread_arrays() {
            array.elements.retain(|key, _| Thread::of_key(key).is_none_or(|thread| !ended.contains(&thread)));
        }
    }

    /// The arrays of `self->`.
    fn thread_arrays(&mut self) -> impl Iterator<Item = &mut Array> {
        self.arrays.iter_mut().filter(|array| array.per_thread)
    }

    /// Zeroes the `this->` variables: a new firing begins.
    pub fn begin_firing(&mut self, program: &ir::Program) {
        if !std::mem::take(&mut self.locals_used) {
            return;
        }
        for (var, place) in program.vars.iter().zip(&self.places) {
            if let Place::Local(index) = place {
                self.locals[*index as usize].word = u64::from(var.ty.reg_kind() == RegKind::Str);
            }
        }
    }

    /// The fixed place of a variable, if it has one.
    pub(crate) fn fixed(&self, var: VarId) -> Option<Fixed> {
        match *self.places.get(var.index())? {
            Place::Global(index) => Some(Fixed::Global(index)),
            Place::Local(index) => Some(Fixed::Local(index)),
            Place::Thread { .. } | Place::Array { .. } => None,
        }
    }

    /// The cells of scalar globals and of `this->` variables; see [`Vars::fixed`]. `writes` announces that one of the
    /// latter may be written.
    #[inline]
    pub(crate) fn cells(&mut self, writes: bool) -> (&mut [Cell], &mut [Cell]) {
        if writes {
            self.locals_used = true;
        }
        (&mut self.globals, &mut self.locals)
    }

    /// Whether the variable's value depends on the thread.
    pub fn per_thread(&self, var: VarId) -> bool {
        matches!(
            self.places.get(var.index()),
            Some(Place::Thread { .. } | Place::Array { per_thread: true, .. })
        )
    }

    /// Reads a variable, or with `key` (canonical, ahead of it the thread for `self->`) an element.
    pub fn get(&self, var: VarId, kind: RegKind, thread: Thread, key: &[u8]) -> ValueRef<'_> {
        let cell = match self.places.get(var.index()) {
            Some(Place::Global(index)) => self.globals.get(*index as usize),
            Some(Place::Local(index)) => self.locals.get(*index as usize),
            Some(Place::Thread { room, index }) => {
                let blocks = &self.threads[usize::from(*room)].blocks;
                blocks.get(&thread).and_then(|cells| cells.get(*index as usize))
            }
            Some(Place::Array { index, .. }) => {
                self.arrays.get(*index as usize).and_then(|array| array.elements.get(key))
            }
            None => None,
        };
        cell.map_or(missing(kind), |cell| cell.get(kind))
    }

    /// Writes a variable or an element; zero and NULL remove a dynamic one.
    pub fn set(&mut self, var: VarId, thread: Thread, key: &[u8], value: ValueRef<'_>) -> Result<(), Full> {
        match self.places.get(var.index()) {
            Some(Place::Global(index)) => self.globals[*index as usize].set(value),
            Some(Place::Local(index)) => {
                self.locals_used = true;
                self.locals[*index as usize].set(value);
            }
            Some(&Place::Thread { room, index }) => return self.set_thread(room, index, thread, value),
            Some(Place::Array { index, .. }) => return self.set_element(*index as usize, key, value),
            None => {}
        }
        Ok(())
    }

    fn set_thread(&mut self, room: u8, index: u32, thread: Thread, value: ValueRef<'_>) -> Result<(), Full> {
        let index = index as usize;
        let threads = &mut self.threads[usize::from(room)];
        if let Some(cells) = threads.blocks.get_mut(&thread) {
            cells[index].set(value);
            if absent(value) && cells.iter().all(|cell| cell.word == 0) && threads.gives_back() {
                threads.blocks.remove(&thread);
            }
            return Ok(());
        }
        if absent(value) {
            return Ok(());
        }
        if threads.blocks.len() >= threads.capacity {
            return Err(Full);
        }
        let mut cells: Box<[Cell]> = vec![Cell::default(); threads.width].into();
        cells[index].set(value);
        threads.blocks.insert(thread, cells);
        Ok(())
    }

    fn set_element(&mut self, index: usize, key: &[u8], value: ValueRef<'_>) -> Result<(), Full> {
        if !self.ended.is_empty() && self.arrays[index].elements.len() >= self.arrays[index].capacity {
            self.bury();
        }
        let array = &mut self.arrays[index];
        if absent(value) {
            array.elements.remove(key);
            return Ok(());
        }
        if let Some(cell) = array.elements.get_mut(key) {
            cell.set(value);
            return Ok(());
        }
        if array.elements.len() >= array.capacity {
            return Err(Full);
        }
        let mut cell = Cell::default();
        cell.set(value);
        array.elements.insert(key.into(), cell);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;

    const ONE: Thread = Thread { tid: 1, start: 5 };
    const TWO: Thread = Thread { tid: 2, start: 5 };

    fn vars(text: &str, dynvarsize: u64) -> (ir::Program, Vars) {
        let program = parse::program(text).expect("IR of this test");
        let vars = Vars::new(&program, &Rooms::default(), dynvarsize);
        (program, vars)
    }

    fn text(bytes: &[u8]) -> ValueRef<'_> {
        ValueRef::Str(Some(bytes))
    }

    #[test]
    fn what_unassigned_variables_hold() {
        let (_, vars) = vars(
            "var g: string\nvar this->l: string\nvar self->t: string\nvar n: i32\nvar a[i32]: string",
            999,
        );
        let get = |var, kind| vars.get(VarId(var), kind, ONE, &[0; 8]);
        assert_eq!(get(0, RegKind::Str), text(b""));
        assert_eq!(get(1, RegKind::Str), text(b""));
        assert_eq!(get(2, RegKind::Str), ValueRef::Str(None));
        assert_eq!(get(3, RegKind::Int), ValueRef::Int(0));
        assert_eq!(get(4, RegKind::Str), ValueRef::Str(None));
    }

    #[test]
    fn this_lasts_one_firing_and_self_belongs_to_a_thread() {
        let (program, mut vars) = vars("var this->l: string\nvar self->t: u64\nvar self->s: string", 9999);
        assert_eq!(vars.set(VarId(0), ONE, &[], text(b"x")), Ok(()));
        assert_eq!(vars.set(VarId(1), ONE, &[], ValueRef::Int(7)), Ok(()));
        assert_eq!(vars.set(VarId(2), ONE, &[], text(b"abc")), Ok(()));
        assert_eq!(vars.get(VarId(0), RegKind::Str, TWO, &[]), text(b"x"));
        vars.begin_firing(&program);
        assert_eq!(vars.get(VarId(0), RegKind::Str, TWO, &[]), text(b""));
        assert_eq!(vars.get(VarId(1), RegKind::Int, ONE, &[]), ValueRef::Int(7));
        assert_eq!(vars.get(VarId(1), RegKind::Int, TWO, &[]), ValueRef::Int(0));
        assert_eq!(vars.get(VarId(1), RegKind::Int, Thread { start: 6, ..ONE }, &[]), ValueRef::Int(0));
        assert_eq!(vars.set(VarId(1), ONE, &[], ValueRef::Int(0)), Ok(()));
        assert_eq!(vars.get(VarId(2), RegKind::Str, ONE, &[]), text(b"abc"));
    }

    #[test]
    fn dynamic_variables_vanish_and_their_space_is_bounded() {
        // One element takes 16 + 8 + 8 bytes, one thread 16 + 16 + 8.
        let (_, mut vars) = vars("var a[i32]: i32\nvar self->t: i32", 80);
        let mut set = |key: u8, value| vars.set(VarId(0), ONE, &[key; 8], ValueRef::Int(value));
        assert_eq!(set(1, 5), Ok(()));
        assert_eq!(set(2, 5), Ok(()));
        assert_eq!(set(3, 5), Err(Full));
        assert_eq!(set(3, 0), Ok(()), "removing needs no room");
        assert_eq!(set(1, 0), Ok(()));
        assert_eq!(set(3, 5), Ok(()));
        assert_eq!(vars.get(VarId(0), RegKind::Int, ONE, &[1; 8]), ValueRef::Int(0));
        assert_eq!(vars.get(VarId(0), RegKind::Int, ONE, &[3; 8]), ValueRef::Int(5));

        let mut set = |tid, value| vars.set(VarId(1), Thread { tid, start: 0 }, &[], ValueRef::Int(value));
        assert_eq!((set(1, 9), set(2, 9), set(3, 9)), (Ok(()), Ok(()), Err(Full)));
        assert_eq!((set(2, 0), set(3, 9)), (Ok(()), Ok(())), "an emptied block makes room");
    }

    #[test]
    fn the_variables_of_a_thread_go_with_it() {
        // One element takes 16 + 24 + 8 bytes, one thread 16 + 16 + 8.
        let (_, mut vars) = vars("var self->a[i32]: i32\nvar self->t: i32", 96);
        let key = |thread: Thread, key: u8| [&thread.prefix()[..], &[key; 8]].concat();
        let set = |vars: &mut Vars, thread, k| {
            let element = vars.set(VarId(0), thread, &key(thread, k), ValueRef::Int(5));
            (element, vars.set(VarId(1), thread, &[], ValueRef::Int(7)))
        };
        assert_eq!(set(&mut vars, ONE, 1), (Ok(()), Ok(())));
        assert_eq!(set(&mut vars, TWO, 1), (Ok(()), Ok(())));
        let later = Thread { start: 6, ..ONE };
        assert_eq!(set(&mut vars, later, 1), (Err(Full), Err(Full)));
        vars.thread_ended(later);
        assert_eq!(set(&mut vars, later, 1), (Err(Full), Err(Full)), "the number alone is no identity");
        vars.thread_ended(ONE);
        assert_eq!(set(&mut vars, later, 1), (Ok(()), Ok(())));
        assert_eq!(vars.get(VarId(1), RegKind::Int, ONE, &[]), ValueRef::Int(0));
        assert_eq!(vars.get(VarId(0), RegKind::Int, TWO, &key(TWO, 1)), ValueRef::Int(5));
    }

    #[test]
    fn ended_threads_do_not_pile_up() {
        let (_, mut vars) = vars("var self->a[i32]: i32", 1 << 20);
        let thread = |tid| Thread { tid, start: 0 };
        for tid in 0..1000 {
            let key = [&thread(tid).prefix()[..], &[0; 8]].concat();
            assert_eq!(vars.set(VarId(0), thread(tid), &key, ValueRef::Int(5)), Ok(()));
            vars.thread_ended(thread(tid));
            assert!(vars.ended.len() < 64 && vars.arrays[0].elements.len() < 65, "{tid}");
        }
    }
}
