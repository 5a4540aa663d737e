//! Provider interfaces: which arguments probes give, and which `args[]` shows (language spec §7.5).
//!
//! In: `provider` definitions, while a program is read. Out: entries in the session's table of interfaces, by provider and
//! probe. A library may say so of probes that exist; a program only of probes that come later, of processes not traced yet.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::errors;
use super::fold::Early;
use super::names::Marked;
use super::session::Session;
use super::translator::TranslatorId;
use super::typenames::is_dynamic;
use crate::ast::{ProbeInterface, Provider, TypeName};
use crate::diag::Diagnostic;
use crate::env::{Probe, ProbePattern};
use crate::source::{SourceKind, Span};
use crate::stability::is_known_provider;
use crate::types::classes::Operand;

/// Longest name of a provider, which a process number follows.
const MAX_NAME: usize = 59;

/// Most arguments of a probe.
const MAX_ARGUMENTS: usize = 255;

/// An argument as `args[]` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its type.
    pub ty: Marked,
    /// The number of the argument that it is made from.
    pub native: u32,
    /// What makes it, if its type is not that of the native argument.
    pub translator: Option<TranslatorId>,
}

/// The arguments of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interface {
    /// The types that the probe gives.
    pub native: Vec<Marked>,
    /// What `args[]` shows.
    pub shown: Vec<Shown>,
}

/// The interfaces of a session, by provider and probe name.
pub(super) type Interfaces = HashMap<(String, String), Arc<Interface>>;

