//! Every tag that a program can reach, with a program that gets exactly it, and where.

use super::*;
use crate::diag::Tag;
use crate::options::SetBy;

/// Tag, program, line and column. A program that starts with `-n ` is the text of that option.
#[rustfmt::skip]
const PROGRAMS: &[(Tag, &str, &str)] = &[
    (Tag::Unknown, "short long x;", "1:1"),
    (Tag::Syntax, "BEGIN\n{ x = ; }", "2:7"),
    (Tag::Empty, "/* nothing */", "1:14"),
    (Tag::OpIdent, "enum e { A }; struct s { int a; }; struct s v;\nBEGIN { trace(v.A); }", "2:17"),
    (Tag::TypeMember, "struct s { int a; }; struct s v;\nBEGIN { trace(v.b); }", "2:17"),
    (Tag::CgExpr, "BEGIN { count(); }", "1:9"),
    (Tag::CgDyn, "struct s { int a; }; translator struct s < int i > { a = i; };\nBEGIN { xlate<struct s>(3); }", "2:9"),
    (Tag::PdescZero, "BEGIN, ghost:::x { }", "1:8"),
    (Tag::PdescInval, "a:b:c:d:e { }", "1:1"),
    (Tag::PredScalar, "BEGIN /execname/ { }", "1:8"),
    (Tag::FuncIdent, "BEGIN { (1)(2); }", "1:10"),
    (Tag::FuncUndef, "BEGIN { ghost(); }", "1:9"),
    (Tag::FuncIdkind, "BEGIN { pid(1); }", "1:9"),
    (Tag::OffsetofType, "BEGIN { trace(offsetof(int, a)); }", "1:15"),
    (Tag::OffsetofBitfield, "struct s { int a : 3; };\nBEGIN { trace(offsetof(struct s, a)); }", "2:34"),
    (Tag::SizeofType, "BEGIN { trace(sizeof (void)); }", "1:15"),
    (Tag::SizeofBitfield, "struct s { int a : 3; }; struct s v;\nBEGIN { trace(sizeof (v.a)); }", "2:15"),
    (Tag::StringofType, "struct s { int a; }; struct s v;\nBEGIN { trace(stringof(v)); }", "2:15"),
    (Tag::OpInt, "BEGIN { trace(~execname); }", "1:15"),
    (Tag::OpScalar, "BEGIN { trace(!execname); }", "1:15"),
    (Tag::OpArith, "BEGIN { trace(-execname); }", "1:15"),
    (Tag::OpWrite, "BEGIN { pid = 1; }", "1:9"),
    (Tag::OpLval, "BEGIN { 5 = 1; }", "1:9"),
    (Tag::OpIncompat, "BEGIN { trace(execname + execname); }", "1:15"),
    (Tag::OpVfptr, "void *p; BEGIN { p++; }", "1:18"),
    (Tag::OpArrfun, "int a[3]; BEGIN { a = a; }", "1:19"),
    (Tag::OpPtr, "BEGIN { trace(pid->x); }", "1:15"),
    (Tag::OpSou, "BEGIN { trace(pid.x); }", "1:15"),
    (Tag::OpIncomplete, "struct ghost *g; BEGIN { trace(g->x); }", "1:32"),
    (Tag::OpDyn, "BEGIN { @a = count(); (@a, 1); }", "1:24"),
    (Tag::OpAct, "BEGIN { exit(0), exit(1); }", "1:9"),
    (Tag::DivZero, "BEGIN { trace(7 / (3 - 3)); }", "1:15"),
    (Tag::DerefNonptr, "BEGIN { trace(*pid); }", "1:15"),
    (Tag::DerefVoid, "void *p; BEGIN { trace(*p); }", "1:24"),
    (Tag::DerefFunc, "BEGIN { trace(*(int (*)(int))0); }", "1:15"),
    (Tag::AddrofLval, "BEGIN { trace(&(1 + 2)); }", "1:15"),
    (Tag::AddrofVar, "BEGIN { trace(&pid); }", "1:15"),
    (Tag::AddrofBitfield, "struct s { int a : 3; }; struct s *p;\nBEGIN { trace(&p->a); }", "2:15"),
    (Tag::CastInval, "BEGIN { trace((int)execname); }", "1:15"),
    (Tag::AllocaSize, "BEGIN { trace(*(int *)copyin(arg0, 100000)); }", "1:23"),
    (Tag::AllocaIncompat, "int *p; BEGIN { p = (int *)copyin(arg0, 4); p = (int *)arg0; }", "1:45"),
    (Tag::AggRedef, "BEGIN { @a = count(); @a = sum(1); }", "1:23"),
    (Tag::AggFunc, "BEGIN { @a = 5; }", "1:9"),
    (Tag::AggMdim, "BEGIN { @a[1][2] = count(); }", "1:9"),
    (Tag::AggNull, "BEGIN { @a = count(); @a; }", "1:23"),
    (Tag::AggScalar, "BEGIN { @a = sum(\"x\"); }", "1:9"),
    (Tag::ArrBadref, "BEGIN { x = 1; trace(x[0, 1]); }", "1:22"),
    (Tag::ArrLocal, "BEGIN { this->v[1] = 2; }", "1:9"),
    (Tag::ArrBounds, "int a[4]; BEGIN { a[4] = 1; }", "1:19"),
    (Tag::KeyType, "BEGIN { @a = count(); x[@a] = 1; }", "1:25"),
    (Tag::ProtoLen, "BEGIN { trace(1, 2); }", "1:9"),
    (Tag::ProtoArg, "BEGIN { trace(strlen(5)); }", "1:15"),
    (Tag::XlateRedecl, "struct s { int a; }; translator struct s < int i > { a = i; };\ntranslator struct s < int i > { a = i; }; BEGIN { }", "2:1"),
    (Tag::XlateNone, "struct s { int a; }; BEGIN { trace(xlate<struct s>(1).a); }", "1:36"),
    (Tag::XlateNoconv, "struct s { int a; int b; }; translator struct s < int i > { a = i; };\nBEGIN { trace(xlate<struct s>(1).b); }", "2:15"),
    (Tag::XlateSou, "translator int < int i > { }; BEGIN { }", "1:12"),
    (Tag::XlateMemb, "struct s { int a; }; translator struct s < int i > { b = i; }; BEGIN { }", "1:54"),
    (Tag::XlateIncompat, "struct s { int a; }; translator struct s < int i > { a = \"x\"; }; BEGIN { }", "1:54"),
    (Tag::ProvBadname, "provider p9 { probe x(); }; BEGIN { }", "1:10"),
    (Tag::ProvIncompat, "provider dtrace { probe BEGIN(int); }; BEGIN { }", "1:19"),
    (Tag::ProvPrdup, "provider pp { probe x(); probe x(); }; BEGIN { }", "1:32"),
    (Tag::ProvPrxlator, "provider pp { probe x(int a) : (string a); }; BEGIN { }", "1:33"),
    (Tag::Pragerr, "#error no luck\nBEGIN { }", "1:1"),
    (Tag::PragctlInval, "#define N 3\nBEGIN { }", "1:2"),
    (Tag::PragmaInval, "#pragma D flavour mint\nBEGIN { }", "1:11"),
    (Tag::PragmaUnused, "#pragma D attributes Stable/Stable/Common ghost\nBEGIN { }", "1:1"),
    (Tag::PragmaMalform, "#pragma D option quiet now\nBEGIN { }", "1:24"),
    (Tag::PragmaOptset, "#pragma D option bufsize=12q\nBEGIN { }", "1:18"),
    (Tag::PragmaScope, "#pragma D attributes Stable/Stable/Common pid\nBEGIN { }", "1:1"),
    (Tag::PragmaDepend, "#pragma D depends_on provider ghost\nBEGIN { }", "1:1"),
    (Tag::MacroUndef, "BEGIN { trace($1); }", "1:15"),
    (Tag::IntOflow, "BEGIN { n = 18446744073709551616; }", "1:13"),
    (Tag::IntDigit, "BEGIN { n = 0779; }", "1:13"),
    (Tag::StrNl, "BEGIN { s = \"a\nb\"; }", "2:1"),
    (Tag::ChrNl, "BEGIN { s = 'a\nb'; }", "2:1"),
    (Tag::ChrNull, "BEGIN { c = ''; }", "1:13"),
    (Tag::ChrOflow, "BEGIN { c = 'abcdefghi'; }", "1:13"),
    (Tag::IdentBadref, "BEGIN { trace(strlen); }", "1:15"),
    (Tag::IdentUndef, "BEGIN { trace(y); }", "1:15"),
    (Tag::VarUndef, "BEGIN { trace(self->y); }", "1:15"),
    (Tag::ArgsMulti, "syscall::: { trace(args[0]); }", "1:20"),
    (Tag::ArgsNone, "inline int n = args[0]; BEGIN { }", "1:16"),
    (Tag::ArgsType, "syscall::strange:entry { trace(args[0]); }", "1:32"),
    (Tag::ArgsIdx, "BEGIN { trace(args[0]); }", "1:15"),
    (Tag::PrintfDynProto, "BEGIN { printf(\"%*d\"); }", "1:9"),
    (Tag::PrintfDynType, "BEGIN { printf(\"%*d\", \"x\", 1); }", "1:23"),
    (Tag::PrintfAggConv, "BEGIN { printf(\"%@d\", 1); }", "1:9"),
    (Tag::PrintfArgProto, "BEGIN { printf(\"%d %d\", 1); }", "1:9"),
    (Tag::PrintfArgType, "BEGIN { printf(\"%d\", \"x\"); }", "1:22"),
    (Tag::PrintfArgExtra, "BEGIN { printf(\"%d\", 1, 2); }", "1:9"),
    (Tag::PrintfArgFmt, "BEGIN { printf(execname); }", "1:9"),
    (Tag::PrintfFmtEmpty, "BEGIN { printf(\"\"); }", "1:9"),
    (Tag::PrintaProto, "BEGIN { printa(\"x\"); }", "1:9"),
    (Tag::PrintaAggarg, "BEGIN { printa(1); }", "1:9"),
    (Tag::PrintaAggbad, "BEGIN { printa(@a[1]); }", "1:9"),
    (Tag::PrintaAggkey, "BEGIN { @a[1] = count(); @b[1, 2] = count(); printa(@a, @b); }", "1:46"),
    (Tag::PrintaAggproto, "BEGIN { @a[1] = count(); @b[\"x\"] = count(); printa(@a, @b); }", "1:45"),
    (Tag::TraceVoid, "BEGIN { trace((void)1); }", "1:9"),
    (Tag::TraceDyn, "BEGIN { @a = count(); trace(@a); }", "1:23"),
    (Tag::ClearAggarg, "BEGIN { clear(1); }", "1:9"),
    (Tag::TruncAggarg, "BEGIN { trunc(1); }", "1:9"),
    (Tag::NormalizeAggarg, "BEGIN { normalize(1, 1); }", "1:9"),
    (Tag::ClearAggbad, "BEGIN { clear(@a[1]); }", "1:9"),
    (Tag::TruncAggbad, "BEGIN { trunc(@a[1]); }", "1:9"),
    (Tag::NormalizeAggbad, "BEGIN { normalize(@a[1], 2); }", "1:9"),
    (Tag::RegsIdx, "BEGIN { trace(uregs[1000]); }", "1:15"),
    (Tag::TracememAddr, "BEGIN { tracemem(execname, 8); }", "1:9"),
    (Tag::TracememSize, "BEGIN { tracemem(arg0, 0); }", "1:9"),
    (Tag::PrintSize, "BEGIN { print((void *)arg0); }", "1:9"),
    (Tag::StackSize, "BEGIN { stack(0); }", "1:9"),
    (Tag::UstackFrames, "BEGIN { ustack(0); }", "1:9"),
    (Tag::UstackStrsize, "BEGIN { ustack(5, -1); }", "1:9"),
    (Tag::FreopenInvalid, "BEGIN { freopen(\".\"); }", "1:9"),
    (Tag::CommDrec, "BEGIN { trace(1); commit(1); }", "1:19"),
    (Tag::SpecSpec, "BEGIN { speculate(1); speculate(2); }", "1:23"),
    (Tag::SpecComm, "BEGIN { commit(1); speculate(1); }", "1:20"),
    (Tag::SpecDrec, "BEGIN { trace(1); speculate(1); }", "1:19"),
    (Tag::AggComm, "BEGIN { commit(1); @a = count(); }", "1:20"),
    (Tag::AggSpec, "BEGIN { speculate(1); @a = count(); }", "1:23"),
    (Tag::ActSpec, "BEGIN { speculate(1); raise(9); }", "1:23"),
    (Tag::ExitSpec, "BEGIN { speculate(1); exit(0); }", "1:23"),
    (Tag::DrecComm, "BEGIN { commit(1); trace(1); }", "1:20"),
    (Tag::LquantBasetype, "BEGIN { @a = lquantize(1, pid, 10); }", "1:9"),
    (Tag::LquantLimtype, "BEGIN { @a = lquantize(1, 0, pid); }", "1:9"),
    (Tag::LquantSteptype, "BEGIN { @a = lquantize(1, 0, 10, pid); }", "1:9"),
    (Tag::LquantBaseval, "BEGIN { @a = lquantize(1, 3000000000, 10); }", "1:9"),
    (Tag::LquantLimval, "BEGIN { @a = lquantize(1, 0, 3000000000); }", "1:9"),
    (Tag::LquantStepval, "BEGIN { @a = lquantize(1, 0, 1000000, 70000); }", "1:39"),
    (Tag::LquantMismatch, "BEGIN { @a = lquantize(1, 10, 5); }", "1:9"),
    (Tag::LquantSteplarge, "BEGIN { @a = lquantize(1, 0, 10, 20); }", "1:9"),
    (Tag::LquantStepsmall, "BEGIN { @a = lquantize(1, 0, 100000, 1); }", "1:9"),
    (Tag::LquantMatchbase, "BEGIN { @a = lquantize(1, 0, 10); @a = lquantize(1, 1, 10); }", "1:35"),
    (Tag::LquantMatchlim, "BEGIN { @a = lquantize(1, 0, 10); @a = lquantize(1, 0, 20); }", "1:35"),
    (Tag::LquantMatchstep, "BEGIN { @a = lquantize(1, 0, 10); @a = lquantize(1, 0, 10, 2); }", "1:35"),
    (Tag::LlquantFactortype, "BEGIN { @a = llquantize(1, pid, 0, 6, 20); }", "1:9"),
    (Tag::LlquantLmagtype, "BEGIN { @a = llquantize(1, 10, pid, 6, 20); }", "1:9"),
    (Tag::LlquantHmagtype, "BEGIN { @a = llquantize(1, 10, 0, pid, 20); }", "1:9"),
    (Tag::LlquantSteptype, "BEGIN { @a = llquantize(1, 10, 0, 6, pid); }", "1:9"),
    (Tag::LlquantFactorval, "BEGIN { @a = llquantize(1, 1, 0, 6, 20); }", "1:9"),
    (Tag::LlquantLmagval, "BEGIN { @a = llquantize(1, 10, 70000, 6, 20); }", "1:9"),
    (Tag::LlquantHmagval, "BEGIN { @a = llquantize(1, 10, 6, 5, 20); }", "1:9"),
    (Tag::LlquantStepval, "BEGIN { @a = llquantize(1, 10, 0, 6, 7); }", "1:9"),
    (Tag::LlquantMatchfactor, "BEGIN { @a = llquantize(1, 10, 0, 6, 20); @a = llquantize(1, 20, 0, 6, 20); }", "1:43"),
    (Tag::LlquantMatchlmag, "BEGIN { @a = llquantize(1, 10, 0, 6, 20); @a = llquantize(1, 10, 1, 6, 20); }", "1:43"),
    (Tag::LlquantMatchhmag, "BEGIN { @a = llquantize(1, 10, 0, 6, 20); @a = llquantize(1, 10, 0, 5, 20); }", "1:43"),
    (Tag::LlquantMatchsteps, "BEGIN { @a = llquantize(1, 10, 0, 6, 20); @a = llquantize(1, 10, 0, 6, 10); }", "1:43"),
    (Tag::DeclCharattr, "long char c;", "1:1"),
    (Tag::DeclVoidattr, "unsigned void *p;", "1:1"),
    (Tag::DeclSignint, "signed double d;", "1:1"),
    (Tag::DeclLongint, "long struct s x;", "1:1"),
    (Tag::DeclCombo, "char int c;", "1:1"),
    (Tag::DeclClass, "self this int s;", "1:6"),
    (Tag::DeclBadclass, "static int s;", "1:1"),
    (Tag::DeclParmclass, "int f(auto int a);", "1:7"),
    (Tag::DeclArrsub, "int a[-1];", "1:7"),
    (Tag::DeclArrnull, "int a[];", "1:5"),
    (Tag::DeclArrbig, "int a[5000000000];", "1:7"),
    (Tag::DeclIdred, "int t; string t;", "1:15"),
    (Tag::DeclTypered, "struct s { int a; };\nstruct s { int b; };", "2:1"),
    (Tag::DeclScope, "int a`b;", "1:5"),
    (Tag::DeclBfconst, "struct s { int a : 0; };", "1:20"),
    (Tag::DeclBfsize, "struct s { int a : 33; };", "1:20"),
    (Tag::DeclBftype, "struct s { char *a : 3; };", "1:22"),
    (Tag::DeclEnconst, "enum e { A = \"x\" };", "1:14"),
    (Tag::DeclEnoflow, "enum e { A = 0x80000000 };", "1:10"),
    (Tag::DeclUseless, "extern int;", "1:1"),
    (Tag::DeclLocassc, "this int v[int];", "1:10"),
    (Tag::DeclDynobj, "int x[3][int];", "1:5"),
    (Tag::DeclVoidobj, "void v;", "1:6"),
    (Tag::DeclIncomplete, "struct ghost g;", "1:14"),
    (Tag::DeclProtoVarargs, "int a[int, ...];", "1:12"),
    (Tag::DeclProtoType, "int a[void];", "1:7"),
    (Tag::DeclProtoVoid, "provider p { probe x(int, void); }; BEGIN { }", "1:27"),
    (Tag::DeclProtoName, "inline int x[int] = 1; BEGIN { }", "1:14"),
    (Tag::DeclProtoForm, "int a[int i, int i];", "1:18"),
];

