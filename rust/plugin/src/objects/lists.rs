//! The lists of properties that objects store, for full objects, captures and recorders.
//!
//! To ask an object for its list takes several times as long as to encode it. So a list is kept with all that it
//! depends on, where that is known: see [`constant`]. Whether a script is still the same is seen by its source.

use std::sync::{Arc, Mutex, OnceLock};

use foldhash::{HashMap, HashSet};
use godot::classes::{ClassDb, Engine, Os, Script};
use godot::init::is_main_thread;
use godot::prelude::*;
use varbatch_codec::Kind;

use super::constant::{self, Switch};
use super::listed::{ListKey, Listed, SCRIPT, distinct, makes_list, needs_arguments};
use super::path::PropertyPath;
use super::properties::Names;
use crate::engine::{self, Reference, Slot, THEME_ITEMS, Value};
use crate::jobs::lock;

const MAX_KEPT: usize = 1000;

/// The stored properties of an object, in the order of the engine.
pub struct List {
    pub class: String,
    pub names: Vec<StringName>,
    pub texts: Vec<String>,
    /// The path that is written as the script.
    pub script: Option<String>,
    /// True if the engine cannot make an object of the class, or if the script has no path in `res://`.
    pub is_refused: bool,
    key: ListKey,
    listed: Listed,
    /// What its class declares, if what the object itself lists depends on its values.
    declared: Option<Arc<Declared>>,
    /// In debug builds: the public variables of the script that are not stored.
    not_exported: Vec<String>,
    /// In debug builds: true if objects with the script cannot be loaded, as its `_init` needs arguments.
    pub needs_arguments: bool,
    recorded: OnceLock<Recorded>,
}

/// What an edit may change of an object.
struct Recorded {
    names: Arc<Names>,
    /// The same names.
    texts: HashSet<String>,
    /// Those that a scene does not store of this object, but of others.
    not_stored: HashSet<PropertyPath>,
}

/// What a class lists of all its objects.
struct Declared {
    names: HashSet<StringName>,
    stored: Vec<StringName>,
}

struct Kept {
    /// The values of the properties on which the list depends.
    switches: Vec<i64>,
    list: Arc<List>,
    source: Source,
    /// True if the source was compared in this call.
    is_checked: bool,
}

/// The source of a script and of those that it extends, and its path. That of an inner class is empty.
type Source = Vec<Reference<GString>>;

struct Native {
    switches: Vec<Switch>,
    /// A Control's theme items, each a place in [`THEME_ITEMS`] and a name. It stores exactly those that it overrides.
    overrides: Vec<(usize, StringName)>,
}

#[derive(Default)]
pub struct Lists {
    /// The most recently used one first.
    kept: Vec<Kept>,
    /// What the lists of native classes depend on; `None` if that is not known.
    native: HashMap<StringName, Option<Arc<Native>>>,
    /// The last list of each class of which that is not known: the next object often stores the same.
    asked: HashMap<StringName, Arc<List>>,
    declared: HashMap<StringName, Arc<Declared>>,
}

static LISTS: Mutex<Option<Lists>> = Mutex::new(None);

/// The scripts of which a save has told what it leaves out.
static TOLD: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// Max variables that are named.
const MAX_NAMED: usize = 8;

impl Lists {
    /// Takes the lists of earlier calls. A call that a script makes meanwhile has none.
    pub fn take() -> Self {
        let mut lists = lock(&LISTS).take().unwrap_or_default();
        lists.kept.iter_mut().for_each(|kept| kept.is_checked = false);
        lists
    }

    pub fn forget() {
        lock(&LISTS).take();
    }

    pub fn give_back(self) {
        *lock(&LISTS) = Some(self);
    }

    /// Returns the list of an object, and whether a script may run when its properties are read. One may run here too.
    pub fn of(&mut self, object: &Value) -> (Arc<List>, bool) {
        self.of_some(object, false)
    }

    /// Returns the list of an object that an edit may change.
    pub fn of_edited(&mut self, object: &Value) -> Arc<List> {
        self.of_some(object, true).0
    }

