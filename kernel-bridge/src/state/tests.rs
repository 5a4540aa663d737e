//! Cuts, sweeps and variables over made-up maps: values hand-counted, and a property over random orders.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use dtrail_lang::builtins::aggs::QUANTIZE_ZERO;
use dtrail_lang::ir::{Aggregation, Program, Scope, Variable};
use dtrail_lang::plan::layout::agg_words;
use dtrail_lang::plan::{AggPlacement, Cuts, Home, Side};

use proptest::prelude::*;

use super::*;
use crate::providers;
use crate::testing::bare_plan;

const CPUS: usize = 2;

/// Maps in memory. `quiesce` runs what was left in `running` first: program runs that began and have not ended.
#[derive(Default)]
struct TestMaps {
    control: [u64; control::WORDS as usize],
    values: HashMap<(u32, Vec<u8>), Vec<u8>>,
    /// Entries that a hash holds at most.
    room: usize,
    running: Rc<RefCell<Vec<Run>>>,
    quiesced: usize,
    /// Cuts that programs make before user space replaces a word it has read.
    cuts_between: u64,
}

/// A program run under way: the update it is going to make.
#[derive(Clone, Debug)]
struct Run {
    generation: u64,
    cpu: usize,
    key: Option<i64>,
}

/// The maps of the sweeping tests: a count without keys, and one with an integer key.
const ARRAY: u32 = 7;
const HASH: u32 = 8;
/// Where keys come that the hash had no memory for: here those of the second CPU.
const SPARE: u32 = 9;

impl TestMaps {
    /// What a generated program does with `count()`.
    fn count(&mut self, run: &Run, cuts: Cuts) {
        let hash = if run.cpu == 0 { HASH } else { SPARE };
        let key = match run.key {
            None => (ARRAY, ((run.generation % u64::from(cuts.generations())) as u32).to_le_bytes().to_vec()),
            Some(key) if cuts.any() => (hash, [run.generation.to_le_bytes(), key.to_le_bytes()].concat()),
            Some(key) => (hash, key.to_le_bytes().to_vec()),
        };
        let value = self.values.entry(key).or_insert_with(|| vec![0; 8 * CPUS]);
        let count = word(value, run.cpu) + 1;
        value[8 * run.cpu..8 * run.cpu + 8].copy_from_slice(&count.to_le_bytes());
    }
}

/// `TestMaps` with what its programs need to know.
struct Machine {
    maps: TestMaps,
    cuts: Cuts,
}

impl MapAccess for Machine {
    fn cpus(&self) -> u32 {
        CPUS as u32
    }
    fn lookup(&mut self, map: u32, key: &[u8]) -> Option<Vec<u8>> {
        self.maps.values.get(&(map, key.to_vec())).cloned()
    }
    fn update(&mut self, map: u32, key: &[u8], value: &[u8]) -> bool {
        let entry = (map, key.to_vec());
        if !self.maps.values.contains_key(&entry) && self.maps.values.len() >= self.maps.room {
            return false;
        }
        self.maps.values.insert(entry, value.to_vec());
        true
    }
    fn delete(&mut self, map: u32, key: &[u8]) {
        self.maps.values.remove(&(map, key.to_vec()));
    }
    fn keys(&mut self, map: u32) -> Vec<Vec<u8>> {
        self.maps.values.keys().filter(|(m, _)| *m == map).map(|(_, key)| key.clone()).collect()
    }
    fn take(&mut self, map: u32, which: &mut dyn FnMut(&[u8]) -> bool, out: &mut dyn FnMut(&[u8], &[u8])) {
        for key in self.keys(map) {
            if which(&key) {
                let value = self.maps.values.remove(&(map, key.clone())).expect("just listed");
                out(&key, &value);
            }
        }
    }
    fn control(&mut self, word: u32) -> u64 {
        self.maps.control[word as usize]
    }
    fn set_control(&mut self, word: u32, value: u64) {
        self.maps.control[word as usize] = value;
    }
    fn replace_control(&mut self, word: u32, old: u64, new: u64) -> bool {
        let word = &mut self.maps.control[word as usize];
        *word += std::mem::take(&mut self.maps.cuts_between);
        let same = *word == old;
        if same {
            *word = new;
        }
        same
    }
    fn quiesce(&mut self) {
        self.maps.quiesced += 1;
        for run in self.maps.running.take() {
            self.maps.count(&run, self.cuts);
        }
    }
}

