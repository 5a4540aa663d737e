//! The heading and the prefix of rows (runtime spec §1.2). `_DTRACE_TESTING` leaves out the CPU and ID columns.

use std::io::Write as _;

use dtrail_lang::env::Probe;

use super::show;

/// Appends the heading, which stands once before the first row.
pub fn heading(out: &mut Vec<u8>, testing: bool) {
    // Writing to a vector cannot fail.
    let _ = match testing {
        true => writeln!(out, "{:>32}", "FUNCTION:NAME"),
        false => writeln!(out, "{:>3} {:>6} {:>32}", "CPU", "ID", "FUNCTION:NAME"),
    };
}

/// Appends what stands before the text of a row. `escape`: the output is a terminal.
pub fn prefix(out: &mut Vec<u8>, cpu: u32, probe: &Probe, testing: bool, escape: bool) {
    if !testing {
        let _ = write!(out, "{cpu:3} {:6} ", probe.id.0);
    }
    let start = out.len();
    show(out, probe.function.as_bytes(), escape);
    out.push(b':');
    show(out, probe.name.as_bytes(), escape);
    let blanks = 32_usize.saturating_sub(out.len() - start);
    out.resize(out.len() + blanks, b' ');
    out[start..].rotate_right(blanks);
    out.push(b' ');
}

#[cfg(test)]
mod tests {
    use dtrail_lang::ir::parse;

    use super::*;

    #[test]
    fn rows() {
        let text = "p0 = probe 1 dtrace:::BEGIN tracer\np1 = probe 1234567 a:b:a_rather_long_function_name_indeed:entry";
        let program = parse::program(text).expect("IR of this test");
        let mut out = Vec::new();
        heading(&mut out, false);
        prefix(&mut out, 0, &program.probes[0], false, false);
        out.push(b'\n');
        prefix(&mut out, 1000, &program.probes[1], false, false);
        out.push(b'\n');
        heading(&mut out, true);
        prefix(&mut out, 0, &program.probes[0], true, false);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "CPU     ID                    FUNCTION:NAME
  0      1                           :BEGIN \n\
             1000 1234567 a_rather_long_function_name_indeed:entry \n                   FUNCTION:NAME\n                          :BEGIN "
        );
    }
}