/// Programs that need an option or arguments: tag, option, arguments, program, place.
#[rustfmt::skip]
const WITH: &[(Tag, &str, &[&str], &str, &str)] = &[
    (Tag::AttrMin, "amin=Standard", &[], "BEGIN { trace(pid); }", "1:9"),
    (Tag::MacroOflow, "quiet", &["99999999999999999999"], "BEGIN { trace($1); }", "1:15"),
    (Tag::MacroUnused, "quiet", &["1", "2"], "BEGIN { trace($1); }", "1:21"),
];

/// Tags that no program reaches here, and why.
#[rustfmt::skip]
const ELSEWHERE: &[(Tag, &str)] = &[
    (Tag::TypeErr, "every type that a rule needs is built in"),
    (Tag::Asrelo, "symbols are resolved while a program is checked"),
    (Tag::SymBadref, "user symbols are unknown before they could be misused"),
    (Tag::SymModel, "there are no 32-bit programs"),
    (Tag::VarUnsup, "every class of variable may be used everywhere"),
    (Tag::ArgsXlator, "the definition of the provider is refused first, with D_PROV_PRXLATOR"),
    (Tag::DeclIdent, "the grammar knows no declaration of the old style"),
    (Tag::DeclMname, "the grammar wants a name or a width"),
    (Tag::NormalizeScalar, "the prototype wants an integer first, with D_PROTO_ARG"),
    (Tag::SymNotypes, "needs the symbols of a kernel"),
    (Tag::IdentAmbig, "needs the enums of a kernel"),
    (Tag::IdOflow, "needs a long program: `too_many_variables`"),
    (Tag::ProvPrarglen, "needs a long program: `too_many_arguments`"),
    (Tag::ProcGrab, "said by the machine: tests of kernel-bridge"),
    (Tag::ProcBadpid, "said by the machine: tests of kernel-bridge"),
    (Tag::ProcOff, "said by the machine, of probes in processes"),
    (Tag::ProcName, "said by the machine, of probes in processes"),
    (Tag::ProcBadprov, "said by the machine, of probes in processes"),
    (Tag::ProcDyn, "said by the machine, of probes in processes"),
    (Tag::ProcLib, "said by the machine, of probes in processes"),
    (Tag::ProcFunc, "said by the machine, of probes in processes"),
    (Tag::ProcCreatefail, "said by the machine, of probes in processes"),
    (Tag::ProcUsdt, "said by the machine, of probes in processes"),
];

