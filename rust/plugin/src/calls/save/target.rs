//! The file that a call writes, its checks and messages, and its position among the calls that write the same file.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use godot::builtin::{AnyArray, GString, PackedByteArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::Dialect;
use varbatch_storage::compressed::{self, Compression};
use varbatch_storage::encrypted::{self, Key};
use varbatch_storage::{AppendError, Contents, Saver, Ticket, is_exhausted, words};

use crate::calls::line::{WriteTicket, room_line};
use crate::calls::load::{Source, explained, key_of, open_code, path_of};
use crate::engine::{DIALECT, FlagArg, HeldBytes};
use crate::report::{Cause, Failure, Line, PATH, Reports, short};
use crate::value::walk::Lost;

const BOTH: &str = "expected a compression mode or a key, found both: FileAccess reads no file that is compressed and \
                    encrypted; pass VarBatch.COMPRESSION_NONE or null";

pub const NOT_COMPRESSED: i64 = -1;

pub struct Request {
    pub target: SaveTarget,
    pub values: AnyArray,
    pub full_objects: bool,
}

/// How a save stores values: the arguments of a script.
pub struct Stored<'a> {
    pub compression_mode: i64,
    pub key: &'a Variant,
    pub keep_backup: bool,
    pub header: &'a PackedByteArray,
}

/// What a file holds. Messages name the index of one of several values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Value,
    Values,
    Bytes,
}

pub struct SaveTarget {
    pub path: PathBuf,
    pub shown: String,
    pub compression: Option<Compression>,
    pub key: Option<Key>,
    pub keeps_backup: bool,
    /// What is written before the values: all there is, if it has none.
    pub header: HeldBytes,
    pub appends: bool,
    pub holds: Holds,
    /// The engine that reads the values.
    pub dialect: Dialect,
}

impl SaveTarget {
    /// A path that leads nowhere is empty.
    pub fn plain(path: &GString) -> Self {
        let at = path_of(path).unwrap_or_default();
        let (shown, compression, key, header) = (short(&path.to_string(), PATH), None, None, HeldBytes::default());
        let (keeps_backup, appends, holds, dialect) = (false, false, Holds::Values, DIALECT);
        Self { path: at, shown, compression, key, keeps_backup, header, appends, holds, dialect }
    }

    /// Takes the ticket of a call that writes this file. Until it ends, or its task is [added](add_task), no script may run:
    /// one that appends would wait for it, for ever. So nothing whose drop runs scripts, as objects do, may be dropped.
    pub fn ticket(&self) -> WriteTicket {
        WriteTicket(Ticket::take_for(&self.path))
    }

    /// Takes the tickets of a task that writes this file, for its line and for room. Both at once, as tasks must wait only for
    /// earlier ones.
    pub fn tickets(&self) -> (WriteTicket, Option<WriteTicket>) {
        let mut both = Ticket::take_all([Ticket::line(&self.path), room_line(&self.path)]);
        let room = both.pop().map(WriteTicket);
        (WriteTicket(both.remove(0)), room)
    }

    /// Begins the file, of `total` bytes if it is compressed. Returns `None` for an append that was overtaken.
    pub fn begin(&self, total: u64, ticket: &WriteTicket) -> Result<Option<Saver>, Failure> {
        if !self.appends {
            return self.create(total).map(Some);
        }
        Saver::append(&self.path, &ticket.0, DIALECT).map_err(|error| {
            let advice = match &error {
                AppendError::System(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    return self.not_written(error);
                }
                AppendError::System(error) => return self.system(open_code(error), error),
                AppendError::Compressed => "load its values, and save them with VarBatch.COMPRESSION_NONE first",
                AppendError::Encrypted => "load its values with its key, and save them with those to add",
                AppendError::OneValue => {
                    "VarBatch.bytes_to_var(VarBatch.load_bytes(path)) reads it; remove it to begin a new file"
                }
                _ => "the file was not changed; to go on, copy it, and save what load_vars() returns with save_vars()",
            };
            let failure = self.failure(Cause::Foreign.into(), &format_args!("{error}; {advice}"));
            match error {
                AppendError::Damaged { .. } => {
                    let plain = Source::plain(&GString::from(&self.shown));
                    let source = Source { at: Some(self.path.clone()), is_project_file: false, ..plain };
                    let told = explained(&source, DIALECT, Failure::new(Cause::Damaged, &error));
                    let text = told.text.trim_start_matches(&format!("\"{}\": ", self.shown));
                    match told.code == Cause::Damaged.into() {
                        true => Failure { code: told.code, ..failure },
                        false => self.failure(told.code, &text),
                    }
                }
                _ => failure,
            }
        })
    }

    pub fn create(&self, total: u64) -> Result<Saver, Failure> {
        let begun = match &self.key {
            Some(key) => Saver::create_encrypted(&self.path, key),
            None => Saver::create(&self.path, self.compression.map(|compression| (compression, total))),
        };
        let backed_up = begun.and_then(|mut saver| {
            let (offset, dialect) = match self.holds {
                Holds::Bytes => (0, None),
                _ => (self.header.bytes().len() as u64, Some(self.dialect)),
            };
            saver.stores(Contents { key: self.key, offset, dialect }, self.keeps_backup)?;
            Ok(saver)
        });
        backed_up.map_err(|error| self.system(open_code(&error), &error))
    }

