//! Colours, where the output is a terminal.

use console::Style as Colours;

/// How the parts of a line look. Plain where the output is no terminal, or `NO_COLOR` is set.
pub struct Style {
    faint: Colours,
    head: Colours,
    way: Colours,
    name: Colours,
}

impl Style {
    pub fn new() -> Self {
        let plain = Colours::new();
        Self { faint: plain.clone().dim(), head: plain.clone().bold(), way: plain.clone().cyan(), name: plain.green() }
    }

    /// What is looked for seldom.
    pub fn faint(&self, text: &str) -> String {
        self.faint.apply_to(text).to_string()
    }

    /// The line above a value.
    pub fn head(&self, text: &str) -> String {
        self.head.apply_to(text).to_string()
    }

    /// What leads to a value.
    pub fn way(&self, text: &str) -> String {
        self.way.apply_to(text).to_string()
    }

    /// The name of a type.
    pub fn name(&self, text: &str) -> String {
        self.name.apply_to(text).to_string()
    }
}
