//! Stores, which hold many values by key: their rows as values of a file, and how they are converted.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::lookup::lookup;
use varbatch_codec::{PathStep, Reader, validate};
use varbatch_storage::{Saver, words};
use varbatch_store::{Packed, Rescue, Store, StoreError};

use crate::args::{Convert, DialectName, Format};
use crate::convert::Converted;
use crate::input::{Failure, Input, STANDARD};
use crate::output::say;
use crate::path::Wanted;
use crate::source::{Buffer, Buffers, read};

/// How an Array of two values begins, and a Dictionary of one entry.
const PAIR: [u8; 8] = [28, 0, 0, 0, 2, 0, 0, 0];
const ENTRY: [u8; 8] = [27, 0, 0, 0, 1, 0, 0, 0];

/// The rows of a store, by the bytes of their keys.
pub struct Rows {
    store: Rescue,
    next: usize,
    /// The value that was read last, or why none was.
    value: Result<Vec<u8>, String>,
}

fn is_store(input: &Input) -> Result<bool, Failure> {
    let start = read(input, 100).map_err(|error| Failure::file(&input.name, words(&error)))?;
    Ok(input.reading.format == Format::Auto && varbatch_store::is_store(&start))
}

impl Rows {
    pub fn of(input: &Rc<Input>) -> Result<Option<Self>, Failure> {
        if !is_store(input)? {
            return Ok(None);
        }
        if input.path == Path::new(STANDARD) || !input.path.is_file() {
            return Err(Failure::Usage(format!("{}: a store is read from a file, not from a pipe", input.name)));
        }
        use StoreError::{Busy, CannotOpen, ReadOnly, System};
        let store = Rescue::open(&input.path).map_err(|error| match error {
            Busy | CannotOpen | ReadOnly | System(_) => Failure::file(&input.name, error),
            _ => Failure::data(input, error),
        })?;
        Ok(Some(Self { store, next: 0, value: Ok(Vec::new()) }))
    }

    pub fn count(&self) -> String {
        let count = self.store.rows.len();
        if count == 1 { "1 key".into() } else { format!("{count} keys") }
    }

    /// Reads the next row. An error is about keys that are missing, and comes once.
    pub fn next<'a>(&'a mut self, input: &'a Rc<Input>) -> Result<Option<Buffer<'a>>, Failure> {
        let Some((key, _)) = self.store.rows.get(self.next) else {
            return self.store.damage.take().map_or(Ok(None), |error| Err(Failure::data(input, error)));
        };
        let (dialect, len) = (input.from.dialect(), self.store.rows.len());
        self.value = match validate(Reader::new(key).with_dialect(dialect).with_objects(true)) {
            Ok(len) if len == key.len() => self.store.value(self.next).map_err(|error| error.to_string()),
            _ => Err("the key is damaged".into()),
        };
        self.next += 1;
        let (lost, bytes) = (self.value.as_ref().err().map(String::as_str), self.value.as_deref().unwrap_or_default());
        let (at, remaining, stream_len) = (0, (len - self.next) as u64, len as u64);
        Ok(Some(Buffer { input, dialect, frame: None, key: Some(key), lost, at, bytes, remaining, stream_len }))
    }

    /// Reads the row that the first step of a path leads to.
    pub fn find<'a>(&'a mut self, input: &'a Rc<Input>, wanted: Option<&Wanted>) -> Result<Buffer<'a>, Failure> {
        let expected = |what| Failure::Usage(format!("{}: expected {what}", input.name));
        let wanted = wanted.ok_or_else(|| expected("a key at the start of the path".into()))?;
        // Found as in a Dictionary of this key and a null.
        let dialect = input.from.dialect();
        let is = |step: PathStep<'_>| wanted.is(step, dialect);
        let seek = [wanted.seek(&is, dialect)];
        let keys = || self.store.rows.iter().map(|(key, _)| key);
        let exact = keys().position(|key| matches!(wanted, Wanted::Key(wanted) if wanted == key));
        let is_found = |key: &[u8]| lookup(&[&ENTRY, key, &[0; 4]].concat(), 0, dialect, &seek).is_ok();
        let found: Vec<_> = keys().enumerate().filter(|(_, key)| is_found(key)).map(|(index, _)| index).collect();
        self.next = match (exact, &found[..]) {
            (Some(index), _) | (None, &[index]) => index,
            _ => return Err(expected(format!("one key like this of {}, found {}", self.count(), found.len()))),
        };
        let row = self.next(input)?.expect("it was found");
        row.there().map(|()| row)
    }
}

