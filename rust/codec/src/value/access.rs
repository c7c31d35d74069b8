//! Looks into values.

use std::ops::Index;

use super::{OwnedValue, Real};

impl<R: Real> OwnedValue<R> {
    /// Returns a `bool`.
    pub fn as_bool(&self) -> Option<bool> {
        bool::try_from(self).ok()
    }

    /// Returns an `int`.
    pub fn as_i64(&self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    /// Returns a `float`, or an `int` as the engine converts it.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the text of a `String` or a `StringName`.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) | Self::StringName(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of an `Array`.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array { elements, .. } = self { Some(elements) } else { None }
    }

    /// Returns the keys and values of a `Dictionary`, in their order.
    pub fn as_dictionary(&self) -> Option<&[(Self, Self)]> {
        if let Self::Dictionary { entries, .. } = self { Some(entries) } else { None }
    }

    /// Returns the value of a key that is this `String` or `StringName`, if this is a `Dictionary` that has it. Of
    /// several, returns the last, as the engine does. Takes time proportional to the number of entries.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let entry = self.as_dictionary()?.iter().rev().find(|(found, _)| found.as_str() == Some(key));
        entry.map(|(_, value)| value)
    }
}

/// The value of [`OwnedValue::get`], or `Nil`.
impl<R: Real> Index<&str> for OwnedValue<R> {
    type Output = Self;

    fn index(&self, key: &str) -> &Self {
        self.get(key).unwrap_or(const { &Self::Nil })
    }
}

/// The element of an `Array`, or `Nil`.
impl<R: Real> Index<usize> for OwnedValue<R> {
    type Output = Self;

    fn index(&self, index: usize) -> &Self {
        self.as_array().and_then(|elements| elements.get(index)).unwrap_or(const { &Self::Nil })
    }
}