    fn of_some(&mut self, object: &Value, is_edited: bool) -> (Arc<List>, bool) {
        let key = ListKey::of(object);
        let switches = self.native(&key, object).and_then(|native| native.values_of(object));
        let Some(switches) = switches else {
            let is_short = key.script == 0 && !is_edited;
            let listed = if is_short { Listed::stored_by(object) } else { Listed::of(object) };
            let last =
                self.asked.get(&key.class).filter(|list| key.script == 0 && list.key == key && list.listed == listed);
            let list = match last {
                Some(list) => Arc::clone(list),
                None => {
                    let declared = (is_edited && !makes_list(object)).then(|| self.declared(&key.class));
                    List::of(object, key, listed, declared)
                }
            };
            self.asked.insert(list.key.class.clone(), Arc::clone(&list));
            return (list, true);
        };
        if let Some(index) = self.kept.iter().position(|kept| kept.list.key == key && kept.switches == switches) {
            self.kept[..=index].rotate_right(1);
            let kept = &mut self.kept[0];
            let is_same = |source: Source| {
                let texts = || source.iter().map(Reference::get);
                texts().eq(kept.source.iter().map(Reference::get)) && !texts().any(|text| text.is_empty())
            };
            if kept.is_checked || key.script == 0 || source_of(object).is_some_and(is_same) {
                kept.is_checked = true;
                return (Arc::clone(&kept.list), key.script != 0);
            }
            self.kept.remove(0);
        }
        let may_run = key.script != 0;
        let source = if may_run { source_of(object) } else { Some(Source::new()) };
        let list = List::of(object, key, Listed::of(object), None);
        if let Some(source) = source {
            self.kept.truncate(MAX_KEPT - 1);
            self.kept.insert(0, Kept { switches, list: Arc::clone(&list), source, is_checked: true });
        }
        (list, may_run)
    }

    fn declared(&mut self, class: &StringName) -> Arc<Declared> {
        let declare = || {
            let listed = Listed::of_class(class);
            Arc::new(Declared { names: listed.all().map(|(name, _)| name).collect(), stored: listed.stored() })
        };
        Arc::clone(self.declared.entry(class.clone()).or_insert_with(declare))
    }

    fn native(&mut self, key: &ListKey, object: &Value) -> Option<Arc<Native>> {
        if let Some(known) = self.native.get(&key.class) {
            return known.clone();
        }
        let switches = constant::switches(&key.class);
        let is_control = switches.is_some() && ClassDb::singleton().is_parent_class(&key.class, "Control");
        // A script that changes the list could hide what there is.
        if is_control && key.script != 0 && source_of(object).is_none() {
            return None;
        }
        let overrides = if is_control { overridable(object)? } else { Vec::new() };
        let known = switches.map(|switches| Arc::new(Native { switches, overrides }));
        self.native.insert(key.class.clone(), known.clone());
        known
    }
}

impl Native {
    /// Returns the values of an object's switches and its overrides, or `None` if its list is not known.
    fn values_of(&self, object: &Value) -> Option<Vec<i64>> {
        let mut values = Vec::with_capacity(self.switches.len());
        for switch in &self.switches {
            let found = match switch {
                Switch::Value(name) | Switch::Empty(name) => engine::property(object, name)?,
                Switch::Setting(name) => {
                    let settings = Engine::singleton().get_singleton("ProjectSettings");
                    let mut settings = settings.expect("the engine has it");
                    Slot::from(settings.call("get_setting_with_override", &[name.to_variant()]))
                }
            };
            let view = found.value().view();
            match (view.kind(), switch) {
                (_, Switch::Empty(_)) if !found.value().variant().booleanize() || is_plain(found.value()) => {}
                (_, Switch::Empty(_)) => return None,
                (Kind::Int, _) => values.push(view.int()),
                (Kind::Bool, _) => values.push(view.bool().into()),
                (Kind::Color, _) => {
                    let parts = view.plain().bytes.chunks_exact(4);
                    values.extend(parts.map(|part| i64::from(i32::from_le_bytes(part.try_into().expect("4 bytes")))));
                }
                _ => return None,
            }
        }
        if !self.overrides.is_empty() {
            // A Control lists them on the main thread only.
            values.append(&mut is_main_thread().then(|| engine::theme_overrides(object, &self.overrides))?);
        }
        Some(values)
    }
}

/// Asks a Control which items of the theme those of its class can override. `None` on other threads. Its script may run.
fn overridable(object: &Value) -> Option<Vec<(usize, StringName)>> {
    let item = |(name, _): (StringName, bool)| {
        let text = name.to_string();
        let (group, item) = text.split_once('/')?;
        Some((THEME_ITEMS.iter().position(|(known, _)| *known == group)?, item.into()))
    };
    is_main_thread().then(|| Listed::of(object).all().filter_map(item).collect())
}

/// True for an object that adds nothing to the list of one that holds it: an AudioStream without parameters.
fn is_plain(object: &Value) -> bool {
    engine::script_id(object) == 0 && engine::class_of(object) == "AudioStreamWAV"
}

/// Returns the source of an object's script, or `None` if the object's list may depend on something else.
fn source_of(object: &Value) -> Option<Source> {
    if makes_list(object) {
        return None;
    }
    let script = engine::script_of(object).try_to::<Gd<Script>>().ok()?;
    // In the editor, objects of scripts that are no tools keep lists of their own.
    if script.get_class() != "GDScript" || Engine::singleton().is_editor_hint() && !script.is_tool() {
        return None;
    }
    let path = script.get_path();
    let scripts = std::iter::successors(Some(script), |script| script.get_base_script());
    Some(scripts.map(|script| script.get_source_code()).chain([path]).map(Reference::new).collect())
}

