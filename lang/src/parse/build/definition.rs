//! Inlines, translators and provider interfaces: pest's pairs in, nodes of the tree out.

use pest::iterators::Pair;

use super::{Builder, child};
use crate::ast::{Inline, ProbeInterface, Provider, Translator, TypeName};
use crate::diag::{Diagnostic, Tag};
use crate::parse::Rule;
use crate::parse::errors::too_deep;

impl Builder<'_, '_> {
    pub(super) fn inline(&mut self, pair: Pair<'_, Rule>) -> Result<Inline, Diagnostic> {
        let span = self.span(&pair);
        let mut storage = None;
        let mut specs = super::empty_specs(span);
        let mut declarator = super::declarator(span);
        let mut value = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::specifiers => (storage, specs) = self.specifiers(part)?,
                Rule::declarator => declarator = self.declarator(part)?,
                Rule::assignment => {
                    self.typed = true;
                    value = Some(self.assignment(part)?);
                }
                _ => {}
            }
        }
        // The grammar demands a value.
        let value = value.ok_or_else(|| too_deep(span))?;
        Ok(Inline { storage: storage.map(|(class, _)| class), specs, declarator, value, span })
    }

    pub(super) fn translator(&mut self, pair: Pair<'_, Rule>) -> Result<Translator, Diagnostic> {
        let span = self.span(&pair);
        let (mut types, mut param, mut members) = (Vec::new(), None, Vec::new());
        let mut member = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_name => types.push(self.type_name(part)?),
                Rule::name if param.is_none() => param = Some(self.word(&part)),
                Rule::name => member = Some(self.word(&part)),
                Rule::assignment => {
                    let value = self.assignment(part)?;
                    members.extend(member.take().map(|member| (member, value)));
                }
                _ => {}
            }
        }
        // The grammar demands both types and the name.
        let mut types = types.into_iter();
        match (types.next(), types.next(), param) {
            (Some(output), Some(input), Some(param)) => {
                Ok(Translator { output, input, param, members, span })
            }
            _ => Err(too_deep(span)),
        }
    }

    pub(super) fn provider(&mut self, pair: Pair<'_, Rule>) -> Result<Provider, Diagnostic> {
        let span = self.span(&pair);
        let (mut name, mut probes) = (None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.word(&part)),
                Rule::probe_definition => probes.extend(self.probe(part)?),
                _ => {}
            }
        }
        // The grammar demands a name.
        Ok(Provider { name: name.ok_or_else(|| too_deep(span))?, probes, span })
    }

    /// Reads one probe; nothing of one that is not complete.
    fn probe(&mut self, pair: Pair<'_, Rule>) -> Result<Option<ProbeInterface>, Diagnostic> {
        let span = self.span(&pair);
        let (mut name, mut lists) = (None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.word(&part)),
                Rule::function => lists.push(self.probe_arguments(part)?),
                _ => {}
            }
        }
        // The grammar demands a name and one list where the text goes on.
        let (Some(name), false) = (name, self.unfinished || lists.is_empty()) else { return Ok(None) };
        let mut lists = lists.into_iter();
        Ok(Some(ProbeInterface { name, native: lists.next().unwrap_or_default(), seen: lists.next(), span }))
    }

    fn probe_arguments(&mut self, function: Pair<'_, Rule>) -> Result<Vec<TypeName>, Diagnostic> {
        self.unfinished |= self.open(&function);
        let Some(list) = child(function, Rule::parameters) else { return Ok(Vec::new()) };
        if let Some(ellipsis) = list.clone().into_inner().find(|p| p.as_rule() == Rule::ellipsis) {
            let message = "probe prototype may not be of variable length";
            return Err(Diagnostic::new(Tag::DeclProtoVarargs, self.span(&ellipsis), message));
        }
        self.parameter_list(list)
    }
}