/// Converts from a store, to one, or both; `None` if neither is one.
pub fn convert(args: &Convert, input: &Rc<Input>, path: &Path, name: &str) -> Result<Option<Converted>, Failure> {
    if args.to.is_some() && !is_store(input)? {
        return Ok(None);
    }
    if [Some(args.from), args.to].iter().flatten().any(|engine| *engine != DialectName::Godot4) {
        return Err(Failure::Usage("stores are of godot4: expected --from godot4, and --to godot4 or store".into()));
    }
    let mut buffers = Buffers::of(input)?;
    if args.to.is_none() {
        return make(&mut buffers, path, name).map(Some);
    }
    let failed = |error| Failure::file(name, words(&error));
    let mut saver = Saver::create(path, None).map_err(failed)?;
    let (count, is_whole) = each(&mut buffers, |key, value| {
        let len = (PAIR.len() + key.len() + value.len()) as u32;
        let frame = [&len.to_le_bytes(), &PAIR[..], key, value].concat();
        saver.write_bytes(&frame, input.threads()).map_err(failed)
    })?;
    Ok(Some((Some(saver.flush(input.threads()).map_err(failed)?), count, is_whole)))
}

/// Makes a store. If that fails, none is left.
fn make(buffers: &mut Buffers<'_>, path: &Path, name: &str) -> Result<Converted, Failure> {
    let failed = |error| Failure::file(name, error);
    let mut store = Store::open(path).map_err(failed)?;
    store.begin().map_err(failed)?;
    let put = |key: &[u8], value: &[u8]| store.put(key, &Packed::new(key, value.to_vec(), false)).map_err(failed);
    let done = each(buffers, put).and_then(|done| store.commit().map_err(failed).map(|()| done));
    if done.is_err() {
        store.roll_back();
        drop(store);
        let _ = fs::remove_file(path);
    }
    done.map(|(count, is_whole)| (None, count, is_whole))
}

/// Gives each key with its value. Returns how many, and whether these are all: of a store, it leaves out what is damaged.
fn each(
    buffers: &mut Buffers<'_>,
    mut put: impl FnMut(&[u8], &[u8]) -> Result<(), Failure>,
) -> Result<(usize, bool), Failure> {
    let (is_store, mut count, mut is_whole) = (buffers.rows.is_some(), 0, true);
    loop {
        match buffers.next().and_then(|buffer| buffer.as_ref().map(pair).transpose()) {
            Ok(None) => return Ok((count, is_whole)),
            Ok(Some((key, value))) => {
                put(key, value)?;
                count += 1;
            }
            Err(Failure::Data(input, error)) if is_store => {
                say("error", format_args!("{}: {error}", input.name));
                is_whole = false;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns a key and its value, both sound: of a row, or of an Array of both.
fn pair<'a>(buffer: &Buffer<'a>) -> Result<(&'a [u8], &'a [u8]), Failure> {
    buffer.there()?;
    let is_all = buffer.validate().map_err(|error| buffer.damaged(error))? >= buffer.bytes.len();
    let split = || {
        let parts = buffer.bytes.strip_prefix(&PAIR)?;
        parts.split_at_checked(validate(Reader::new(parts).with_objects(true)).ok()?)
    };
    let found = buffer.key.map(|key| (key, buffer.bytes)).or_else(split).filter(|_| is_all);
    let fits = |&(key, value): &(&[u8], &[u8])| PAIR.len() + key.len() + value.len() <= MAX_VALUE_LEN;
    found.filter(fits).ok_or_else(|| buffer.damaged("expected an Array of a key and a value, and nothing behind"))
}