    pub fn not_written(&self, error: &io::Error) -> Failure {
        let code = match error.kind() {
            // Only Windows cannot replace an open file.
            io::ErrorKind::ResourceBusy => EngineError::ERR_FILE_ALREADY_IN_USE,
            io::ErrorKind::InvalidData => Cause::Foreign.into(),
            _ if is_exhausted(error) => EngineError::ERR_CANT_ACQUIRE_RESOURCE,
            _ => EngineError::ERR_FILE_CANT_WRITE,
        };
        self.system(code, error)
    }

    fn system(&self, code: EngineError, error: &io::Error) -> Failure {
        match (error.kind(), self.shown.rsplit_once('/')) {
            _ if self.path.as_os_str().is_empty() => {
                let why = path_of(&GString::from(&self.shown)).err().unwrap_or_default();
                self.failure(code, &why)
            }
            (io::ErrorKind::NotFound, Some((folder, _))) => {
                let makes = format_args!("DirAccess.make_dir_recursive_absolute(\"{folder}\") makes it");
                self.failure(code, &format_args!("its folder does not exist; {makes}"))
            }
            // A store.
            (io::ErrorKind::InvalidData, _) => {
                let advice = "VarBatchStore.rename() gives it another name, VarBatchStore.remove() removes it";
                self.failure(code, &format_args!("{}; {advice}", words(error)))
            }
            _ => self.failure(code, &words(error)),
        }
    }

    fn failure(&self, code: EngineError, why: &dyn Display) -> Failure {
        let what = if self.appends { "append to" } else { "save" };
        Failure::new(code, format!("cannot {what} \"{}\": {why}", self.shown))
    }

    fn flag(&self, full_objects: FlagArg, advice: &str) -> Result<bool, Failure> {
        let refused = |why| self.failure(EngineError::ERR_INVALID_PARAMETER, &format_args!("{why}; {advice}"));
        full_objects.flag("full_objects").map_err(refused)
    }

    pub fn check(&self, reports: &Reports) -> Result<(), Failure> {
        let Some((index, report)) = reports.first_error() else { return Ok(()) };
        let text = if self.holds == Holds::Values { format!("value {index}: {report}") } else { report.to_string() };
        Err(self.failure(EngineError::ERR_INVALID_DATA, &text))
    }

    pub fn warning(&self, lost: &Lost) -> Line {
        let name: &dyn Fn(usize) -> String = &|index| format!("value {index}");
        Line::warning(format_args!("\"{}\": {}", self.shown, lost.text((self.holds == Holds::Values).then_some(name))))
    }

    /// The warning of a save that has set the old file aside.
    pub fn set_aside(&self, aside: &Path) -> Line {
        let name = aside.file_name().unwrap_or_default().to_string_lossy();
        let text = "the file that was there is not whole or could not be loaded; it is kept as";
        Line::warning(format_args!("\"{}\": {text} \"{}\"", self.shown, short(&name, PATH)))
    }
}

pub fn to_save(
    path: &GString,
    values: AnyArray,
    holds: Holds,
    full_objects: FlagArg,
    stored: Stored<'_>,
) -> Result<Request, Failure> {
    let target = SaveTarget { holds, ..SaveTarget::plain(path) };
    let full_objects = target.flag(full_objects, "the compression mode is the fourth argument")?;
    let refused = |why: &dyn Display| target.failure(EngineError::ERR_INVALID_PARAMETER, why);
    let compression = compression(stored.compression_mode).map_err(|why| refused(&why))?;
    let (key, header) = (key_of(stored.key).map_err(|why| refused(&why))?, HeldBytes::new(stored.header.clone()));
    if compression.is_some() && key.is_some() {
        return Err(refused(&BOTH));
    }
    let is_marked = compressed::is_compressed(header.bytes()) || header.bytes().starts_with(&encrypted::MAGIC);
    if compression.is_none() && key.is_none() && is_marked {
        return Err(refused(
            &"expected bytes that do not begin with \"GCPF\" or \"GDEC\", as compressed and encrypted files do",
        ));
    }
    let keeps_backup = stored.keep_backup;
    Ok(Request { target: SaveTarget { compression, key, header, keeps_backup, ..target }, values, full_objects })
}

pub fn to_append(path: &GString, values: AnyArray, full_objects: FlagArg) -> Result<Request, Failure> {
    let target = SaveTarget { appends: true, ..SaveTarget::plain(path) };
    let full_objects = target.flag(full_objects, "only files without compression can be appended to")?;
    Ok(Request { target, values, full_objects })
}

/// Returns the compression of a mode of `FileAccess`; `None` for [`NOT_COMPRESSED`]. Fails if none can be written with it.
fn compression(mode: i64) -> Result<Option<Compression>, String> {
    if mode == NOT_COMPRESSED {
        return Ok(None);
    }
    let known = u32::try_from(mode).ok().and_then(Compression::from_mode);
    known.filter(|compression| compression.written() == *compression).map(Some).ok_or_else(|| {
        let name = match mode {
            0 => " (COMPRESSION_FASTLZ, which can only be loaded: use COMPRESSION_ZSTD)",
            4 => " (COMPRESSION_BROTLI)",
            _ => "",
        };
        format!(
            "expected COMPRESSION_DEFLATE, COMPRESSION_ZSTD or COMPRESSION_GZIP of FileAccess, or \
             VarBatch.COMPRESSION_NONE, as the compression mode, found {mode}{name}"
        )
    })
}
