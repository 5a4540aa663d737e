//! What ends a run before its time (runtime spec §11.3), and what does not: a consumer that could not run for long.

use super::*;

/// What a run says for its error, and what it printed.
fn ran(source: ListSource, output: CaptureOutput) -> (String, String, String) {
    let ran = run_with(&counting(""), &quiet(), source, output);
    let error = ran.result.err().map_or_else(String::new, |error| error.to_string());
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    assert_eq!(ran.calls.last(), Some(&"detach"), "nothing stays attached");
    (error, text(ran.output.out), text(ran.output.err))
}

/// There is no limit of 30 seconds: the kernel part waits for nobody, and what was lost is told at the next look.
#[test]
fn a_consumer_that_could_not_run_for_long_goes_on() {
    let lost = Script::Drops(Drops { principal: vec![(2, 5)], ..Drops::default() });
    let script = vec![read(1, 7), Script::Until(40_000_000_000), lost, read(100_000_000_000, 8)];
    let (error, out, err) = ran(ListSource::new(script), CaptureOutput::default());
    assert_eq!((error.as_str(), out), ("", format!("\n  {:50}{:17}\n{:17}\n", "cat", 2, 15)));
    assert_eq!(err, "dtrace: 5 drops on CPU 2\ndtrace: help: a larger `-x bufsize` holds more records\n");
}

#[test]
fn the_reason_is_told_behind_the_same_words() {
    // The source cannot go on.
    let source =
        ListSource { fails: Some("cannot wait: Bad file descriptor"), ..ListSource::new(vec![read(1, 7)]) };
    let said = ran(source, CaptureOutput::default());
    let told =
        ("processing aborted: cannot wait: Bad file descriptor".to_owned(), String::new(), String::new());
    assert_eq!(said, told, "nothing is printed of what is not whole");
    // The output takes nothing any more.
    let failure = Some(WriteError::Failed("Input/output error".to_owned()));
    let (error, ..) =
        ran(ListSource::new(vec![read(1, 7)]), CaptureOutput { failure, ..CaptureOutput::default() });
    assert_eq!(error, "processing aborted: Input/output error");
    // A defect of ours.
    let kernel: Option<Box<dyn crate::event::KernelState>> =
        Some(Box::<crate::testing::FakeKernel>::default());
    let source = ListSource { kernel, ..ListSource::new(vec![Script::Record(vec![0xff; 64])]) };
    let (error, ..) = ran(source, CaptureOutput::default());
    assert_eq!(
        error,
        "processing aborted: internal error: a record that no group of the plan has sent\n  help: this is a defect of dtrail itself; please report it with the program"
    );
}
