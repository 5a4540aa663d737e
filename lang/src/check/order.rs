//! The order of actions within a clause (language spec §11.5, runtime spec §10), along every path through its conditions
//! (§3.7).
//!
//! In: the statements of a clause one after the other; the arms of a condition begin alike, and behind them is what either had.
//! Out: the first statement that stands behind what it may not follow.

use super::errors;
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;

/// What a statement is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It records data or is carried out by the consumer.
    Data {
        /// It is `exit`.
        exit: bool,
        /// It needs `-w`.
        destructive: bool,
    },
    /// It updates an aggregation.
    Aggregation,
    /// `speculate`
    Speculate,
    /// `commit`
    Commit,
    /// It has no rule: `discard`, an expression.
    Free,
}

/// What a clause has had so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Order {
    speculate: bool,
    commit: bool,
    data: bool,
}

const DATA: &str = "data-recording action(s)";

impl Order {
    /// What one of two paths has had that meet.
    pub(super) fn or(self, other: Order) -> Order {
        Order {
            speculate: self.speculate || other.speculate,
            commit: self.commit || other.commit,
            data: self.data || other.data,
        }
    }

    /// Takes the next statement.
    pub(super) fn take(&mut self, step: Step, span: Span) -> Result<(), Diagnostic> {
        let refused = |tag, what, after| Err(errors::may_not_follow(tag, span, what, after));
        match step {
            Step::Free => Ok(()),
            Step::Commit if self.data => refused(Tag::CommDrec, "commit( )", DATA),
            Step::Commit => {
                self.commit = true;
                Ok(())
            }
            Step::Speculate if self.speculate => refused(Tag::SpecSpec, "speculate( )", "speculate( )"),
            Step::Speculate if self.commit => refused(Tag::SpecComm, "speculate( )", "commit( )"),
            Step::Speculate if self.data => refused(Tag::SpecDrec, "speculate( )", DATA),
            Step::Speculate => {
                self.speculate = true;
                Ok(())
            }
            Step::Aggregation if self.commit => refused(Tag::AggComm, "aggregating actions", "commit( )"),
            Step::Aggregation if self.speculate => {
                refused(Tag::AggSpec, "aggregating actions", "speculate( )")
            }
            Step::Data { destructive: true, .. } if self.speculate => {
                refused(Tag::ActSpec, "destructive actions", "speculate( )")
            }
            Step::Data { exit: true, .. } if self.speculate => {
                refused(Tag::ExitSpec, "exit( )", "speculate( )")
            }
            Step::Data { .. } if self.commit => refused(Tag::DrecComm, "data-recording actions", "commit( )"),
            Step::Data { .. } | Step::Aggregation => {
                self.data = true;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    const TRACE: Step = Step::Data { exit: false, destructive: false };
    const EXIT: Step = Step::Data { exit: true, destructive: false };
    const RAISE: Step = Step::Data { exit: false, destructive: true };

    fn check(steps: &[Step], expect: Option<Tag>) {
        let span = Span { source: SourceId(0), start: 0, end: 0 };
        let mut order = Order::default();
        let found = steps.iter().find_map(|&step| order.take(step, span).err());
        assert_eq!(found.map(|error| error.tag), expect, "{steps:?}");
    }

    #[test]
    fn every_pair() {
        use Step::{Aggregation, Commit, Free, Speculate};
        for (first, second, expect) in [
            (TRACE, Commit, Some(Tag::CommDrec)),
            (EXIT, Commit, Some(Tag::CommDrec)),
            (Aggregation, Commit, Some(Tag::CommDrec)),
            (TRACE, Speculate, Some(Tag::SpecDrec)),
            (Aggregation, Speculate, Some(Tag::SpecDrec)),
            (Speculate, Speculate, Some(Tag::SpecSpec)),
            (Commit, Speculate, Some(Tag::SpecComm)),
            (Commit, TRACE, Some(Tag::DrecComm)),
            (Commit, EXIT, Some(Tag::DrecComm)),
            (Commit, Aggregation, Some(Tag::AggComm)),
            (Speculate, Aggregation, Some(Tag::AggSpec)),
            (Speculate, RAISE, Some(Tag::ActSpec)),
            (Speculate, EXIT, Some(Tag::ExitSpec)),
            (Speculate, TRACE, None),
            (Speculate, Commit, None),
            (Commit, Commit, None),
            (Free, Commit, None),
            (Commit, Free, None),
            (RAISE, TRACE, None),
            (Aggregation, TRACE, None),
        ] {
            check(&[first, second], expect);
        }
        check(&[Speculate, TRACE, Commit], Some(Tag::CommDrec));
        check(&[Speculate, Free, TRACE, Speculate], Some(Tag::SpecSpec));
    }
}
