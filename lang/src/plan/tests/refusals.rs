//! Rule 11 and `placement=kernel`: what the planner refuses, and with which words.

use super::state::cut_after;
use super::*;

fn refused(text: &str, options: PlanOptions) -> String {
    let errors = plan(program(text), Capabilities::BASELINE, &options).unwrap_err();
    let show = |error: &Diagnostic| {
        let labels: Vec<_> =
            error.labels.iter().map(|(span, text)| format!("\n  {}: {text}", span.start)).collect();
        let help = error.help.iter().map(|text| format!("\n  help: {text}"));
        format!("{}: {}{}{}\n", error.span.start, error.message, labels.concat(), help.collect::<String>())
    };
    errors.iter().map(show).collect()
}

#[test]
fn rule_11_a_chain_of_dependence() {
    let found = refused(
        "
        var x: i64
        k0 = trace in c1 stmt 1 (string)
        enable c0 on p0
        enable c1 on p1
        clause c0 {
        b0:
          stmt 1
            s0 = builtin execname @1..2
            s1 = builtin probefunc @3..4
            i2 = call index(s0, s1) @10..20
            set x = i2 @5..20
            return
        }
        clause c1 {
        b0:
          stmt 1
            i0 = get x @40..41
            i1 = 8 @44..45
            i2 = add i0, i1 @40..45
            s3 = call copyinstr(i2) @30..46
            record k0 (s3)
            return
        }
        ",
        PlanOptions::default(),
    );
    assert_eq!(
        found,
        "30: `copyinstr` needs the event itself, but uses a value computed in user space
  40: `x` lives in user space
  10: `x` is there because of a write: a value it uses is computed in user space: `index` runs in the kernel only if argument 2 is a constant of at most 64 bytes
  help: it works where commands are traced without eBPF: `--source=ptrace -c COMMAND`\n"
    );
}

#[test]
fn placement_kernel_refuses_what_the_rules_put_in_user_space() {
    let options = PlanOptions { placement: Placement::Kernel, ..PlanOptions::default() };
    assert_eq!(homes(&planned(LATENCY, options)), "vars k, sites k");
    assert_eq!(
        refused(&cut_after(&format!("{FAULTY} @7..9"), "p1"), options),
        "7: placement=kernel: `@c` is updated in user space because `printa` of it is decided in user space: it stands \
         after an operation in user space that may fault\n"
    );
    // A rule that holds for a variable wherever it is points at the first use.
    let array = "
        var self->a[i64]: i64
        enable c0 on p0
        clause c0 {
        b0:
          stmt 1
            i0 = 4
            set self->a[i0] = i0 @30..41
            return
        }
        ";
    assert_eq!(
        refused(array, options),
        "30: placement=kernel: `self->a[]` lives in user space because arrays of a thread live in user space\n"
    );
}
