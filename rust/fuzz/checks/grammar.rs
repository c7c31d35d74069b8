//! What may follow what in a value, told by its events alone.

use varbatch_codec::{Event, Path, Step};

/// What has to come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    Value,
    /// A text of the value at hand.
    Text,
    /// The name of a property.
    Name,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Array,
    Dictionary,
    Object,
}

/// A container with something still to come.
#[derive(Clone, Copy, Debug)]
struct Open {
    form: Form,
    /// Values that have come. Of a dictionary, keys and values count.
    seen: usize,
    count: usize,
    /// Whether its values have no headers.
    bare: bool,
}

/// Follows the events of one value.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    open: Vec<Open>,
    texts: usize,
    named: bool,
    ended: bool,
}

impl Grammar {
    pub fn due(&self) -> Due {
        match self.open.last() {
            _ if self.texts > 0 => Due::Text,
            _ if self.ended => Due::Nothing,
            Some(top) if top.form == Form::Object && !self.named => Due::Name,
            _ => Due::Value,
        }
    }

    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether a value without a header is due.
    pub fn is_bare(&self) -> bool {
        self.due() == Due::Value && self.open.last().is_some_and(|top| top.bare)
    }

    /// As [`Self::take`]. `bare` says of an array that its elements have no headers.
    ///
    /// # Panics
    /// If the event was not due.
    pub fn take_of(&mut self, event: &Event<'_>, bare: bool) {
        let (of_bare, is_vector) = (self.is_bare(), matches!(event, Event::Components(_)));
        assert!(is_vector || !of_bare, "{event:?} among vectors without headers");
        self.take(event);
        if let Some(top) = self.open.last_mut().filter(|top| bare && top.seen == 0 && top.form == Form::Array) {
            top.bare = true;
        }
    }

    /// Goes on by one event.
    ///
    /// # Panics
    /// If it was not due.
    pub fn take(&mut self, event: &Event<'_>) {
        let due = self.due();
        let is_text = matches!(event, Event::Text(_));
        assert_eq!(is_text, matches!(due, Due::Text | Due::Name), "{event:?} where {due:?} is due");
        let (form, count) = match *event {
            Event::Text(_) if due == Due::Name => return self.named = true,
            Event::Text(_) => {
                self.texts -= 1;
                return self.end_of_texts();
            }
            Event::PackedStrings { count } => {
                self.texts = count;
                return self.end_of_texts();
            }
            Event::NodePath { names, subnames, .. } => {
                self.texts = names + subnames;
                return self.end_of_texts();
            }
            Event::Array { count, .. } => (Form::Array, count),
            Event::Dictionary { count, .. } => (Form::Dictionary, 2 * count),
            Event::Object { count, .. } => (Form::Object, count),
            _ => return self.end_of_value(),
        };
        assert_ne!(due, Due::Nothing, "{event:?} behind the end");
        self.named = false;
        if count == 0 { self.end_of_value() } else { self.open.push(Open { form, seen: 0, count, bare: false }) }
    }

    /// Whether `path` is the way to what comes next. The names of keys and properties are not looked at.
    pub fn is_at(&self, path: &Path) -> bool {
        // A name belongs to the object, not to the value behind it.
        let shown = self.open.len() - usize::from(self.due() == Due::Name);
        let fits = |(open, step): (&Open, &Step)| match open.form {
            Form::Array => *step == Step::Index(open.seen),
            Form::Dictionary if open.seen.is_multiple_of(2) => *step == Step::KeyOf(open.seen / 2),
            Form::Dictionary => matches!(step, Step::Key(_)),
            Form::Object => matches!(step, Step::Property(_)),
        };
        path.steps().len() == shown && self.open.iter().zip(path.steps()).all(fits)
    }

    fn end_of_texts(&mut self) {
        if self.texts == 0 {
            self.end_of_value();
        }
    }

    fn end_of_value(&mut self) {
        self.named = false;
        while let Some(top) = self.open.last_mut() {
            top.seen += 1;
            if top.seen < top.count {
                return;
            }
            self.open.pop();
        }
        self.ended = true;
    }
}