impl List {
    /// Makes the list of an object of what it has listed.
    fn of(object: &Value, key: ListKey, listed: Listed, declared: Option<Arc<Declared>>) -> Arc<Self> {
        let class = engine::class_of(object).to_string();
        let mut is_refused = !engine::can_instantiate(&StringName::from(&class));
        let names = listed.written();
        let texts: Vec<_> = names.iter().map(ToString::to_string).collect();
        let script = engine::script_of(object).try_to::<Gd<Script>>().ok().map(|script| script.get_path().to_string());
        let is_foreign = script.as_ref().is_some_and(|path| !path.starts_with("res://"));
        is_refused |= is_foreign && texts.iter().any(|text| text == SCRIPT);
        let is_debug = key.script != 0 && Os::singleton().is_debug_build();
        let not_exported = if is_debug { listed.not_exported() } else { Vec::new() };
        let (needs_arguments, recorded) = (is_debug && needs_arguments(object), OnceLock::new());
        Arc::new(Self {
            class,
            names,
            texts,
            script,
            is_refused,
            key,
            listed,
            declared,
            not_exported,
            needs_arguments,
            recorded,
        })
    }

    fn recorded_names(&self) -> &Recorded {
        self.recorded.get_or_init(|| {
            let stored = self.listed.stored();
            let class = || Listed::of_class(&self.key.class).stored();
            let class = self.declared.as_ref().map_or_else(class, |declared| declared.stored.clone());
            let all = distinct(stored.iter().cloned().chain(self.at_times()).chain(class));
            let names = Names::from(all);
            let not_stored = names.paths[stored.len()..].iter().cloned().collect();
            Recorded { texts: names.texts.iter().cloned().collect(), names: Arc::new(names), not_stored }
        })
    }

    /// Returns what the object lists, and stores only while it has no default. Known classes have none, and what a script lists for
    /// the editor may be what it does.
    fn at_times(&self) -> Vec<StringName> {
        let Some(declared) = &self.declared else { return Vec::new() };
        self.listed.stored_at_times(&declared.names)
    }

    /// Returns what a capture has of the object: all that is written or was so at times, but the script.
    pub fn captured(&self) -> Vec<StringName> {
        let names = self.names.iter().zip(&self.texts).filter(|(_, text)| *text != SCRIPT);
        names.map(|(name, _)| name.clone()).chain(self.at_times()).collect()
    }

    /// Returns what an edit may change: what a scene stores of the object, then what it does not store of this object: what has
    /// its default, as the text of an item; or what the class stores of other objects.
    pub fn recorded(&self) -> &Arc<Names> {
        &self.recorded_names().names
    }

    /// True if an edit may change a property.
    pub fn records(&self, text: &str) -> bool {
        self.recorded_names().texts.contains(text)
    }

    /// Returns what an edit may change, and the script before it.
    pub fn complete(&self) -> Arc<Names> {
        let mut names = (**self.recorded()).clone();
        names.paths.insert(0, StringName::from(SCRIPT).into());
        names.texts.insert(0, SCRIPT.into());
        Arc::new(names)
    }

    /// True if a save leaves out variables of the script, and none has told so.
    pub fn has_untold(&self) -> bool {
        !self.not_exported.is_empty() && !lock(&TOLD).get_or_insert_default().contains(&self.key.script)
    }

    /// Returns what [`Self::has_untold`] means, once for each script.
    pub fn tell(&self) -> Option<String> {
        let is_new = !self.not_exported.is_empty() && lock(&TOLD).get_or_insert_default().insert(self.key.script);
        let (named, more) = self.not_exported.split_at(MAX_NAMED.min(self.not_exported.len()));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        is_new.then(|| format!("{}{more} of {}", named.join(", "), self.script.as_deref().unwrap_or_default()))
    }

    /// True if a scene stores a property of this object, not only of others, or it is the script.
    pub fn stores(&self, property: &PropertyPath, text: &str) -> bool {
        text == SCRIPT || self.records(text) && !self.recorded_names().not_stored.contains(property)
    }

    /// Returns how the list of an object changed to another one, or `None` if an edit of values explains it.
    pub fn difference(&self, now: &Self) -> Option<String> {
        if now.key.script != self.key.script {
            return Some("its script changed".into());
        }
        if now.key.metadata != self.key.metadata {
            return Some("its metadata changed".into());
        }
        // The class declares some that it stores or not.
        let only = |of: &Self, other: &Self| {
            let (recorded, stored) = (&of.recorded_names().names, of.listed.stored().len());
            recorded.texts[..stored].iter().find(|name| !other.records(name)).cloned()
        };
        let gone = only(self, now).map(|name| format!("its property \"{name}\" is gone"));
        gone.or_else(|| only(now, self).map(|name| format!("its property \"{name}\" is new")))
    }
}
