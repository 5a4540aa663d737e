//! `-Z`: clauses whose probe is not there yet.

use super::*;

#[track_caller]
fn check_later(source: &str, expect: &str) {
    let mut options = Options { zdefs: true, ..Options::default() };
    assert_eq!(outcome(&[source], &mut options), expect, "{source}");
}

#[test]
fn unknown_arguments_absorb() {
    for (body, expected) in [
        ("trace(args[0]);", "ok"),
        ("trace(args[7]->a.b[3]->c + 4);", "ok"),
        ("printf(\"%s %d\", args[0]->name, args[1]);", "ok"),
        ("printf(\"%s\", stringof(args[0]->name + 3));", "ok"),
        ("this->p = (args[0] + 1)->x; trace(this->p->y);", "ok"),
        ("@[args[0]->name] = sum(args[1]->size);", "ok"),
        ("trace(*args[0] == 3 ? \"x\" : args[1]);", "ok"),
        ("trace(strlen(args[0]->s));", "ok"),
        ("trace(!args[0] && ~args[1]);", "ok"),
        ("self->s = args[0]->name; self->s = \"x\";", "ok"),
        ("trace((int)args[0]); trace((string)args[0]);", "ok"),
        ("trace(args);", "D_IDENT_BADREF 1:24"),
        ("trace(args[pid]);", "D_PROTO_ARG 1:24"),
        ("trace(ghost);", "D_IDENT_UNDEF 1:24"),
        ("args[0] = 1;", "D_OP_WRITE 1:18"),
    ] {
        check_later(&format!("io:::start {{     {body} }}",), expected);
    }
    check_later(
        "io:::start { self->x = args[0]->n; } BEGIN { self->x = \"a\"; printf(\"%s\", self->x); }",
        "ok",
    );
    check_later("io:::start, BEGIN { trace(args[0]); }", "D_ARGS_IDX 1:27");
    check("io:::start { trace(args[0]); }", "D_PDESC_ZERO 1:1");
}