#[test]
fn too_many_variables() {
    let mut source = String::from("BEGIN { ");
    for i in 0..=65_535 {
        source += &format!("v{i}=1;");
    }
    source += " }";
    assert_eq!(outcome(&[&source], &mut Options::default()).split(' ').next(), Some("D_ID_OFLOW"));
}

#[test]
fn too_many_arguments() {
    let list = vec!["int"; 256].join(", ");
    check(&format!("provider pp {{ probe x({list}); }}; BEGIN {{ }}"), "D_PROV_PRARGLEN 1:15");
}

#[test]
fn every_tag_has_a_program() {
    let has = |tag: &Tag| {
        PROGRAMS.iter().any(|row| row.0 == *tag)
            || WITH.iter().any(|row| row.0 == *tag)
            || ELSEWHERE.iter().any(|row| row.0 == *tag)
    };
    let missing: Vec<_> = Tag::ALL.iter().filter(|tag| !has(tag)).map(|tag| tag.text()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn programs_get_their_tags() {
    let mut wrong = Vec::new();
    for &(tag, source, place) in PROGRAMS {
        let got = outcome(&[source], &mut Options::default());
        let expected = format!("{} {place}", tag.text());
        if got != expected {
            wrong.push(format!("{source:?}: {got}, not {expected}"));
        }
    }
    for &(tag, option, args, source, place) in WITH {
        let mut options = Options::default();
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        options.set(name, value, SetBy::CommandLine).expect("a good option");
        let mut sources = SourceMap::default();
        sources.add(Source { name: "a.d".into(), kind: SourceKind::Script, text: source.into() });
        let args: Vec<String> = ["a.d"].iter().chain(args).map(|arg| (*arg).to_string()).collect();
        let got = match crate::compile(&sources, &Machine::new(), &mut options, &args) {
            Ok(_) => "ok".to_string(),
            Err(error) => {
                let (line, column) = sources.line_column(error.span.source, error.span.start);
                format!("{} {line}:{column}", error.tag.text())
            }
        };
        let expected = format!("{} {place}", tag.text());
        if got != expected {
            wrong.push(format!("{source:?}: {got}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
