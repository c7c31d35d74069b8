//! The objects of a state, and which of their properties are captured.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use foldhash::{HashMap, HashSet};
use godot::builtin::{AnyArray, PackedByteArray, PackedStringArray, StringName, VarArray};
use varbatch_codec::{Kind, Plain};

use super::settle::Place;
use crate::engine::{self, Slot, Value};
use crate::objects::{Lists, Names, PropertyPath, alive, moved_by, shown, told_by};
use crate::report::Reports;

/// Properties of an object that were added together.
pub struct Member {
    /// Keeps a RefCounted alive.
    pub object: Slot,
    pub id: u64,
    pub class: StringName,
    pub paths: Arc<[PropertyPath]>,
    setters: Arc<Setters>,
}

/// What is known of the setters of a member's properties.
struct Setters {
    /// True if they change nothing else, unless a script does.
    are_alone: bool,
    /// The signals that they emit.
    tells: Vec<(usize, StringName)>,
}

impl Member {
    pub fn place(&self, property: usize) -> Place<'_> {
        Place { object: self.object.value(), class: &self.class, id: self.id, path: &self.paths[property] }
    }

    /// True if what was set has the values that were set, and nothing else has changed, unless a setter was heard.
    pub fn is_settled(&self) -> bool {
        self.setters.are_alone && engine::script_id(self.object.value()) == 0
    }

    /// True if the setter of a property emits a signal to which somebody is connected.
    pub fn is_heard(&self, property: usize) -> bool {
        let is_heard = |signal: &StringName| engine::is_heard(self.object.value(), signal);
        self.setters.tells.iter().any(|(telling, signal)| *telling == property && is_heard(signal))
    }
}

/// The members of a state, in the order of adding. A call that is going on keeps those that there were.
#[derive(Clone, Default)]
pub struct Members {
    /// By the number of their first property.
    pub list: BTreeMap<u64, Arc<Member>>,
    /// The number of all properties: of the values in a capture.
    pub count: usize,
    /// The number of the next property that is added. None is used twice, so that captures tell what they are of.
    next: u64,
    objects: HashMap<u64, Known>,
}

/// The members of one object, by their numbers.
#[derive(Clone, Default)]
struct Known {
    numbers: Vec<u64>,
    /// The paths of all, once there are several.
    paths: HashSet<PropertyPath>,
}

/// A member, and which of its properties.
pub type Spot<'m> = (&'m Member, usize);

/// The numbers of the values in a capture, ascending.
pub type Numbers = Vec<Range<u64>>;

impl Members {
    /// Returns, for each value of a capture with these numbers, the property that it is of, if that is still there.
    pub fn places(&self, numbers: Numbers) -> impl Iterator<Item = Option<Spot<'_>>> {
        let mut list = self.list.iter().map(|(&first, member)| (first, &**member)).peekable();
        numbers.into_iter().flatten().map(move |number| {
            while list.next_if(|(first, member)| first + member.paths.len() as u64 <= number).is_some() {}
            let (first, member) = list.peek()?;
            Some((*member, usize::try_from(number.checked_sub(*first)?).ok()?))
        })
    }

    /// True if properties of an object were added at different times.
    pub fn are_apart(&self) -> bool {
        self.objects.len() < self.list.len()
    }

    pub fn objects(&self) -> VarArray {
        let mut known = HashSet::default();
        let new = self.list.values().filter(|member| known.insert(member.id));
        new.map(|member| member.object.value().variant().clone()).collect()
    }

    fn push(&mut self, mut member: Member) {
        let known = self.objects.entry(member.id).or_default();
        if let Some(first) = known.numbers.first() {
            if known.paths.is_empty() {
                known.paths.extend(self.list[first].paths.iter().cloned());
            }
            let new: Vec<_> = member.paths.iter().filter(|path| known.paths.insert((*path).clone())).cloned().collect();
            if new.len() < member.paths.len() {
                member.paths = new.into();
            }
        }
        if !member.paths.is_empty() {
            known.numbers.push(self.next);
            self.next += member.paths.len() as u64;
            self.count += member.paths.len();
            self.list.insert(self.next - member.paths.len() as u64, member.into());
        }
    }

    /// Removes the properties of an object, which may have been freed, and returns them.
    pub fn remove(&mut self, object: &Value) -> Vec<Arc<Member>> {
        let known = self.objects.remove(&engine::id_in(object)).unwrap_or_default();
        let gone: Vec<_> = known.numbers.iter().filter_map(|number| self.list.remove(number)).collect();
        self.count -= gone.iter().map(|member| member.paths.len()).sum::<usize>();
        gone
    }

    /// Removes all, and returns them.
    pub fn clear(&mut self) -> Self {
        std::mem::replace(self, Self { next: self.next, ..Self::default() })
    }
}

