//! Probe descriptions to probes (language spec §4).
//!
//! In: a description as written and the machine's probes. Out: the probes it matches, interned, and the argument
//! signature they give to the clause.

use std::collections::HashMap;
use std::sync::Arc;

use super::errors;
use super::session::{Session, Signature};
use crate::ast::{Clause, ProbeDesc};
use crate::builtins::{elsewhere, foreign};
use crate::diag::{Diagnostic, Tag};
use crate::env::{Environment, NoMatch, Probe, ProbeArg, ProbeId, ProbePattern, Stability};
use crate::ir::ProbeIndex;
use crate::parse::Macros;
use crate::parse::description::{self, Target};
use crate::source::SourceKind;
use crate::stability::{EVOLVING_LEVEL, LEVELS, UNSPECIFIED, components};

/// The probes that the session names, each once, and the descriptions seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub all: Vec<Probe>,
    ids: HashMap<ProbeId, ProbeIndex>,
    seen: HashMap<[String; 4], Arc<[ProbeIndex]>>,
}

impl Probes {
    fn intern(&mut self, probe: Probe) -> ProbeIndex {
        *self.ids.entry(probe.id).or_insert_with(|| {
            self.all.push(probe);
            ProbeIndex(self.all.len() as u32 - 1)
        })
    }
}

/// The probes of one description.
pub(super) struct Matched {
    pub probes: Arc<[ProbeIndex]>,
    pub signature: Signature,
    /// How stable the description is.
    pub triple: Stability,
}

impl Session<'_> {
    pub(super) fn description(&mut self, desc: &ProbeDesc, kind: SourceKind) -> Result<Matched, Diagnostic> {
        let macros = Macros { args: self.args, env: self.env };
        let pattern = match description::expand(desc, kind, &macros)? {
            Target::Pattern(pattern) => pattern,
            Target::Id(id) => return self.numbered(id, desc),
        };
        let ProbePattern { provider, module, function, name } = &pattern;
        let shown = format!("{provider}:{module}:{function}:{name}");
        let key = [provider.clone(), module.clone(), function.clone(), name.clone()];
        let probes = match self.probes.seen.get(&key) {
            Some(probes) => probes.clone(),
            None => {
                let found = self.search(desc, &pattern, &shown)?;
                let found: Vec<_> = found.into_iter().map(|probe| self.probes.intern(probe)).collect();
                let found: Arc<[ProbeIndex]> = found.into();
                self.probes.seen.insert(key, found.clone());
                found
            }
        };
        let first = probes.first().map(|index| &self.probes.all[index.index()]);
        let signature = Signature {
            outside: false,
            unknown: first.is_none(),
            unstable: probes.len() > 1 && first.is_some_and(|first| is_unstable(&pattern, first)),
            // Probes of one name take the types of the first, as ever; those of several names are several things.
            differing: if is_open(&pattern.name) { self.differing(&probes) } else { Arc::from([]) },
            args: first.map_or_else(|| Arc::from([]), |first| first.args.clone()),
            interface: self.interface_of(first, &pattern),
            args_triple: first.map_or(UNSPECIFIED, |first| first.stability.args),
            components: first.map_or([UNSPECIFIED; 4], components),
            description: shown,
        };
        let triple = self.description_triple(first, Some(&pattern));
        Ok(Matched { probes, signature, triple })
    }

    fn search(
        &self,
        desc: &ProbeDesc,
        pattern: &ProbePattern,
        shown: &str,
    ) -> Result<Vec<Probe>, Diagnostic> {
        match self.env.match_probes(pattern) {
            Ok(probes) if !probes.is_empty() || self.zdefs => Ok(probes),
            Ok(_) | Err(NoMatch::Zero) if !self.zdefs => {
                let advice = no_match_advice(self.env, pattern);
                let help = advice.unwrap_or_else(|| errors::PERMITTED.to_owned());
                Err(errors::no_probe(desc.span, shown).help(help))
            }
            Ok(_) | Err(NoMatch::Zero) => Ok(Vec::new()),
            Err(NoMatch::OtherSource(why)) => {
                let error = errors::probe_of_other_source(desc.span, shown, &why);
                Err(match elsewhere::of_probe(pattern) {
                    Some(help) => error.help(help),
                    None => error,
                })
            }
            Err(NoMatch::Refused { tag, text }) => {
                let tag = Tag::ALL.iter().copied().find(|t| t.text() == tag).unwrap_or(Tag::Unknown);
                let error = match elsewhere::of_provider(&pattern.provider) {
                    // `nfsv3` looks like a provider of process 3.
                    Some(_) => errors::no_probe(desc.span, shown),
                    None => Diagnostic::new(tag, desc.span, text),
                };
                let instead = || foreign::instead(pattern).map(str::to_owned);
                // The text has the process by its name.
                let of_target = tag == Tag::ProcBadpid && self.sources.text(desc.span).contains("$target");
                let target = || of_target.then(|| "`$target` is the process that -c or -p gives".to_owned());
                // With another number it would be refused, too.
                let in_process = || (tag == Tag::ProcGrab).then(|| foreign::NOT_IN_PROCESSES.to_owned());
                let meanwhile = || {
                    let of_process =
                        tag == Tag::PdescZero && pattern.provider.ends_with(|c: char| c.is_ascii_digit());
                    of_process.then(|| foreign::MEANWHILE_IN_PROCESSES.to_owned())
                };
                let advice = elsewhere::of_probe(pattern).or_else(instead).or_else(target);
                Err(match advice.or_else(in_process).or_else(meanwhile) {
                    Some(help) => error.help(help),
                    None => error,
                })
            }
        }
    }

    /// The arguments of the first probe that others do not share, each with the first of those.
    fn differing(&self, probes: &[ProbeIndex]) -> Arc<[(usize, String)]> {
        let all = |index: &ProbeIndex| &self.probes.all[index.index()];
        let [first, others @ ..] = probes else { return Arc::from([]) };
        let differs = |(i, arg): (usize, &ProbeArg)| {
            let other = others.iter().map(all).find(|other| other.args.get(i) != Some(arg))?;
            Some((i, format!("{}:{}:{}:{}", other.provider, other.module, other.function, other.name)))
        };
        all(first).args.iter().enumerate().filter_map(differs).collect()
    }

    /// The error of a clause's description that is another tracer's: what follows it is in that tracer's language, too.
    pub(super) fn foreign_probe(&self, clause: &Clause, kind: SourceKind) -> Option<Diagnostic> {
        let macros = Macros { args: self.args, env: self.env };
        clause.probes.iter().find_map(|desc| {
            let Ok(Target::Pattern(pattern)) = description::expand(desc, kind, &macros) else { return None };
            foreign::advice(&pattern)?;
            let ProbePattern { provider, module, function, name } = &pattern;
            self.search(desc, &pattern, &format!("{provider}:{module}:{function}:{name}")).err()
        })
    }

    /// A probe by its number (language spec §4.3).
    fn numbered(&mut self, id: ProbeId, desc: &ProbeDesc) -> Result<Matched, Diagnostic> {
        let probe = self.env.probe_by_id(id);
        let probe = probe.ok_or_else(|| errors::unknown_probe_id(desc.span, &desc.text))?;
        let signature = Signature {
            outside: false,
            unknown: false,
            unstable: false,
            differing: Arc::from([]),
            args: probe.args.clone(),
            interface: self.interface_of(Some(&probe), &ProbePattern::default()),
            args_triple: probe.stability.args,
            components: components(&probe),
            description: format!("{}:{}:{}:{}", probe.provider, probe.module, probe.function, probe.name),
        };
        let triple = self.description_triple(Some(&probe), None);
        let index = self.probes.intern(probe);
        Ok(Matched { probes: Arc::from([index]), signature, triple })
    }
}