const INT: ValueType = ValueType::Int { bits: 32, signed: true };

/// A plan with `aggs` and `vars` in K.
fn plan(aggs: &[(AggFn, Shape)], vars: &[(ValueType, &[KeyPart])], cuts: Cuts) -> Plan {
    let mut program = Program::default();
    program.limits.strsize = 13;
    program.probes = providers::listed();
    for &(func, shape) in aggs {
        program.aggs.push(Aggregation { name: "a".into(), func, shape, keys: Vec::new() });
    }
    let mut homes = Vec::new();
    for &(ty, key) in vars {
        let keys = (!key.is_empty()).then(|| vec![INT; key.len()]);
        program.vars.push(Variable { name: "v".into(), scope: Scope::Global, ty, keys, lossy: false });
        homes.push(Home { side: Side::Kernel, key: key.to_vec() });
    }
    Plan {
        homes,
        agg_sites: aggs.iter().map(|_| AggPlacement { side: Side::Kernel, key: Vec::new() }).collect(),
        cuts,
        ..bare_plan(program)
    }
}

fn state(plan: &Plan, layout: StateLayout, room: usize) -> MappedState<Machine> {
    let maps = TestMaps { room, ..TestMaps::default() };
    MappedState::new(plan, layout, Machine { maps, cuts: plan.cuts })
}

fn text(s: &str) -> Value {
    Value::Str(Some(s.as_bytes().into()))
}

#[test]
fn globals_are_cells_of_one_array() {
    let plan = plan(&[], &[(INT, &[]), (ValueType::Str, &[])], Cuts::default());
    let vars =
        vec![Some(VarPlace::Global { map: 3, offset: 8 }), Some(VarPlace::Global { map: 3, offset: 16 })];
    let mut state = state(&plan, StateLayout { vars, ..StateLayout::default() }, 9);
    state.maps.maps.values.insert((3, vec![0; 4]), vec![0; 48]);
    let (number, string) = (VarId(0), VarId(1));
    assert_eq!(state.get(number, &[]), Value::Int(0));
    assert_eq!(state.get(string, &[]), Value::Str(None));
    assert!(state.set(number, &[], &Value::Int(-2)));
    assert!(state.set(string, &[], &text("")));
    assert_eq!(state.get(number, &[]), Value::Int(-2));
    assert_eq!(state.get(string, &[]), text(""), "the empty string is not NULL");
    assert!(state.set(string, &[], &text("0123456789abc")));
    let mut bytes = vec![0; 8];
    bytes.extend((-2i64).to_le_bytes());
    bytes.extend(14u64.to_le_bytes());
    bytes.extend(b"0123456789abc\0\0\0");
    bytes.resize(48, 0);
    assert_eq!(state.maps.maps.values[&(3, vec![0; 4])], bytes);
    assert!(state.set(string, &[], &text("x")));
    assert_eq!(state.get(string, &[]), text("x"), "a shorter string leaves nothing behind");
}

