//! What clauses of one firing recorded, in order: rows of action statements with their values, in flat buffers that are
//! used again for the next firing. The engines append, the consumer prints; nothing is interpreted here.

use dtrail_lang::ir::{RegKind, SiteId, ValueType};

use crate::value::ValueRef;

/// The NULL of a string word.
const NULL: u64 = u64::MAX;

/// Rows of one or more firings. A row is what one clause recorded; it is begun, filled, and committed or dropped.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// One for each action that ran.
    actions: Vec<Action>,
    /// Integers; for strings offset << 32 | length in `bytes`, or [`NULL`].
    words: Vec<u64>,
    bytes: Vec<u8>,
    /// Lengths of the three at the last commit: where the open row starts.
    committed: (usize, usize, usize),
}

#[derive(Clone, Copy, Debug)]
struct Action {
    site: SiteId,
    words: u32,
}

/// Marks a place between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    first: usize,
    end: usize,
}

impl Row {
    /// The indices of its actions, for [`Records::get`].
    pub fn indices(self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

impl Records {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.words.clear();
        self.bytes.clear();
        self.committed = (0, 0, 0);
    }

    /// Begins an action of the open row; its values follow.
    pub fn action(&mut self, site: SiteId) {
        self.actions.push(Action { site, words: self.words.len() as u32 });
    }

    /// Appends an integer to the open action.
    pub fn int(&mut self, value: i64) {
        self.words.push(value as u64);
    }

    /// Appends a string to the open action.
    pub fn string(&mut self, value: Option<&[u8]>) {
        let word = match value {
            Some(bytes) => {
                let offset = self.bytes.len() as u64;
                self.bytes.extend_from_slice(bytes);
                offset << 32 | bytes.len() as u64
            }
            None => NULL,
        };
        self.words.push(word);
    }

    /// Ends the open row and keeps it; `None` if nothing was recorded.
    pub fn commit(&mut self) -> Option<Row> {
        let (first, ..) = self.committed;
        let end = self.actions.len();
        self.committed = (end, self.words.len(), self.bytes.len());
        (end > first).then_some(Row { first, end })
    }

    /// The statements of the open row.
    pub fn open(&self) -> impl Iterator<Item = SiteId> {
        self.actions.iter().skip(self.committed.0).map(|action| action.site)
    }

    /// Drops the open row.
    pub fn rollback(&mut self) {
        let (actions, words, bytes) = self.committed;
        self.actions.truncate(actions);
        self.words.truncate(words);
        self.bytes.truncate(bytes);
    }

    /// Appends a row of other records as a row of its own; `types` gives the types of a statement's values.
    pub fn append<'t>(
        &mut self,
        from: &Records,
        row: Row,
        types: impl Fn(SiteId) -> &'t [ValueType],
    ) -> Option<Row> {
        for (site, first) in from.actions(row) {
            self.action(site);
            for (ty, index) in types(site).iter().zip(first..) {
                match from.value(index, ty.reg_kind()) {
                    ValueRef::Int(value) => self.int(value),
                    ValueRef::Str(value) => self.string(value),
                }
            }
        }
        self.commit()
    }

    /// The actions of a row: statement, and index for [`Records::value`].
    pub fn actions(&self, row: Row) -> impl Iterator<Item = (SiteId, usize)> {
        row.indices().filter_map(|index| self.get(index))
    }

    /// One action by its index, of those that [`Row::indices`] gives.
    pub fn get(&self, index: usize) -> Option<(SiteId, usize)> {
        self.actions.get(index).map(|action| (action.site, action.words as usize))
    }

    /// A value of an action: `index` is the action's plus the argument's.
    pub fn value(&self, index: usize, kind: RegKind) -> ValueRef<'_> {
        let word = self.words.get(index).copied().unwrap_or(NULL);
        match kind {
            RegKind::Int => ValueRef::Int(word as i64),
            RegKind::Str if word == NULL => ValueRef::Str(None),
            RegKind::Str => {
                let start = (word >> 32) as usize;
                let end = start + (word & 0xffff_ffff) as usize;
                ValueRef::Str(self.bytes.get(start..end))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_or_dropped_whole() {
        let mut records = Records::default();
        records.action(SiteId(4));
        records.int(-3);
        records.string(Some(b"ab"));
        records.string(None);
        records.action(SiteId(5));
        let first = records.commit().expect("two actions");
        records.action(SiteId(6));
        records.string(Some(b"lost"));
        records.rollback();
        assert_eq!(records.commit(), None);
        records.action(SiteId(7));
        records.string(Some(b""));
        let second = records.commit().expect("one action");

        assert_eq!(records.actions(first).collect::<Vec<_>>(), [(SiteId(4), 0), (SiteId(5), 3)]);
        assert_eq!(records.value(0, RegKind::Int), ValueRef::Int(-3));
        assert_eq!(records.value(1, RegKind::Str), ValueRef::Str(Some(b"ab")));
        assert_eq!(records.value(2, RegKind::Str), ValueRef::Str(None));
        assert_eq!(records.actions(second).collect::<Vec<_>>(), [(SiteId(7), 3)]);
        assert_eq!(records.value(3, RegKind::Str), ValueRef::Str(Some(b"")));
    }
}
