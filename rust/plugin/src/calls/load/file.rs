//! Opens files to load, and says of others what they seem to be.

use std::io;
use std::path::{Path, PathBuf};

use godot::builtin::{GString, Variant, VariantType};
use godot::global::Error as EngineError;
use varbatch_codec::{Dialect, Engine};
use varbatch_storage::compressed::CompressedError;
use varbatch_storage::encrypted::{EncryptedError, Key};
use varbatch_storage::{
    Format, Guess, Input, LoadError, Loader, Seen, backup_of, is_exhausted, note_unseen, open, words,
};
use varbatch_workers::Threads;

use crate::calls::advice::advice;
use crate::engine::{self, DIALECT, EngineFile};
use crate::report::{Cause, Failure, Line, PATH, names_of, short};

/// A file to load, and how its values are stored in it.
#[derive(Clone)]
pub struct Source {
    /// The Godot path, such as `user://world.dat`, and the path of this machine, unless it is only in a pack.
    pub path: String,
    pub shown: String,
    pub at: Option<PathBuf>,
    /// True if the engine reads it.
    pub is_project_file: bool,
    pub key: Option<Key>,
    /// How many bytes of the game are before the values.
    pub offset: u64,
}

impl Source {
    /// A plain or compressed file that begins with its values.
    pub fn plain(path: &GString) -> Self {
        let text = path.to_string();
        // It may be in a pack, under another name. A game that runs from the project's folder can save it.
        let is_project_file = text.starts_with("res://") || text.starts_with("uid://");
        let at = path_of(path).unwrap_or_default();
        let at = (!is_project_file || at.is_file()).then_some(at);
        Self { shown: short(&text, PATH), path: text, at, is_project_file, key: None, offset: 0 }
    }

    pub fn backup(&self) -> Option<Self> {
        let at = backup_of(self.at.as_ref()?).ok()?;
        Some(Self { shown: format!("{}.bak", self.shown), at: Some(at), is_project_file: false, ..self.clone() })
    }

    /// The warning of a load that takes the backup instead of this file.
    pub fn backup_loaded(&self, why: &str) -> Line {
        Line::warning(format_args!("loaded the backup \"{}.bak\" instead: {why}", self.shown))
    }

    /// True if all values of the file are whole, whoever may make the objects in them. Fails if too many files are open.
    pub fn is_whole(&self, threads: &Threads) -> Result<bool, Failure> {
        Ok(self.opened()?.is_some_and(|loader| loader.is_whole(DIALECT, threads)))
    }

    /// True if the file is not damaged: its values are whole, or it is something else. What is nothing known may be damage. Fails
    /// if too many files are open.
    pub fn is_sound(&self, threads: &Threads) -> Result<bool, Failure> {
        // A file without encryption, though there is a key.
        let plain = Self { key: None, ..self.clone() };
        let source = if self.opened()?.is_some() { self } else { &plain };
        let is_known = |guess| match guess {
            Guess::Other => source.key.is_some(),
            // Cut off, or it has this key.
            Guess::Format(Format::Encrypted) => self.key.is_none(),
            _ => true,
        };
        Ok(source.is_whole(threads)? || source.guess(DIALECT)?.is_some_and(is_known))
    }

    /// Returns what the file seems to be, if its values cannot be read in `dialect` and it is not damaged. Fails if too many files
    /// are open.
    fn guess(&self, dialect: Dialect) -> Result<Option<Guess>, Failure> {
        let Some(whole) = Self { offset: 0, ..self.clone() }.opened()? else { return Ok(None) };
        let start = whole.guess(dialect);
        if self.key.is_none() && start == Some(Guess::Format(Format::Encrypted)) {
            return Ok(start);
        }
        // What was decrypted only tells something if the checksum is right. Then nothing is damaged.
        if self.key.is_some() && !self.opened()?.is_some_and(|loader| loader.has_all_bytes(&Threads::alone())) {
            return Ok(None);
        }
        let Some(values) = self.opened()? else { return Ok(None) };
        Ok(values.guess(dialect).or(self.key.map(|_| Guess::Other)))
    }

    pub fn seen(&self) -> Option<Seen> {
        self.at.as_deref().and_then(|at| Seen::at(at).ok())
    }