#[test]
fn elements_exist_while_they_are_not_zero() {
    let plan = plan(&[], &[(INT, &[KeyPart::Int, KeyPart::Str])], Cuts::default());
    let vars = vec![Some(VarPlace::Array { map: 4 })];
    let mut state = state(&plan, StateLayout { vars, ..StateLayout::default() }, 1);
    let keys = [Value::Int(-1), text("ab")];
    let other = [Value::Int(-1), Value::Str(None)];
    assert_eq!(state.get(VarId(0), &keys), Value::Int(0));
    assert!(state.set(VarId(0), &keys, &Value::Int(5)));
    assert_eq!(state.get(VarId(0), &keys), Value::Int(5));
    let mut packed = vec![0xff; 8];
    packed.extend(3u64.to_le_bytes());
    packed.extend(b"ab");
    packed.resize(32, 0);
    assert_eq!(state.maps.keys(4), vec![packed]);
    assert!(!state.set(VarId(0), &other, &Value::Int(6)), "full");
    assert_eq!(state.get(VarId(0), &other), Value::Int(0));
    assert!(state.set(VarId(0), &keys, &Value::Int(0)), "zero removes");
    assert_eq!(state.maps.keys(4), Vec::<Vec<u8>>::new());
    assert!(state.set(VarId(0), &other, &Value::Int(6)));
    assert_eq!(state.get(VarId(0), &other), Value::Int(6));
}

