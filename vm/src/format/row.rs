//! The heading and the prefix of rows (runtime spec §1.2). `_DTRACE_TESTING` leaves out the CPU and ID columns.

use std::io::Write as _;

use dtrail_lang::env::Probe;

/// Appends the heading, which stands once before the first row.
pub fn heading(out: &mut Vec<u8>, testing: bool) {
    // Writing to a vector cannot fail.
    let _ = match testing {
        true => writeln!(out, "{:>32}", "FUNCTION:NAME"),
        false => writeln!(out, "{:>3} {:>6} {:>32}", "CPU", "ID", "FUNCTION:NAME"),
    };
}

/// Appends what stands before the text of a row.
pub fn prefix(out: &mut Vec<u8>, cpu: u32, probe: &Probe, testing: bool) {
    if !testing {
        let _ = write!(out, "{cpu:3} {:6} ", probe.id.0);
    }
    let length = probe.function.len() + 1 + probe.name.len();
    out.resize(out.len() + 32_usize.saturating_sub(length), b' ');
    for part in [&probe.function, ":", &probe.name, " "] {
        out.extend_from_slice(part.as_bytes());
    }
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
        prefix(&mut out, 0, &program.probes[0], false);
        out.push(b'\n');
        prefix(&mut out, 1000, &program.probes[1], false);
        out.push(b'\n');
        heading(&mut out, true);
        prefix(&mut out, 0, &program.probes[0], true);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "CPU     ID                    FUNCTION:NAME
  0      1                           :BEGIN \n\
             1000 1234567 a_rather_long_function_name_indeed:entry \n                   FUNCTION:NAME\n                          :BEGIN "
        );
    }
}