impl Session<'_> {
    /// Defines the interface of a provider.
    pub(super) fn define_provider(
        &mut self,
        early: &mut Early,
        provider: &Provider,
    ) -> Result<(), Diagnostic> {
        let (name, span) = (&provider.name.name, provider.name.span);
        if name.contains('`') {
            return Err(errors::provider_scoped(span, name));
        }
        if name.len() > MAX_NAME {
            return Err(errors::provider_too_long(span, name, MAX_NAME));
        }
        if name.ends_with(|c: char| c.is_ascii_digit()) {
            return Err(errors::provider_digit(span, name));
        }
        let library = self.sources.get(span.source).kind == SourceKind::Library;
        let mut seen: HashSet<&str> = HashSet::new();
        for probe in &provider.probes {
            let interface = self.interface(early, probe)?;
            if !seen.insert(&probe.name.name) {
                return Err(errors::probe_twice(probe.name.span, name, &probe.name.name));
            }
            let key = (name.clone(), probe.name.name.replace("__", "-"));
            if let Some(before) = self.interfaces.get(&key) {
                if **before != interface {
                    let (now, before) = (self.show_interface(&interface), self.show_interface(before));
                    return Err(errors::interface_differs(probe.span, &key.0, &key.1, &now, &before));
                }
            } else if !library {
                self.not_of_the_machine(&key.0, &key.1, &interface, probe.span)?;
            }
            self.interfaces.insert(key, Arc::new(interface));
        }
        Ok(())
    }

    /// A program may repeat what a provider of the machine gives, and not change it.
    fn not_of_the_machine(
        &mut self,
        provider: &str,
        name: &str,
        interface: &Interface,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let all = |name: &str| {
            let pattern =
                ProbePattern { provider: provider.into(), name: name.into(), ..ProbePattern::default() };
            self.env.match_probes(&pattern).unwrap_or_default()
        };
        if !is_known_provider(provider) {
            // Whatever a machine knows of others, it knows no types of.
            return Ok(());
        }
        let known = all(name);
        let Some(probe) = known.first() else {
            return match all("").is_empty() {
                true => Ok(()),
                false => Err(errors::interface_unknown(span, provider, name)),
            };
        };
        let theirs: Vec<Marked> =
            probe.args.iter().map(|arg| Marked { ty: self.spelt(&arg.ty), userland: false }).collect();
        let same = theirs.len() == interface.native.len()
            && theirs.iter().zip(&interface.native).all(|(a, b)| self.types.same(a.ty, b.ty));
        match same {
            true => Ok(()),
            false => Err(errors::interface_unknown(span, provider, name)),
        }
    }

    /// The arguments of a probe.
    pub(super) fn interface(
        &mut self,
        early: &mut Early,
        probe: &ProbeInterface,
    ) -> Result<Interface, Diagnostic> {
        let name = &probe.name.name;
        let native = self.arguments_of(early, &probe.native, name, probe.span)?;
        let Some(list) = &probe.seen else {
            let shown = native.iter().enumerate();
            let shown = shown.map(|(i, &ty)| Shown { ty, native: i as u32, translator: None }).collect();
            return Ok(Interface { native, shown });
        };
        let types = self.arguments_of(early, list, name, probe.span)?;
        let mut shown = Vec::with_capacity(types.len());
        for (i, (param, ty)) in list.iter().zip(types).enumerate() {
            let Some(name) = &param.declarator.name else {
                return Err(errors::parameter_without_name(param.span, i + 1));
            };
            let same_name = |other: &TypeName| {
                other.declarator.name.as_ref().is_some_and(|other| other.name == name.name)
            };
            let Some(number) = probe.native.iter().position(same_name) else {
                return Err(errors::argument_not_native(name.span, &name.name));
            };
            let from = native[number];
            let operand = |of: Marked| Operand { ty: of.ty, userland: of.userland, zero: false };
            // What can be assigned needs no translator.
            let fits = self.types.same(from.ty, ty.ty) || self.types.assignable(operand(ty), operand(from));
            let translator = match fits {
                true => None,
                false => Some(self.translator_for(ty.ty, from).ok_or_else(|| {
                    let (from, to) = (from.show(&self.types), ty.show(&self.types));
                    errors::argument_without_translator(param.span, i, &from, &to)
                })?),
            };
            shown.push(Shown { ty, native: number as u32, translator });
        }
        Ok(Interface { native, shown })
    }

    /// The types of one list; `(void)` is none.
    fn arguments_of(
        &mut self,
        early: &mut Early,
        list: &[TypeName],
        name: &str,
        span: Span,
    ) -> Result<Vec<Marked>, Diagnostic> {
        let mut types = Vec::with_capacity(list.len());
        let mut seen: HashSet<&str> = HashSet::new();
        for (i, param) in list.iter().enumerate() {
            if is_dynamic(param) {
                return Err(errors::function_parameter_type(param.span, i + 1));
            }
            let ty = self.type_name(early, param)?;
            let declared = param.declarator.name.as_ref();
            if self.types.is_void(ty.ty) {
                if list.len() > 1 {
                    return Err(errors::parameter_void_among(param.span));
                }
                return match declared {
                    Some(name) => Err(errors::parameter_void_named(name.span)),
                    None => Ok(Vec::new()),
                };
            }
            if let Some(declared) = declared
                && !seen.insert(&declared.name)
            {
                return Err(errors::parameter_repeated(declared.span, &declared.name, i + 1));
            }
            types.push(ty);
        }
        if types.len() > MAX_ARGUMENTS {
            return Err(errors::too_many_arguments(span, name, types.len()));
        }
        Ok(types)
    }

    /// The interface that a definition gives to what a description names: to the first probe it matches, or, if there is
    /// none yet, to those of the provider and name that are written, without the number of a process.
    pub(super) fn interface_of(
        &self,
        first: Option<&Probe>,
        pattern: &ProbePattern,
    ) -> Option<Arc<Interface>> {
        if self.interfaces.is_empty() {
            return None;
        }
        let (provider, name) = match first {
            Some(probe) => (&*probe.provider, &*probe.name),
            None => (pattern.provider.as_str(), pattern.name.as_str()),
        };
        let bare = provider.trim_end_matches(|c: char| c.is_ascii_digit());
        let find = |provider: &str| self.interfaces.get(&(provider.to_owned(), name.to_owned())).cloned();
        find(provider).or_else(|| find(bare))
    }

    fn show_interface(&self, interface: &Interface) -> String {
        let list = |types: &mut dyn Iterator<Item = Marked>| {
            let types: Vec<String> = types.map(|ty| ty.show(&self.types)).collect();
            format!("({})", types.join(", "))
        };
        let native = list(&mut interface.native.iter().copied());
        let shown = list(&mut interface.shown.iter().map(|shown| shown.ty));
        if native == shown { native } else { format!("{native} : {shown}") }
    }
}
