//! Inlines, translators and provider interfaces back to D text; a part of [`super`].

use super::{ASSIGN, declarator_text, print_expr, print_parameters, print_specs, print_type_name, push};
use super::{print_storage, print_type_name_as};
use crate::ast::{Inline, Provider, Translator};

pub(super) fn print_inline(out: &mut String, inline: &Inline) {
    out.push_str("inline ");
    print_storage(out, inline.storage);
    print_specs(out, &inline.specs);
    push(out, &[" ", &declarator_text(&inline.declarator), " = "]);
    print_expr(out, &inline.value, ASSIGN);
    out.push_str(";\n");
}

pub(super) fn print_translator(out: &mut String, translator: &Translator) {
    out.push_str("translator ");
    print_type_name(out, &translator.output);
    out.push_str(" < ");
    print_type_name_as(out, &translator.input, &translator.param.name);
    out.push_str(" > {\n");
    for (member, value) in &translator.members {
        push(out, &["\t", &member.name, " = "]);
        print_expr(out, value, ASSIGN);
        out.push_str(";\n");
    }
    out.push_str("};\n");
}

pub(super) fn print_provider(out: &mut String, provider: &Provider) {
    push(out, &["provider ", &provider.name.name, " {\n"]);
    for probe in &provider.probes {
        push(out, &["\tprobe ", &probe.name.name]);
        print_parameters(out, '(', &probe.native, false, ')');
        if let Some(seen) = &probe.seen {
            out.push_str(" : ");
            print_parameters(out, '(', seen, false, ')');
        }
        out.push_str(";\n");
    }
    out.push_str("};\n");
}
