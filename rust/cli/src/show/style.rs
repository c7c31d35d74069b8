//! Colours, where the output is a terminal.

use console::Style as Colours;

/// How the parts of a line look. Plain where the output is no terminal, or `NO_COLOR` is set.
pub struct Style {
    /// What is rarely looked for.
    pub faint: Colours,
    /// The line above a value.
    pub head: Colours,
    /// A key, an index or the name of a property.
    pub way: Colours,
    /// The name of a type.
    pub name: Colours,
}

impl Style {
    pub fn new() -> Self {
        let plain = Colours::new();
        Self { faint: plain.clone().dim(), head: plain.clone().bold(), way: plain.clone().cyan(), name: plain.green() }
    }
}
