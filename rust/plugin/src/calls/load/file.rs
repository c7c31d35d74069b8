//! Opens files to load, and says of others what they seem to be.

use std::io;
use std::path::PathBuf;

use godot::builtin::{GString, Variant, VariantType};
use godot::global::Error as EngineError;
use varbatch_codec::Dialect;
use varbatch_storage::encrypted::{EncryptedError, Key};
use varbatch_storage::{Guess, Input, LoadError, Loader, backup_of, open, words};
use varbatch_workers::Threads;

use crate::calls::advice::advice;
use crate::engine::{self, DIALECT, DIALECTS, EngineFile};
use crate::report::{Failure, Line, PATH, short};

/// A file to load, and how its values are stored in it.
#[derive(Clone)]
pub struct Source {
    /// The Godot path, such as `user://world.dat`, and the path of this machine, unless the engine reads the file.
    pub(super) path: String,
    pub shown: String,
    pub at: Option<PathBuf>,
    pub key: Option<Key>,
    /// How many bytes of the game are before the values.
    pub offset: u64,
}

impl Source {
    /// A plain or compressed file that begins with its values.
    pub fn plain(path: &GString) -> Self {
        let text = path.to_string();
        // A project file may be in a pack, under another name.
        let is_own = !text.starts_with("res://") && !text.starts_with("uid://");
        Self {
            shown: short(&text, PATH),
            path: text,
            at: is_own.then(|| engine::globalize(path)),
            key: None,
            offset: 0,
        }
    }

    pub fn backup(&self) -> Option<Self> {
        let at = backup_of(self.at.as_ref()?).ok()?;
        Some(Self { shown: format!("{}.bak", self.shown), at: Some(at), ..self.clone() })
    }

    pub fn whole_backup(&self, threads: &Threads) -> Option<Self> {
        self.backup().filter(|backup| backup.is_whole(threads))
    }

    /// True if all values of the file are whole, whoever may make the objects in them.
    pub fn is_whole(&self, threads: &Threads) -> bool {
        self.open().is_ok_and(|loader| loader.is_whole(DIALECT, threads))
    }

    /// Opens the file. Fails if it does not exist or cannot be read, or is not encrypted though there is a key.
    pub fn open(&self) -> Result<Loader, Failure> {
        let shown = &self.shown;
        let failure = |code, why: &dyn std::fmt::Display| Failure::new(code, format!("cannot load \"{shown}\": {why}"));
        let opened = match &self.at {
            Some(at) => open(at).map(|(file, len)| (Box::new(file) as Box<dyn Input>, len)),
            None => {
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
            LoadError::Read(error) => failure(open_code(&error), &words(&error)),
            LoadError::Short { .. } => failure(EngineError::ERR_FILE_EOF, &damage),
            LoadError::Encrypted(EncryptedError::NotEncrypted) => failure(EngineError::ERR_FILE_UNRECOGNIZED, &damage),
            _ => Failure::new(EngineError::ERR_FILE_CORRUPT, format_args!("\"{shown}\": {damage}")),
        })
    }
}

/// Reads the argument `key`: null, a password, or the bytes of a key. No text ever has it in it.
pub fn key_of(key: &Variant) -> Result<Option<Key>, String> {
    let bytes = match key.get_type() {
        VariantType::NIL => return Ok(None),
        // As `FileAccess.open_encrypted_with_pass` does it.
        VariantType::STRING => key.call("md5_text", &[]).to::<GString>().to_string().into_bytes(),
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
        io::ErrorKind::InvalidInput if cfg!(windows) => EngineError::ERR_INVALID_PARAMETER,
        _ => EngineError::ERR_FILE_CANT_OPEN,
    }
}

/// Adds to the first error what the file seems to be, after its values could not be read in `dialect`.
pub fn explain(source: &Source, dialect: Dialect, lines: &mut Vec<Line>) {
    let Some(first) = lines.iter().position(|line| !line.is_warning) else { return };
    let Some(guess) = source.open().ok().and_then(|loader| loader.guess(dialect)) else { return };
    let error = named(&source.shown, &guess, &lines[first].text);
    if matches!(guess, Guess::Engines(_)) {
        lines[first].text = error;
    } else {
        // The other lines are about values that the file does not contain.
        *lines = vec![Line::error(error)];
    }
}

fn named(path: &str, guess: &Guess, error: &str) -> String {
    match guess {
        // An error about the wrong format would mislead.
        Guess::Format(format) => format!(
            "\"{path}\": expected values as FileAccess.store_var() writes them, found {format}, at byte 0; {}",
            advice(*format)
        ),
        Guess::BigEndian => {
            format!("{error}; its lengths are big-endian: FileAccess.get_var() reads it with big_endian = true")
        }
        Guess::Value => {
            format!(
                "{error}; it is one value without a length: bytes_to_var(FileAccess.get_file_as_bytes(path)) reads it"
            )
        }
        Guess::Other => format!(
            "\"{path}\": expected values as FileAccess.store_var() writes them, found something else, at byte 0; \
             load_vars() skips what is before the values if that is its offset"
        ),
        Guess::Engines(engines) => {
            let dialects = DIALECTS.iter().filter(|(_, dialect)| engines.contains(&dialect.engine));
            let names: Vec<_> = dialects.map(|(name, _)| *name).collect();
            format!("{error}; its values can be read in {}: see transcode_file()", names.join(" or "))
        }
        _ => error.to_owned(),
    }
}