#[test]
fn keys_come_out_canonical() {
    let plan = plan(&[], &[], Cuts::default());
    let state = state(&plan, StateLayout::default(), 0);
    let read = providers::listed();
    let index = read.iter().position(|p| *p.function == *"read" && *p.name == *"entry").expect("listed");
    let probe = |var| KeyPart::Probe(var);
    let index = (index as u64).to_le_bytes();
    let string = |len: u64, bytes: &[u8; 16]| [&(len + 1).to_le_bytes()[..], bytes].concat();
    for (part, packed, value) in [
        (KeyPart::Int, (-7i64).to_le_bytes().to_vec(), Value::Int(-7)),
        (KeyPart::Str, string(3, b"abc\0\0\0\0\0\0\0\0\0\0\0\0\0"), text("abc")),
        (KeyPart::Str, string(0, &[0; 16]), text("")),
        (KeyPart::Str, vec![0; 24], Value::Str(None)),
        (KeyPart::Execname, b"cat\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec(), text("cat")),
        (KeyPart::Execname, b"0123456789abcdef".to_vec(), text("0123456789abcdef")),
        (probe(BuiltinVar::Probeprov), index.to_vec(), text("syscall")),
        (probe(BuiltinVar::Probemod), index.to_vec(), text("vmlinux")),
        (probe(BuiltinVar::Probefunc), index.to_vec(), text("read")),
        (probe(BuiltinVar::Probename), index.to_vec(), text("entry")),
    ] {
        let mut out = Vec::new();
        unpack_key(&state.facts, &[part], &packed, &mut out);
        assert_eq!(out, vec![value], "{part:?}");
        assert_eq!(packed.len(), part.size(13) as usize, "the test's own bytes");
    }
}

/// Puts `value` (the words of one CPU after another) into a keyless aggregation and sweeps it.
fn swept(func: AggFn, shape: Shape, slots: u32, value: &[u64]) -> Vec<(u32, AggState)> {
    let plan = plan(&[(func, shape)], &[], Cuts::default());
    let words = agg_words(func, shape);
    assert_eq!(value.len(), CPUS * (words * slots) as usize, "the test's own words");
    let place = AggPlace {
        agg: AggId(0),
        key: Vec::new(),
        map: ARRAY,
        first: 0,
        spare: None,
        room: None,
        words,
        slots,
    };
    let layout = StateLayout { aggs: vec![place], agg_sites: vec![Some(0)], ..StateLayout::default() };
    let mut state = state(&plan, layout, 9);
    let bytes: Vec<u8> = value.iter().flat_map(|w| w.to_le_bytes()).collect();
    state.maps.maps.values.insert((ARRAY, vec![0; 4]), bytes);
    let mut got = Vec::new();
    state.open_gate();
    state.sweep(None, &mut |_, _, _, _| panic!("nothing is taken while programs run and nothing was cut"));
    state.shut_gate();
    state.sweep(None, &mut |agg, cpu, keys, value| {
        assert_eq!((agg, keys.len()), (AggId(0), 0));
        got.push((cpu, value));
    });
    state.sweep(None, &mut |_, _, _, _| panic!("everything was taken"));
    got
}

#[test]
fn every_function_s_words_are_understood() {
    let none = Shape::default();
    let minus = |v: i64| v as u64;
    assert_eq!(swept(AggFn::Count, none, 1, &[3, 0]), [(0, AggState::Count(3))]);
    assert_eq!(
        swept(AggFn::Sum, none, 1, &[1, 0, 1, minus(-5)]),
        [(0, AggState::Sum(0)), (1, AggState::Sum(-5))],
        "a sum of 0 was updated all the same"
    );
    assert_eq!(
        swept(AggFn::Min, none, 2, &[1, 4, 1, minus(-9), 0, 0, 1, 2]),
        [(0, AggState::Min(Some(4))), (0, AggState::Min(Some(-9))), (1, AggState::Min(Some(2)))]
    );
    assert_eq!(swept(AggFn::Max, none, 1, &[0, 0, 1, minus(-1)]), [(1, AggState::Max(Some(-1)))]);
    assert_eq!(swept(AggFn::Avg, none, 1, &[0, 0, 2, 10]), [(1, AggState::Avg { count: 2, sum: 10 })]);
    assert_eq!(
        swept(AggFn::Stddev, none, 1, &[2, minus(-3), 5, 1, 0, 0, 0, 0]),
        [(0, AggState::Stddev(Box::new(Deviation { count: 2, sum: -3, squares: 5 | 1 << 64 })))]
    );
    let mut words = vec![0; 2 * 128];
    words[128] = 1;
    words[129 + QUANTIZE_ZERO] = 4;
    words[129 + 126] = 1;
    let [(1, AggState::Buckets(buckets))] = &swept(AggFn::Quantize, none, 1, &words)[..] else {
        panic!("one CPU's buckets")
    };
    assert_eq!(buckets.iter().collect::<Vec<_>>(), [(QUANTIZE_ZERO, 4), (126, 1)]);
    let shape = Shape::linear(0, 10, 5);
    assert_eq!(
        swept(AggFn::Lquantize, shape, 1, &[1, 9, 0, 7, 8, 0, 0, 0, 0, 0]),
        [(0, AggState::Buckets([(0, 9), (2, 7), (3, 8)].into_iter().collect()))]
    );
}

/// A machine that counts, keyless and keyed, and what its events should add up to.
struct Counting {
    state: MappedState<Machine>,
    plan: Plan,
    /// Updates by key and generation that no sweep has handed over yet.
    expected: BTreeMap<(Option<i64>, u64), u64>,
}

impl Counting {
    fn new(cuts: Cuts) -> Counting {
        let none = Shape::default();
        let plan = plan(&[(AggFn::Count, none), (AggFn::Count, none)], &[], cuts);
        let place = |agg, map, key: &[KeyPart]| AggPlace {
            agg: AggId(agg),
            key: key.into(),
            map,
            first: 0,
            spare: (map == HASH).then_some(SPARE),
            room: None,
            words: 1,
            slots: 1,
        };
        let aggs = vec![place(0, ARRAY, &[]), place(1, HASH, &[KeyPart::Int])];
        let layout = StateLayout { aggs, agg_sites: vec![Some(0), Some(1)], ..StateLayout::default() };
        let mut state = state(&plan, layout, usize::MAX);
        state.open_gate();
        Counting { state, plan, expected: BTreeMap::new() }
    }

    /// A program starts; it ends at once, or when something waits for it.
    fn run(&mut self, cpu: usize, key: Option<i64>, ends: bool) {
        let generation = self.state.maps.control(control::GENERATION);
        *self.expected.entry((key, generation)).or_default() += 1;
        let run = Run { generation, cpu, key };
        match ends {
            true => self.state.maps.maps.count(&run, self.plan.cuts),
            false => self.state.maps.maps.running.borrow_mut().push(run),
        }
    }

    /// What a generated program does for a cut; the record's generation.
    fn kernel_cut(&mut self) -> u32 {
        let generation = self.state.maps.control(control::GENERATION);
        let acked = self.state.maps.control(control::ACKED);
        if generation - acked + 1 < u64::from(self.plan.cuts.generations()) {
            self.state.maps.set_control(control::GENERATION, generation + 1);
        }
        self.state.maps.control(control::GENERATION) as u32
    }

    /// Sweeps, and checks that just what was begun before the cut came, each update once.
    fn sweep(&mut self, generation: Option<u32>) {
        let gate = self.state.maps.control(control::GATE);
        let limit = match (generation, gate) {
            (Some(generation), _) => u64::from(generation),
            (None, 0) => u64::MAX,
            (None, _) => self.state.maps.control(control::GENERATION),
        };
        let mut got: BTreeMap<Option<i64>, u64> = BTreeMap::new();
        self.state.sweep(generation, &mut |agg, _, keys, value| {
            let key = keys.first().map(Value::int);
            assert_eq!(agg, AggId(u32::from(key.is_some())));
            let AggState::Count(count) = value else { panic!("a count") };
            *got.entry(key).or_default() += count;
        });
        let mut want: BTreeMap<Option<i64>, u64> = BTreeMap::new();
        self.expected.retain(|(key, generation), count| {
            let due = *generation < limit;
            if due {
                *want.entry(*key).or_default() += *count;
            }
            !due
        });
        assert_eq!(got, want);
    }
}

#[test]
fn a_cut_takes_what_began_before_it_and_nothing_else() {
    let mut c = Counting::new(Cuts { tracer: true, kernel: false });
    c.run(0, None, true);
    c.run(1, Some(5), false);
    c.state.cut();
    c.run(0, Some(5), true);
    c.run(1, None, false);
    assert_eq!(c.expected.len(), 4);
    c.sweep(None);
    assert_eq!(c.expected.len(), 2, "the later two wait for the next cut");
    let quiesced = c.state.maps.maps.quiesced;
    c.sweep(None);
    assert_eq!(c.state.maps.maps.quiesced, quiesced, "nothing new was cut off: no waiting");
    c.state.cut();
    c.sweep(None);
    assert_eq!(c.expected.len(), 0);
}

#[test]
fn the_last_sweep_removes_nothing_and_counts_nothing_twice() {
    for cuts in [Cuts::default(), Cuts { tracer: true, kernel: false }] {
        let mut machine = Counting::new(cuts);
        let counted = |machine: &mut Counting, generation| {
            let mut counted = Vec::new();
            machine
                .state
                .sweep(generation, &mut |agg, _, keys, state| counted.push((agg.0, keys.to_vec(), state)));
            counted
        };
        let of = |n| vec![(1, vec![Value::Int(7)], AggState::Count(n))];
        machine.run(0, Some(7), true);
        machine.run(0, Some(7), true);
        machine.run(1, Some(7), true);
        machine.state.shut_gate();
        assert_eq!(counted(&mut machine, None), [of(2), of(1)].concat());
        assert_eq!([HASH, SPARE].map(|hash| machine.state.maps.keys(hash).len()), [1, 1]);
        // What `END` asks for again.
        assert_eq!(counted(&mut machine, None), []);
        machine.state.cut();
        let generation = machine.state.maps.control(control::GENERATION) as u32;
        assert_eq!(counted(&mut machine, Some(generation)), []);
        // Tracing begins again.
        machine.state.open_gate();
        assert_eq!([HASH, SPARE].map(|hash| machine.state.maps.keys(hash).len()), [0, 0]);
        machine.run(1, Some(7), true);
        machine.state.shut_gate();
        assert_eq!(counted(&mut machine, None), of(1));
    }
}

#[test]
fn cuts_without_room_fall_together_and_are_counted() {
    let mut c = Counting::new(Cuts { tracer: true, kernel: false });
    c.run(0, None, true);
    c.state.cut();
    c.run(0, None, true);
    c.state.cut();
    c.run(0, None, true);
    assert_eq!(c.state.take_coalesced(), 1);
    assert_eq!(c.state.take_coalesced(), 0);
    c.sweep(None);
    assert_eq!(c.expected[&(None, 1)], 2, "what the second cut did not cut off comes with the next");
    c.state.cut();
    c.sweep(None);
}

/// User space reads the generation, programs cut, user space cuts: none of them is lost, and the bound holds.
#[test]
fn a_cut_that_meets_those_of_programs_counts_with_them() {
    let mut c = Counting::new(Cuts { tracer: true, kernel: true });
    let mut cut_behind = |programs: u64| {
        c.state.maps.maps.cuts_between = programs;
        c.state.cut();
        (c.state.maps.control(control::GENERATION), c.state.take_coalesced())
    };
    assert_eq!(cut_behind(1), (2, 0));
    assert_eq!(cut_behind(2), (5, 0));
    assert_eq!(cut_behind(2), (7, 1), "7 cuts fit");
}

#[test]
fn several_kernel_cuts_are_swept_one_by_one() {
    let mut c = Counting::new(Cuts { tracer: false, kernel: true });
    let generations: Vec<u32> = (0..9)
        .map(|i| {
            c.run(i % 2, None, i % 3 != 0);
            c.run(i % 2, Some(i as i64 % 2), i % 3 == 0);
            c.kernel_cut()
        })
        .collect();
    assert_eq!(generations, [1, 2, 3, 4, 5, 6, 7, 7, 7], "8 generations: 7 cuts fit");
    for generation in generations {
        c.sweep(Some(generation));
    }
    c.state.maps.set_control(control::GATE, 0);
    c.sweep(None);
    assert_eq!(c.expected.len(), 0);
}

#[test]
fn an_exit_in_the_kernel_is_seen() {
    let mut c = Counting::new(Cuts::default());
    assert_eq!(c.state.exit_status(), None);
    c.state.maps.set_control(control::STATUS, -3i64 as u64);
    c.state.maps.set_control(control::EXITED, 1);
    assert_eq!(c.state.exit_status(), Some(-3));
}

#[derive(Clone, Debug)]
enum Step {
    Run { cpu: usize, key: Option<i64>, ends: bool },
    Cut,
    KernelCut,
    SweepOne,
    SweepAll,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..CPUS, proptest::option::of(0..3i64), any::<bool>())
            .prop_map(|(cpu, key, ends)| Step::Run { cpu, key, ends }),
        1 => Just(Step::Cut),
        1 => Just(Step::KernelCut),
        1 => Just(Step::SweepOne),
        1 => Just(Step::SweepAll),
    ]
}

