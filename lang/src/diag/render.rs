//! Diagnostics as text: DTrace's own one-line form, and the long form with the source line and a caret.