/// Whether a component may match several texts.
fn is_open(text: &str) -> bool {
    text.is_empty() || text.contains(['?', '*', '[', '\\'])
}

/// Whether the probes of a description may differ in their arguments (language spec §4.5): its provider is open and the
/// arguments are not to be relied upon, or a component is open whose names are.
fn is_unstable(pattern: &ProbePattern, first: &Probe) -> bool {
    let rank = |level: &str| LEVELS.iter().position(|l| *l == level).unwrap_or(0);
    let is_reliable = |level: &str| rank(level) >= rank(EVOLVING_LEVEL);
    if is_open(&pattern.provider) && !is_reliable(first.stability.args.name) {
        return true;
    }
    let parts = [&pattern.provider, &pattern.module, &pattern.function, &pattern.name];
    parts.iter().zip(components(first)).any(|(text, triple)| is_open(text) && is_reliable(triple.name))
}

/// What helps who wrote a description that matches nothing, if anything is known.
pub fn no_match_advice(env: &dyn Environment, pattern: &ProbePattern) -> Option<String> {
    let near = || Some(format!("did you mean {}?", env.suggest(pattern).first()?));
    let advice = foreign::advice(pattern).or_else(|| elsewhere::of_probe(pattern));
    advice.or_else(|| shifted(env, pattern)).or_else(near)
}

/// The words of a description that matches nothing at other places, if they match there: `syscall:openat:entry`
/// was meant to be `syscall::openat:entry`.
fn shifted(env: &dyn Environment, pattern: &ProbePattern) -> Option<String> {
    // Components by number: those that are left out most often first.
    const PLACES: &[&[usize]] =
        &[&[0, 2, 3], &[0, 1, 3], &[0, 2], &[2, 3], &[0, 3], &[1, 2], &[2], &[0], &[3]];
    let ProbePattern { provider, module, function, name } = pattern;
    let given = [provider, module, function, name];
    let words: Vec<&String> = given.into_iter().filter(|word| !word.is_empty()).collect();
    PLACES.iter().filter(|places| places.len() == words.len()).find_map(|places| {
        let mut parts: [String; 4] = Default::default();
        for (&place, word) in places.iter().zip(&words) {
            parts[place].clone_from(word);
        }
        let [provider, module, function, name] = parts;
        let mut other = ProbePattern { provider, module, function, name };
        let found = env.match_probes(&other).ok()?;
        let first = found.first()?;
        if **places == [0] {
            return Some(format!("did you mean `{}:::`?", other.provider));
        }
        for (part, text) in [(&mut other.provider, &first.provider), (&mut other.name, &first.name)] {
            if part.is_empty() {
                *part = text.to_string();
            }
        }
        let module = if places.contains(&1) { &*other.module } else { "" };
        let ProbePattern { provider, function, name, .. } = &other;
        Some(format!("did you mean `{provider}:{module}:{function}:{name}`?"))
    })
}