    /// Notes the file, as it was seen before, as one that was loaded whole; or of which a load ended with this code.
    pub fn note(&self, seen: Option<Seen>, result: Result<(), EngineError>) {
        self.note_by(Seen::note, seen, result);
    }

    /// Notes the file likewise after a load of its bytes, whatever they mean.
    pub fn note_bytes(&self, seen: Option<Seen>, result: Result<(), EngineError>) {
        self.note_by(Seen::note_bytes, seen, result);
    }

    fn note_by(&self, note: fn(Seen, &Path, bool), seen: Option<Seen>, result: Result<(), EngineError>) {
        use EngineError as Code;
        // There is none, none was looked for, or the system had no room for another open one.
        let is_untold = matches!(
            result,
            Err(Code::ERR_FILE_NOT_FOUND | Code::ERR_INVALID_PARAMETER | Code::ERR_CANT_ACQUIRE_RESOURCE)
        );
        match (&self.at, seen) {
            _ if is_untold => {}
            (Some(at), Some(seen)) => note(seen, at, result.is_ok()),
            // It could not be looked at.
            (Some(at), None) if result.is_err() => note_unseen(at),
            _ => {}
        }
    }

    /// Opens the file, if that is possible. Fails if too many files are open.
    fn opened(&self) -> Result<Option<Loader>, Failure> {
        if_told(self.open())
    }

    /// Opens the file. Fails if it does not exist or cannot be read, or is not encrypted though there is a key.
    pub fn open(&self) -> Result<Loader, Failure> {
        let shown = &self.shown;
        let failure = |code, why: &dyn std::fmt::Display| Failure::new(code, format!("cannot load \"{shown}\": {why}"));
        let opened = match &self.at {
            Some(at) if !self.is_project_file => open(at).map(|(file, len)| (Box::new(file) as Box<dyn Input>, len)),
            _ => {
                let opened = EngineFile::open(&GString::from(&self.path));
                let (file, len) = opened.map_err(|code| failure(code, &engine::error_text(code)))?;
                Ok((Box::new(file) as Box<dyn Input>, len))
            }
        };
        let begun = opened.map_err(LoadError::from).and_then(|(input, len)| {
            let mut loader = match &self.key {
                Some(key) => Loader::encrypted(input, len, key),
                None => Loader::new(input, len),
            }?;
            loader.skip(self.offset).map(|()| loader)
        });
        begun.map_err(|damage| match damage {
            LoadError::Read(error) | LoadError::Compressed(CompressedError::Read { error, .. }) => {
                failure(open_code(&error), &words(&error))
            }
            LoadError::Short { .. } | LoadError::Encrypted(EncryptedError::NotEncrypted) => {
                failure(Cause::from(&damage).into(), &damage)
            }
            _ => Failure::from(damage).of(format_args!("\"{shown}\"")),
        })
    }
}

/// Returns what was opened, or `None` if that failed. Fails if too many files are open, which says nothing about the file.
pub fn if_told<T>(opened: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match opened {
        Err(failure) if failure.code == EngineError::ERR_CANT_ACQUIRE_RESOURCE => Err(failure),
        opened => Ok(opened.ok()),
    }
}

/// Returns where the path of a file leads that a script wants to write, or why it leads nowhere.
pub fn path_of(path: &GString) -> Result<PathBuf, String> {
    let at = engine::globalize(path);
    // Resolve it now: the engine changes the current folder temporarily, and a task would ask later. An empty one has none.
    std::path::absolute(&at).map_err(|_| {
        let found = if path.is_empty() { "an empty one" } else { "one that leads nowhere" };
        format!("expected the path of a file, such as \"user://save.dat\", found {found}")
    })
}

/// Reads the argument `key`: null, a password, or the bytes of a key. No text ever has it in it.
pub fn key_of(key: &Variant) -> Result<Option<Key>, String> {
    let bytes = match key.get_type() {
        VariantType::NIL => return Ok(None),
        VariantType::STRING => return Ok(Some(Key::of_password(&key.to::<GString>().to_string()))),
        VariantType::PACKED_BYTE_ARRAY => engine::bytes_of(&key.to()).to_vec(),
        _ => {
            let found = engine::value(key).view().kind().name();
            return Err(format!("expected null, a String or a PackedByteArray as key, found {found}"));
        }
    };
    let len = bytes.len();
    let key = bytes.try_into().map_err(|_| format!("expected a password or {} bytes as key, found {len}", Key::LEN))?;
    Ok(Some(Key::new(key)))
}

