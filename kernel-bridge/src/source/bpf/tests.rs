//! Programs as IR text, planned, emitted, loaded, and fed by processes that the tests start.

use dtrail_lang::ir::{AggId, VarId, parse};
use dtrail_lang::plan::{self, PlanOptions};
use dtrail_vm::agg::AggState;
use dtrail_vm::event::ExitedHow;
use dtrail_vm::value::Value;

use super::*;
use crate::testing::privileged;

fn plan(text: &str) -> Plan {
    let program = parse::program(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    plan::plan(program, Capabilities::BASELINE, &PlanOptions::default()).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Copies records.
#[derive(Default)]
struct Records(Vec<Vec<u8>>);

impl EventSink for Records {
    fn event(&mut self, event: Event<'_>) -> Flow {
        let Event::Record { record, .. } = event else { panic!("this source sends records") };
        self.0.push(record.to_vec());
        Flow::Continue
    }
}

/// A clause that does `body` if `$target` fired it.
fn for_target(source: &BpfSource, tables: &str, body: &str) -> String {
    let target = source.environment().macro_variable("target").expect("always there");
    format!(
        "{tables}\nclause c0 {{\nb0:\n i0 = builtin pid\n i1 = {target}\n i2 = eq i0, i1\n \
         branch i2 ? b1 : b2 merge b2\nb1:\n stmt 1\n {body}\n goto b2\nb2:\n return\n}}\n"
    )
}

fn start(command: &str) -> BpfSource {
    BpfSource::new(&[Target::Command(command.into())], None).expect("it can be started")
}

/// Runs until the target has ended; the records.
fn run(source: &mut BpfSource, plan: &Plan) -> Records {
    let mut records = Records::default();
    source.attach(plan).unwrap_or_else(|e| panic!("{e}"));
    source.open().expect("the target stands");
    while source.wait(None, &mut records).expect("waiting works") != Wait::TargetsGone {}
    source.shut(&mut records).expect("shutting works");
    records
}

/// What an aggregation holds, by key, all CPUs together. Counts and sums only.
fn swept(source: &mut BpfSource) -> Vec<(AggId, Vec<Value>, u64)> {
    let mut all: Vec<(AggId, Vec<Value>, u64)> = Vec::new();
    source.kernel().expect("it is attached").sweep(None, &mut |agg, _, keys, state| {
        let AggState::Count(count) = state else { panic!("a count") };
        match all.iter_mut().find(|(a, k, _)| *a == agg && **k == *keys) {
            Some((.., n)) => *n += count,
            None => all.push((agg, keys.into(), count)),
        }
    });
    all.sort();
    all
}

fn text(s: &str) -> Value {
    Value::Str(Some(s.as_bytes().into()))
}

#[test]
fn a_count_stays_in_the_kernel() {
    if !privileged() {
        return;
    }
    let mut source = start("dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none");
    let tables =
        "p0 = probe 5 syscall:vmlinux:write:entry source\nagg @_[]: count\ng0 = @_ in c0\nenable c0 on p0";
    let plan = plan(&for_target(&source, tables, "aggregate g0 []"));
    let records = run(&mut source, &plan);
    assert_eq!(records.0.len(), 0);
    assert_eq!(swept(&mut source), [(AggId(0), vec![], 1000)]);
    assert_eq!(swept(&mut source), []);
    assert!(source.drops().is_empty());
    let [Exited { how: Some(ExitedHow::Status(0)), .. }] = source.exited()[..] else {
        panic!("it has ended")
    };
    source.detach(&|| false).expect("always");
    assert!(source.kernel().is_none());
}

#[test]
fn keys_are_canonical_whatever_their_packing() {
    if !privileged() {
        return;
    }
    let mut source = start("dd if=/dev/zero of=/dev/null bs=1 count=100 status=none");
    let tables = "p0 = probe 5 syscall:vmlinux:write:entry source\np1 = probe 6 syscall:vmlinux:read:return source\n\
                  agg @a[string, string]: count\ng0 = @a in c0\nenable c0 on p0, p1";
    let body = "s3 = builtin probefunc\n s4 = builtin execname\n aggregate g0 [s3, s4]";
    let plan = plan(&for_target(&source, tables, body));
    run(&mut source, &plan);
    let mut got = swept(&mut source);
    // `dd` reads a library or two before it begins.
    let reads = got.remove(0);
    assert_eq!((reads.0, reads.1), (AggId(0), vec![text("read"), text("dd")]));
    assert!((100..110).contains(&reads.2), "{}", reads.2);
    assert_eq!(got, [(AggId(0), vec![text("write"), text("dd")], 100)]);
}

#[test]
fn records_come_in_order_and_state_is_shared_with_user_space() {
    if !privileged() {
        return;
    }
    let mut source = start("dd if=/dev/zero of=/dev/null bs=7 count=3 status=none");
    let tables = "p0 = probe 5 syscall:vmlinux:write:entry source\nvar x: i64\nvar s: string\n\
                  k0 = trace in c0 stmt 1 (i64)\nenable c0 on p0";
    let body = "i3 = builtin arg2\n i4 = get x\n i5 = add i3, i4\n set x = i5\n record k0 (i5)";
    let plan = plan(&for_target(&source, tables, body));
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    let x = VarId(0);
    assert!(source.kernel().expect("it is attached").set(x, &[], &Value::Int(1000)));
    let mut records = Records::default();
    source.open().expect("the target stands");
    while source.wait(None, &mut records).expect("waiting works") != Wait::TargetsGone {}
    source.shut(&mut records).expect("shutting works");
    let values: Vec<i64> = records
        .0
        .iter()
        .map(|record| {
            let slot = plan.groups[0].layout.areas[0] + plan.clause_layouts[0].slots[0].offset;
            i64::from_le_bytes(record[slot as usize..slot as usize + 8].try_into().expect("8 bytes"))
        })
        .collect();
    assert_eq!(values, [1007, 1014, 1021]);
    assert_eq!(source.kernel().expect("it is attached").get(x, &[]), Value::Int(1021));
}

#[test]
fn an_exit_in_the_kernel_ends_the_wait() {
    if !privileged() {
        return;
    }
    let mut source = start("dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none");
    let tables = "p0 = probe 5 syscall:vmlinux:write:entry source\nagg @_[]: count\ng0 = @_ in c0\n\
                  k0 = exit in c0 stmt 2 (i64)\nenable c0 on p0";
    let plan = plan(&for_target(&source, tables, "aggregate g0 []\n i3 = 7\n record k0 (i3)"));
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    source.open().expect("the target stands");
    let mut records = Records::default();
    while source.wait(None, &mut records).expect("waiting works") != Wait::Stopped {}
    source.shut(&mut records).expect("shutting works");
    assert_eq!(source.kernel().expect("it is attached").exit_status(), Some(7));
    assert_eq!(swept(&mut source), [(AggId(0), vec![], 1)], "the gate was shut at once");
}

#[test]
fn a_ring_that_fills_is_read_before_its_time() {
    if !privileged() {
        return;
    }
    let mut source = start("dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none");
    source.settings = Settings { ring: 1 << 16, look: Duration::from_secs(600), ..source.settings };
    let tables =
        "p0 = probe 5 syscall:vmlinux:write:entry source\nk0 = trace in c0 stmt 1 (i64)\nenable c0 on p0";
    let plan = plan(&for_target(&source, tables, "i3 = builtin arg2\n record k0 (i3)"));
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    source.open().expect("the target stands");
    let mut records = Records::default();
    assert_eq!(source.wait(None, &mut records), Ok(Wait::Again));
    assert!(records.0.len() > 100, "{}", records.0.len());
    while source.wait(None, &mut records).expect("waiting works") != Wait::TargetsGone {}
    source.shut(&mut records).expect("shutting works");
    let lost: u64 = source.drops().principal.iter().map(|(_, count)| count).sum();
    assert_eq!(records.0.len() as u64 + lost, 20000, "each was read, or counted as lost");
}

#[test]
fn cuts_under_load_lose_nothing_and_double_nothing() {
    if !privileged() {
        return;
    }
    const EVENTS: u64 = 300_000;
    let mut source = start(&format!("dd if=/dev/zero of=/dev/null bs=1 count={EVENTS} status=none"));
    let tables = "p0 = probe 5 syscall:vmlinux:write:entry source\np1 = probe 6 profile:::tick-5ms tracer\n\
                  agg @a[]: count\nagg @b[i64]: count\ng0 = @a in c0\ng1 = @b in c0\n\
                  k0 = printa in c1 stmt 1 () aggs @a\nenable c0 on p0\nenable c1 on p1";
    let body = "i3 = builtin timestamp\n i4 = 7\n i5 = and i3, i4\n aggregate g0 []\n aggregate g1 [i5]";
    let cutting = "clause c1 {\nb0:\n record k0 ()\n return\n}\n";
    let plan = plan(&(for_target(&source, tables, body) + cutting));
    assert!(plan.cuts.tracer && !plan.cuts.kernel);
    let mut records = Records::default();
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    source.open().expect("the target stands");
    let (mut totals, mut sweeps) = ([0; 2], 0);
    let mut add = |source: &mut BpfSource| {
        for (agg, _, count) in swept(source) {
            totals[agg.index()] += count;
            sweeps += 1;
        }
    };
    loop {
        let deadline = Instant::now() + Duration::from_millis(5);
        if source.wait(Some(deadline), &mut records).expect("waiting works") == Wait::TargetsGone {
            break;
        }
        source.kernel().expect("it is attached").cut();
        add(&mut source);
    }
    source.shut(&mut records).expect("shutting works");
    add(&mut source);
    assert_eq!(totals, [EVENTS, EVENTS], "in {sweeps} portions");
    assert!(sweeps > 9, "{sweeps} portions: some were taken while events came");
    assert!(source.drops().is_empty());
}

#[test]
fn a_deadline_and_a_wake_up_end_the_wait() {
    if !privileged() {
        return;
    }
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let wake: OwnedFd = reader.into();
    let target = Target::Process(std::process::id());
    let mut source = BpfSource::new(&[target], Some(Arc::new(wake))).expect("we exist");
    let tables =
        "p0 = probe 5 syscall:vmlinux:write:entry source\nagg @_[]: count\ng0 = @_ in c0\nenable c0 on p0";
    let plan = plan(&for_target(&source, tables, "aggregate g0 []"));
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    source.open().expect("nothing to let go");
    let started = Instant::now();
    let mut records = Records::default();
    let deadline = started + Duration::from_millis(30);
    assert_eq!(source.wait(Some(deadline), &mut records), Ok(Wait::Again));
    assert!((30..200).contains(&started.elapsed().as_millis()), "{:?}", started.elapsed());
    std::io::Write::write_all(&mut writer, b"x").expect("it has a reader");
    assert_eq!(source.wait(None, &mut records), Ok(Wait::Woken));
}

#[test]
fn starting_and_stopping_every_system_call_is_quick() {
    if !privileged() {
        return;
    }
    let mut source = BpfSource::new(&[], None).expect("allowed");
    let pattern = |name: &str| dtrail_lang::env::ProbePattern {
        provider: "syscall".into(),
        name: name.into(),
        ..Default::default()
    };
    let probes = source.environment().match_probes(&pattern("entry")).expect("there are some");
    let mut tables = String::new();
    let mut names = Vec::new();
    for (i, p) in probes.iter().enumerate() {
        tables += &format!("p{i} = probe {} syscall:vmlinux:{}:entry source\n", p.id.0, p.function);
        names.push(format!("p{i}"));
    }
    let program = format!(
        "{tables}agg @_[string]: count\ng0 = @_ in c0\nenable c0 on {}\n\
         clause c0 {{\nb0:\n s0 = builtin probefunc\n aggregate g0 [s0]\n return\n}}\n",
        names.join(", ")
    );
    let plan = plan(&program);
    let started = Instant::now();
    let mut records = Records::default();
    source.attach(&plan).unwrap_or_else(|e| panic!("{e}"));
    let attached = started.elapsed();
    source.open().expect("nothing to let go");
    source.wait(Some(Instant::now() + Duration::from_millis(20)), &mut records).expect("waiting works");
    assert!(std::process::Command::new("true").status().expect("it exists").success());
    let stopping = Instant::now();
    source.shut(&mut records).expect("shutting works");
    let all = swept(&mut source);
    source.detach(&|| false).expect("always");
    println!("{} probes: attach {attached:?}, stop {:?}", probes.len(), stopping.elapsed());
    assert!(all.iter().any(|(_, keys, _)| keys[0] == text("exit_group")));
}

#[test]
fn threads_have_room_while_they_live_and_no_more_than_there_is() {
    if !privileged() {
        return;
    }
    // Room for two threads of 16 + 16 + 8 bytes: three that end one after another have it, of three at once two.
    let script = std::env::temp_dir().join(format!("dtrail-threads-{}.sh", std::process::id()));
    let text = "sleep 0.01; sleep 0.01; sleep 0.01\nsleep 1 & sleep 1 & sleep 1 & wait\n";
    std::fs::write(&script, text).expect("a temporary file");
    let mut source = start(&format!("sh {}", script.display()));
    source.configure(&Options { dynvarsize: 80, ..Options::default() });
    let target = source.environment().macro_variable("target").expect("always there");
    let plan = plan(&format!(
        "p0 = probe 5 syscall:vmlinux:clock_nanosleep:entry source\nvar self->t: i64\nagg @_[]: count\n\
         g0 = @_ in c0\nenable c0 on p0\nclause c0 {{\nb0:\n i0 = builtin ppid\n i1 = {target}\n i2 = eq i0, i1\n \
         branch i2 ? b1 : b2 merge b2\nb1:\n stmt 1\n set self->t = i1 #1\n aggregate g0 []\n goto b2\nb2:\n \
         return\n}}\n"
    ));
    run(&mut source, &plan);
    assert_eq!(swept(&mut source), [(AggId(0), vec![], 5)]);
    assert_eq!(source.drops().dynamic, 1);
    std::fs::remove_file(script).expect("it is there");
}
