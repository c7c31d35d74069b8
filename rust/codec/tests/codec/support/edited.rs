//! Values without proptest, fast enough for many of them, and what somebody may make of one: a seed is a pair of states.

use varbatch_codec::{Kind, Shape, Width};

use super::random::Random;
use super::value::{Chars, Value, chars};

/// Any value, up to `depth` containers deep. Keys of a Dictionary and names of properties are all different.
pub fn any(random: &mut Random, depth: usize) -> Value {
    let count = random.below(6);
    match random.below(if depth == 0 { 9 } else { 14 }) {
        0 => Value::Nil,
        1 => Value::Bool(random.percent(50)),
        2 | 3 => Value::Int(number(random)),
        4 => Value::Float(random.below(100) as f64 / 4.0),
        5 => Value::String(text(random)),
        6 => plain(random, false),
        7 => plain(random, true),
        8 => rare(random),
        9 => {
            let properties = (0..count).map(|at| (chars(&format!("property_{at}")), any(random, depth - 1)));
            Value::Object { class: chars("Node"), properties: properties.collect() }
        }
        10 | 11 => Value::array((0..random.below(12)).map(|_| any(random, depth - 1)).collect()),
        _ => Value::dictionary((0..count).map(|at| (key(random, at), any(random, depth - 1))).collect()),
    }
}

/// The same value after one edit or more, at random places.
pub fn edited(random: &mut Random, value: &Value) -> Value {
    let mut value = value.clone();
    for _ in 0..=random.below(4) {
        edit(random, &mut value);
    }
    value
}

fn edit(random: &mut Random, value: &mut Value) {
    if random.percent(4) {
        *value = any(random, 2);
        return;
    }
    match value {
        Value::Array { elements, .. } => edit_list(random, elements, |random| any(random, 1), edit),
        Value::Dictionary { entries, .. } => {
            let new = |random: &mut Random| (key(random, 1000), any(random, 1));
            edit_list(random, entries, new, |random, entry| edit(random, &mut entry.1));
            distinct(entries);
        }
        Value::Object { properties, .. } if !properties.is_empty() => {
            let at = random.below(properties.len());
            edit(random, &mut properties[at].1);
        }
        Value::Texts(texts) => edit_list(random, texts, text, |random, old| *old = text(random)),
        Value::Plain { kind, width, count, bytes } if matches!(kind.shape(), Shape::Packed { .. }) => {
            let size = kind.shape().element_len(*width).expect("plain data");
            let mut elements: Vec<_> = bytes.chunks(size).map(<[u8]>::to_vec).collect();
            let change = |random: &mut Random, element: &mut Vec<u8>| {
                let at = random.below(element.len());
                element[at] ^= random.next() as u8;
            };
            edit_list(random, &mut elements, |random| random.bytes(size), change);
            *count = elements.len();
            *bytes = elements.concat();
        }
        Value::Int(number) => *number = number.wrapping_add(random.below(3) as i64),
        other => *other = any(random, 1),
    }
}

/// What programs do with lists: change, insert, remove, swap, queue, sort.
fn edit_list<T: Clone>(
    random: &mut Random,
    list: &mut Vec<T>,
    mut new: impl FnMut(&mut Random) -> T,
    mut change: impl FnMut(&mut Random, &mut T),
) {
    let len = list.len();
    match random.below(9) {
        0..=2 if len > 0 => {
            let at = random.below(len);
            change(random, &mut list[at]);
        }
        3 if len > 0 => _ = list.remove(random.below(len)),
        4 if len > 1 => list.swap(random.below(len), random.below(len)),
        5 if len > 1 => {
            list.remove(0);
            list.push(new(random));
        }
        6 if len > 0 => list.rotate_left(random.below(len)),
        7 if len > 0 => {
            for element in &mut *list {
                change(random, element);
            }
            list.truncate(len - random.below(2));
        }
        _ => list.insert(random.below(len + 1), new(random)),
    }
}

/// Keys as the engine has them: none twice.
fn distinct(entries: &mut Vec<(Value, Value)>) {
    let mut seen = Vec::new();
    entries.retain(|(key, _)| {
        let key = super::naive::value(key);
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
}

fn number(random: &mut Random) -> i64 {
    let most = random.pick(&[4, 1000, usize::MAX]);
    random.below(most) as i64 - 2
}

fn text(random: &mut Random) -> Chars {
    let len = random.pick(&[0, 1, 3, 4, 9, 80]);
    (0..len).map(|_| random.pick(&[97, 98, 0xe9, 0x20ac, 0x1f600])).collect()
}

fn key(random: &mut Random, at: usize) -> Value {
    match random.below(6) {
        0 => Value::Int(1_000_000 + at as i64),
        1 => Value::name(&format!("name{at}")),
        2 => Value::array(vec![Value::Int(at as i64)]),
        _ => Value::string(&format!("key{at}")),
    }
}

fn plain(random: &mut Random, is_packed: bool) -> Value {
    let fits = |kind: &Kind| match kind.shape() {
        Shape::Packed { .. } => is_packed,
        Shape::Components { .. } => !is_packed,
        _ => false,
    };
    let kinds: Vec<_> = Kind::ALL.into_iter().filter(fits).collect();
    let kind = random.pick(&kinds);
    let count = if is_packed { random.pick(&[0, 1, 3, 9, 60, 300]) } else { 1 };
    let len = count * kind.shape().element_len(Width::Single).expect("plain data");
    // Small alphabets, so that elements are the same by chance.
    Value::plain(kind, Width::Single, random.bytes(len).into_iter().map(|byte| byte % 3).collect())
}

fn rare(random: &mut Random) -> Value {
    match random.below(7) {
        0 => Value::StringName(text(random)),
        1 => Value::NodePath { names: vec![text(random), text(random)], subnames: vec![text(random)], absolute: true },
        2 => Value::Rid(random.next()),
        3 => Value::Callable,
        4 => Value::Signal { name: text(random), object: random.next() },
        5 => Value::ObjectId(random.next() | 1),
        _ => Value::Texts((0..random.below(9)).map(|_| text(random)).collect()),
    }
}