pub fn open_code(error: &io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound => EngineError::ERR_FILE_NOT_FOUND,
        _ if is_exhausted(error) => EngineError::ERR_CANT_ACQUIRE_RESOURCE,
        // By the head of a new file.
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            EngineError::ERR_FILE_CANT_WRITE
        }
        // Another file than one of values, which stays.
        io::ErrorKind::InvalidData => Cause::Foreign.into(),
        io::ErrorKind::InvalidInput if cfg!(windows) => EngineError::ERR_INVALID_PARAMETER,
        _ => EngineError::ERR_FILE_CANT_OPEN,
    }
}

/// Says in the first error what the file seems to be, after its values could not be read in `dialect`.
pub fn explain(source: &Source, dialect: Dialect, lines: &mut Vec<Line>) {
    let is_of_values = |line: &Line| [Cause::Damaged, Cause::Refused].map(EngineError::from).contains(&line.code);
    let Some(first) = lines.iter().position(is_of_values) else { return };
    let Ok(Some(guess)) = source.guess(dialect) else { return };
    if guess == Guess::Other && lines[first].code != Cause::Damaged.into() {
        return;
    }
    let text = named(source, &guess, &lines[first].text);
    let cause = if guess == Guess::Format(Format::Encrypted) { Cause::Key } else { Cause::Foreign };
    let error = Line::error(Failure::new(cause, text));
    if matches!(guess, Guess::Engines(_)) {
        lines[first] = error;
    } else {
        // The other lines are about values that the file does not contain.
        *lines = vec![error];
    }
}

/// Returns a failure with what the file seems to be, likewise.
pub fn explained(source: &Source, dialect: Dialect, failure: Failure) -> Failure {
    let mut lines = vec![Line::error(failure.of(format_args!("\"{}\"", source.shown)))];
    explain(source, dialect, &mut lines);
    Failure::new(lines[0].code, &lines[0].text)
}

fn named(source: &Source, guess: &Guess, error: &str) -> String {
    let (path, offset) = (&source.shown, source.offset);
    let expected = "expected values as FileAccess.store_var() writes them";
    match guess {
        // An error about the wrong format would mislead.
        Guess::Format(format) => {
            let advice = match source.open().ok().and_then(|loader| loader.compression()) {
                _ if source.key.is_some() || offset > 0 => String::new(),
                Some(compression) => {
                    let mode = ["FASTLZ", "DEFLATE", "ZSTD", "GZIP"][compression.mode() as usize];
                    format!(
                        "; FileAccess.open_compressed(path, FileAccess.READ, FileAccess.COMPRESSION_{mode}) opens it"
                    )
                }
                None => format!("; {}", advice(*format)),
            };
            format!("\"{path}\": {expected}, found {format}, at byte {offset}{advice}")
        }
        Guess::BigEndian => {
            format!("{error}; its lengths are big-endian: FileAccess.get_var() reads it with big_endian = true")
        }
        Guess::Value(engines) => {
            let key = if source.key.is_some() { ", key" } else { "" };
            let (form, dialect) = match engines[0] {
                Engine::Godot4 => ("", String::new()),
                _ => ("_in", format!(", VarBatch.{}", names_of(&engines[..1]))),
            };
            format!(
                "{error}; it is one value without a length: \
                 VarBatch.bytes_to_var{form}(VarBatch.load_bytes(path{key}){dialect}) reads it"
            )
        }
        Guess::Other => {
            let found = match source.key {
                Some(_) => format!("{error}; but its checksum is right: {expected}"),
                None => format!("\"{path}\": {expected}, found something else, at byte {offset}"),
            };
            format!("{found}; load_vars() skips what is before the values if offset is its length")
        }
        Guess::Engines(engines) => {
            format!("{error}; its values can be read in {}: see transcode_file()", names_of(engines))
        }
        _ => error.to_owned(),
    }
}
