//! Stores as files of pairs, an Array `[key, value]` for each key; and stores of such files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use varbatch_codec::key::to_key;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{Reader, validate};
use varbatch_storage::{Flushed, Saver, words};
use varbatch_store::{Packed, Store, Walk};

use crate::args::{DialectName, To};
use crate::buffer::Buffer;
use crate::input::Failure;
use crate::output::say;
use crate::source::Buffers;
use crate::store::GODOT_4_ONLY;

/// How an Array of two values begins.
const PAIR: [u8; 8] = [28, 0, 0, 0, 2, 0, 0, 0];

/// Bytes of a new store that are copied at once.
const PIECE: u64 = 1 << 20;

type Pair<'a> = (Buffer<'a>, &'a [u8], &'a [u8]);

/// Converts from a store, to one, or both. Returns the new file, which is not in its place yet, how many keys it has, and
/// whether these are all: of a store, what is damaged is left out.
pub fn convert(mut buffers: Buffers<'_>, to: To, path: &Path, name: &str) -> Result<(Flushed, usize, bool), Failure> {
    let DialectName::Godot4 = buffers.input.from else { return Err(Failure::Usage(GODOT_4_ONLY.into())) };
    let (To::Store | To::Engine(DialectName::Godot4)) = to else { return Err(Failure::Usage(GODOT_4_ONLY.into())) };
    if buffers.input.reading.key().is_some() {
        return Err(Failure::Usage("a store is not encrypted, nor is what is made of one: expected no key".into()));
    }
    let (failed, threads) = (|error| Failure::file(name, words(&error)), buffers.input.threads());
    let mut saver = Saver::create(path, None).map_err(failed)?;
    let mut count = 0;
    let is_whole = if to == To::Store {
        // SQLite writes in place: so not where the store is to be.
        let folder = tempfile::tempdir().map_err(failed)?;
        let new = folder.path().join("new");
        let is_whole = make(&mut buffers, &new, &mut count, name)?;
        let (file, mut piece) = (File::open(&new).map_err(failed)?, Vec::new());
        while (&file).take(PIECE).read_to_end(&mut piece).map_err(failed)? > 0 {
            saver.write_bytes(&piece, threads).map_err(failed)?;
            piece.clear();
        }
        is_whole
    } else {
        each(&mut buffers, |(_, key, value)| {
            let len = (PAIR.len() + key.len() + value.len()) as u32;
            count += 1;
            saver.write_bytes(&[&len.to_le_bytes(), &PAIR[..], key, value].concat(), threads).map_err(failed)
        })?
    };
    Ok((saver.flush(threads).map_err(failed)?, count, is_whole))
}

/// Makes a store, and counts its keys: of one that comes twice, the last value stays. Returns false if some are left out.
fn make(buffers: &mut Buffers<'_>, path: &Path, count: &mut usize, name: &str) -> Result<bool, Failure> {
    let failed = |error| Failure::file(name, error);
    let mut store = Store::open(path).map_err(failed)?;
    store.begin().map_err(failed)?;
    let is_whole = each(buffers, |(buffer, key, value)| {
        let key = to_key(key).map_err(|error| buffer.damaged(error.map_at(|at| at + buffer.at + PAIR.len())))?;
        store.put(&key, &Packed::new(&key, value.to_vec(), false)).map_err(failed)
    })?;
    store.commit().map_err(failed)?;
    store
        .reader()
        .and_then(|mut reader| reader.keys(&mut Walk::default(), usize::MAX, |_| *count += 1))
        .map_err(failed)?;
    store.close().map_err(failed)?;
    Ok(is_whole)
}

/// Gives each pair. Of a store, it leaves out what is damaged, and returns false then.
fn each(buffers: &mut Buffers<'_>, mut put: impl FnMut(Pair<'_>) -> Result<(), Failure>) -> Result<bool, Failure> {
    let (is_store, mut is_whole) = (buffers.rows.is_some(), true);
    loop {
        match buffers.next().and_then(|buffer| buffer.map(pair).transpose()) {
            Ok(None) => return Ok(is_whole),
            Ok(Some(pair)) => put(pair)?,
            Err(Failure::Data(input, error)) if is_store => {
                say("error", format_args!("{}: {error}", input.name));
                is_whole = false;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns a key and its value, both sound: of a row, or of an Array of both.
fn pair(buffer: Buffer<'_>) -> Result<Pair<'_>, Failure> {
    buffer.there()?;
    let is_all = buffer.validate().map_err(|error| buffer.damaged(error))? >= buffer.bytes.len();
    let split = || {
        let parts = buffer.bytes.strip_prefix(&PAIR)?;
        parts.split_at_checked(validate(Reader::new(parts).with_objects(true)).ok()?)
    };
    let found = buffer.key.map(|key| (key, buffer.bytes)).or_else(split).filter(|_| is_all);
    let fits = |&(key, value): &(&[u8], &[u8])| PAIR.len() + key.len() + value.len() <= MAX_VALUE_LEN;
    let (key, value) = found
        .filter(fits)
        .ok_or_else(|| buffer.damaged("expected an Array of a key and a value, and nothing behind"))?;
    Ok((buffer, key, value))
}