proptest! {
    #[test]
    fn no_update_is_lost_or_doubled(
        steps in proptest::collection::vec(step(), 1..200),
        tracer: bool,
        kernel: bool,
    ) {
        let mut c = Counting::new(Cuts { tracer, kernel });
        let mut records = std::collections::VecDeque::new();
        for step in steps {
            match step {
                Step::Run { cpu, key, ends } => c.run(cpu, key, ends),
                Step::Cut if tracer => {
                    c.state.cut();
                    c.sweep(None);
                }
                Step::KernelCut if kernel => records.push_back(c.kernel_cut()),
                Step::SweepOne => {
                    if let Some(generation) = records.pop_front() {
                        c.sweep(Some(generation));
                    }
                }
                Step::SweepAll if tracer || kernel => c.sweep(None),
                _ => {}
            }
        }
        c.state.shut_gate();
        for generation in records {
            c.sweep(Some(generation));
        }
        c.sweep(None);
        prop_assert!(c.expected.is_empty());
        prop_assert!(c.state.maps.maps.running.borrow().is_empty());
        c.sweep(None);
        c.state.open_gate();
        for hash in [HASH, SPARE] {
            prop_assert!(c.state.maps.keys(hash).is_empty(), "nothing is there when programs run again");
        }
    }
}