/// Returns the first value of a capture: for each run of numbers, how many are missing before it and its length, as LEB128.
pub fn bytes_of(numbers: &Numbers) -> PackedByteArray {
    let (mut bytes, mut end) = (Vec::new(), 0);
    for run in numbers {
        for mut number in [run.start - end, run.end - run.start] {
            while number > 0x7f {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
        }
        end = run.end;
    }
    bytes.into()
}

/// Reads what [`bytes_of`] returns for `count` values.
pub fn numbers_in(found: Plain<'_>, count: usize) -> Option<Numbers> {
    let mut bytes = Some(found.bytes).filter(|_| found.kind == Kind::PackedByteArray)?;
    let (mut numbers, mut end, mut sum) = (Numbers::new(), 0_u64, 0);
    while !bytes.is_empty() {
        let start = end.checked_add(leb128(&mut bytes)?)?;
        end = start.checked_add(leb128(&mut bytes)?)?;
        sum += end - start;
        numbers.push(start..end);
    }
    (sum == count as u64).then_some(numbers)
}

fn leb128(bytes: &mut &[u8]) -> Option<u64> {
    let len = 1 + bytes.iter().take(8).position(|byte| byte & 0x80 == 0)?;
    let number = bytes.split_off(..len)?;
    Some(number.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
}

/// Adds properties of objects; all that they store, if there are no names. Getters may run.
pub fn add(members: &Mutex<Arc<Members>>, objects: &AnyArray, names: &PackedStringArray) -> Reports {
    let names = Arc::new(names.into());
    let objects: Vec<_> = engine::values(objects).iter().map(Slot::of).collect();
    let is_batch = objects.len() > 1;
    let mut adding = Adding { names, lists: Lists::take(), last: None, reports: Reports::default() };
    let mut found = Vec::with_capacity(objects.len());
    for (index, object) in objects.into_iter().enumerate() {
        let named = if is_batch { format!("object {index}: ") } else { String::new() };
        match adding.member(object, |text| format!("{named}{text}"), index) {
            // Here, as its object may end, and its script run.
            Ok(member) if member.paths.is_empty() => drop(member),
            Ok(member) => found.push(member),
            Err(why) => adding.reports.push_error(index, || format!("{named}{why}")),
        }
    }
    adding.lists.give_back();
    let mut members = crate::jobs::lock(members);
    let members = Arc::make_mut(&mut members);
    found.into_iter().for_each(|member| members.push(member));
    adding.reports
}

struct Adding {
    /// The names that the caller gave. None for all stored properties.
    names: Arc<Names>,
    lists: Lists,
    /// The class and the paths of the last object, which others share.
    last: Option<(StringName, Arc<[PropertyPath]>, Arc<Setters>)>,
    reports: Reports,
}

impl Adding {
    /// Finds the properties of an object, or returns why it is not added. `named` begins the text of an error.
    fn member(&mut self, object: Slot, named: impl Fn(String) -> String, index: usize) -> Result<Member, String> {
        let id = alive(object.value()).map_err(|found| format!("expected an object, found {found}"))?;
        let class = engine::class_name(object.value());
        let (paths, missing) = match self.names.texts.is_empty() {
            true => {
                let names = self.lists.of_edited(object.value()).captured();
                (names.into_iter().map(Into::into).collect(), Vec::new())
            }
            false => {
                let (names, missing) = Names::find(&self.names, object.value(), &mut Vec::new());
                (names.paths.clone(), missing)
            }
        };
        let shown = || shown(object.value(), &class, id);
        if object.value().object_id() == 0 {
            return Err(format!("{} was freed by one of its getters", shown()));
        }
        for name in missing {
            self.reports.push_error(index, || named(format!("{} has no property \"{name}\"", shown())));
        }
        let (_, paths, setters) = match &self.last {
            Some(last) if last.0 == class && *last.1 == *paths => last,
            _ => {
                let names: Vec<_> = paths.iter().map(|path| path.name.to_string()).collect();
                let names = || names.iter().map(String::as_str);
                let are_alone = moved_by(&class, names()).is_some_and(|[moved, _]| moved.is_empty());
                let setters = Setters { are_alone, tells: told_by(&class, names()) };
                self.last.insert((class.clone(), paths.into(), setters.into()))
            }
        };
        Ok(Member { object, id, class, paths: Arc::clone(paths), setters: Arc::clone(setters) })
    }
}
