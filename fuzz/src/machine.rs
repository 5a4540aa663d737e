//! A machine for tests that ask nothing of it: every probe description matches `BEGIN`.

use dtrail_lang::env::{
    Environment, FiredBy, NoMatch, Probe, ProbeId, ProbePattern, ProviderStability, Stability,
};

/// Knows one probe and the macro variables `$pid` and `$target`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneProbe;

impl Environment for OneProbe {
    fn match_probes(&self, _: &ProbePattern) -> Result<Vec<Probe>, NoMatch> {
        Ok(self.probe_by_id(ProbeId::BEGIN).into_iter().collect())
    }

    fn probe_by_id(&self, id: ProbeId) -> Option<Probe> {
        let stable = Stability { name: "Stable", data: "Stable", class: "Common" };
        (id == ProbeId::BEGIN).then(|| Probe {
            id,
            provider: "dtrace".into(),
            module: "".into(),
            function: "".into(),
            name: "BEGIN".into(),
            fired_by: FiredBy::Tracer,
            args: [].into(),
            stability: ProviderStability { description: stable, args: stable },
        })
    }

    fn macro_variable(&self, name: &str) -> Option<i64> {
        match name {
            "pid" => Some(4321),
            "target" => Some(0),
            _ => None,
        }
    }

    fn suggest(&self, _: &ProbePattern) -> Vec<String> {
        Vec::new()
    }
}
