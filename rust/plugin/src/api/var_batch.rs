//! Class `VarBatch`, with its in-editor documentation.

use godot::builtin::{
    AnyArray, Array, GString, PackedByteArray, PackedStringArray, VarArray, VarDictionary, Variant, varray,
};
use godot::global::Error as EngineError;
use godot::obj::Gd;
use godot::register::{GodotClass, godot_api};
use varbatch_codec::transcode::Translation;
use varbatch_codec::{Dialect, Kind};

use super::diagnostics::diagnostics;
use super::task::{self, VarBatchTask, end, end_with, start, succeeded};
use super::type_table::row;
use crate::calls::decode::{Decode, Input, bytes_to_vars, decode_deep, decode_only, frames_to_vars};
use crate::calls::encode::{ToBytes, ToFrames, vars_to_bytes, vars_to_frames};
use crate::calls::load::{ALL, Load, LoadBytes, load_bytes, load_var, load_vars};
use crate::calls::save::{Holds, NOT_COMPRESSED, Save, Stored, save, to_append, to_save};
use crate::calls::{change, decode, describe, encode, get_in, stream, transcode};
use crate::engine::{AnyArg, BytesOut, Call, DialectArg, FlagArg, ObjectArg, Slot, Value, no, null};
use crate::jobs::pool;
use crate::objects::Makers;
use crate::report::{Failure, Line, Outcome, PRINTS};
use crate::value::build::{MOST_NESTED, build_flat};

const MAX_THREADS: i64 = 256;

#[derive(GodotClass)]
#[class(no_init, base = Object)]
pub struct VarBatch {}

#[godot_api]
impl VarBatch {
    #[constant]
    const COMPRESSION_NONE: i64 = NOT_COMPRESSED;

    #[func]
    fn validate(buffers: AnyArray, #[opt(default = &no())] allow_objects: FlagArg) -> PackedStringArray {
        let validate = |makers| Outcome::new(decode::validate_each(&buffers, makers), Vec::new());
        end("validate", makers(allow_objects.value()).map(validate))
    }

    #[func]
    fn store_var(file: ObjectArg, value: Variant, #[opt(default = false)] full_objects: bool) -> bool {
        end("store_var", stream::store_var(&file, &value, full_objects)) == EngineError::OK
    }

    #[func]
    fn get_var(file: ObjectArg, #[opt(default = &no())] allow_objects: FlagArg) -> Variant {
        end("get_var", stream::get_var(&file, any_makers(allow_objects.value())))
    }

    #[func]
    fn store_vars(file: ObjectArg, values: AnyArray, #[opt(default = false)] full_objects: bool) -> bool {
        end("store_vars", stream::store_vars(&file, values, full_objects)) == EngineError::OK
    }

    #[func]
    fn get_vars(
        file: ObjectArg,
        #[opt(default = ALL)] count: i64,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> VarArray {
        end("get_vars", stream::get_vars(&file, count, makers(allow_objects.value())))
    }

    #[func]
    fn decode_var_size(
        bytes: PackedByteArray,
        #[opt(default = &no())] allow_objects: FlagArg,
        #[opt(default = 0)] offset: i64,
    ) -> i64 {
        let size = |makers| decode::size(&bytes, offset, makers);
        end("decode_var_size", makers(allow_objects.value()).and_then(size).map(|size| Outcome::new(size, Vec::new())))
    }

    #[func]
    fn transcode(bytes: PackedByteArray, from: DialectArg, to: DialectArg) -> PackedByteArray {
        end("transcode", translation(from, to).map(|translation| transcode::transcode(&bytes, translation)))
    }

    #[func]
    fn bytes_to_var_in(
        bytes: PackedByteArray,
        dialect: DialectArg,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Variant {
        let decode =
            |from| makers(allow_objects.value()).map(|makers| Outcome::from(transcode::to_var(&bytes, from, makers)));
        end("bytes_to_var_in", dialect_of(dialect).and_then(decode))
    }

    #[func]
    fn var_to_bytes_in(
        value: Variant,
        dialect: DialectArg,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        end("var_to_bytes_in", dialect_of(dialect).map(|to| transcode::from_var(&value, to, full_objects)))
    }

    #[func]
    fn transcode_file(
        source: GString,
        target: GString,
        from: DialectArg,
        to: DialectArg,
        #[opt(default = &null())] key: AnyArg,
        #[opt(default = false)] force: bool,
    ) -> EngineError {
        let call = |translation| transcode::transcode_file(&source, &target, translation, &key.0, force);
        end("transcode_file", Outcome::of_code(translation(from, to).and_then(call)))
    }

    #[func]
    fn describe(
        bytes: PackedByteArray,
        #[opt(default = DialectArg::GODOT_4)] dialect: DialectArg,
        #[opt(default = describe::MAX_NODES)] max_nodes: i64,
    ) -> VarDictionary {
        end("describe", dialect_of(dialect).and_then(|dialect| describe::describe(&bytes, dialect, max_nodes)))
    }

    #[func]
    fn get_in(bytes: PackedByteArray, path: AnyArray, #[opt(default = &null())] default: AnyArg) -> Variant {
        end("get_in", get_in::get_in(&bytes, &path, &default.0))
    }

    #[func]
    fn get_in_each(buffers: AnyArray, path: AnyArray, #[opt(default = &null())] default: AnyArg) -> VarArray {
        end("get_in_each", get_in::get_in_each(&buffers, &path, &default.0))
    }

    #[func]
    fn diff(
        before: PackedByteArray,
        after: PackedByteArray,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> Array<VarDictionary> {
        end("diff", makers(allow_objects.value()).map(|makers| change::diff(&before, &after, makers)))
    }

    #[func]
    fn diff_batch(pairs: AnyArray, #[opt(default = &no())] allow_objects: FlagArg) -> VarArray {
        end("diff_batch", makers(allow_objects.value()).map(|makers| change::diff_each(&pairs, makers)))
    }

    #[func]
    fn patch(
        before: PackedByteArray,
        changes: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray {
        end("patch", change::patch(&before, &changes, full_objects))
    }

    #[func]
    fn make_delta(before: PackedByteArray, after: PackedByteArray) -> PackedByteArray {
        end("make_delta", change::delta(&before, &after, change::make_delta))
    }

    #[func]
    fn apply_delta(before: PackedByteArray, delta: PackedByteArray) -> PackedByteArray {
        end("apply_delta", change::delta(&before, &delta, change::apply_delta))
    }

    #[func]
    fn make_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        end("make_deltas", change::deltas(&pairs, change::make_delta))
    }

    #[func]
    fn apply_deltas(pairs: AnyArray) -> Array<PackedByteArray> {
        end("apply_deltas", change::deltas(&pairs, change::apply_delta))
    }

    #[func]
    fn set_thread_count(count: i64) {
        let Some(threads) = usize::try_from(count).ok().filter(|_| count <= MAX_THREADS) else {
            let failure = Failure::invalid(format_args!("expected a count from 0 to {MAX_THREADS}, found {count}"));
            return end("set_thread_count", Outcome::failed((), failure));
        };
        pool::set_count(threads);
        succeeded();
    }

    #[func]
    fn get_thread_count() -> i64 {
        i64::try_from(pool::count()).unwrap_or(i64::MAX)
    }

    #[func]
    fn get_version() -> GString {
        env!("CARGO_PKG_VERSION").into()
    }

    #[func]
    fn get_diagnostics() -> VarDictionary {
        diagnostics()
    }

    #[func]
    fn get_type_table() -> Array<VarDictionary> {
        Kind::ALL.into_iter().map(row).collect()
    }

    #[func]
    fn set_print_error_messages(enabled: bool) {
        PRINTS.set(enabled);
    }

    #[func]
    fn is_printing_error_messages() -> bool {
        PRINTS.get()
    }

    #[func]
    fn get_last_error() -> EngineError {
        task::last().0
    }

    #[func]
    fn get_last_error_message() -> GString {
        GString::from(&task::last().1)
    }
}

/// Adds methods that also run in the background, a row each: both names, the arguments and the result, what makes the
/// outcome at once and what makes the job, and what both make it of.
macro_rules! calls {
    ($($now:ident, $later:ident($($args:tt)*) -> $result:ty { $run:path, $job:path => $($input:tt)* })*) => {
        #[godot_api(secondary)]
        impl VarBatch {
            $(
                #[func]
                fn $now($($args)*) -> $result {
                    end(stringify!($now), $run($($input)*))
                }

                #[func]
                fn $later($($args)*) -> Gd<VarBatchTask> {
                    start(stringify!($later), $job($($input)*))
                }
            )*
        }
    };
}

calls! {
    vars_to_bytes, vars_to_bytes_async(
        values: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> Array<PackedByteArray> { vars_to_bytes, ToBytes::held => values, full_objects }

    bytes_to_vars, bytes_to_vars_async(
        buffers: AnyArray,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> VarArray { bytes_to_vars, Decode::buffers => &buffers, makers(allow_objects.value()) }

    vars_to_frames, vars_to_frames_async(
        values: AnyArray,
        #[opt(default = false)] full_objects: bool,
    ) -> PackedByteArray { vars_to_frames, ToFrames::held => values, full_objects }

    frames_to_vars, frames_to_vars_async(
        frames: PackedByteArray,
        #[opt(default = &no())] allow_objects: FlagArg,
    ) -> VarArray { frames_to_vars, Decode::frames => frames, makers(allow_objects.value()) }

    save_var, save_var_async(
        path: GString,
        value: Variant,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = NOT_COMPRESSED)] compression_mode: i64,
        #[opt(default = &null())] key: AnyArg,
        #[opt(default = false)] keep_backup: bool,
    ) -> EngineError {
        save, Save::held => to_save(&path, varray![&value].upcast_any_array(), Holds::Value, full_objects, Stored {
            compression_mode, key: &key.0, keep_backup, header: &PackedByteArray::new(),
        })
    }

    save_vars, save_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = &no())] full_objects: FlagArg,
        #[opt(default = NOT_COMPRESSED)] compression_mode: i64,
        #[opt(default = &null())] key: AnyArg,
        #[opt(default = false)] keep_backup: bool,
        #[opt(default = &PackedByteArray::new())] header: PackedByteArray,
    ) -> EngineError {
        save, Save::held => to_save(&path, values, Holds::Values, full_objects, Stored {
            compression_mode, key: &key.0, keep_backup, header: &header,
        })
    }

    save_bytes, save_bytes_async(
        path: GString,
        bytes: PackedByteArray,
        #[opt(default = NOT_COMPRESSED)] compression_mode: i64,
        #[opt(default = &null())] key: AnyArg,
        #[opt(default = false)] keep_backup: bool,
    ) -> EngineError {
        save, Save::held => to_save(&path, varray![].upcast_any_array(), Holds::Bytes, no(), Stored {
            compression_mode, key: &key.0, keep_backup, header: &bytes,
        })
    }

    load_bytes, load_bytes_async(
        path: GString,
        #[opt(default = &null())] key: AnyArg,
    ) -> PackedByteArray { load_bytes, LoadBytes::new => &path, &key.0 }

    append_vars, append_vars_async(
        path: GString,
        values: AnyArray,
        #[opt(default = &no())] full_objects: FlagArg,
    ) -> EngineError { save, Save::held => to_append(&path, values, full_objects) }

    load_var, load_var_async(
        path: GString,
        #[opt(default = &null())] default: AnyArg,
        #[opt(default = &no())] allow_objects: FlagArg,
        #[opt(default = &null())] key: AnyArg,
    ) -> Variant { load_var, Load::only => &path, &default.0, &allow_objects, &key.0 }

    load_vars, load_vars_async(
        path: GString,
        #[opt(default = &no())] allow_objects: FlagArg,
        #[opt(default = 0)] from: i64,
        #[opt(default = ALL)] count: i64,
        #[opt(default = &null())] key: AnyArg,
        #[opt(default = 0)] offset: i64,
    ) -> VarArray { load_vars, Load::range => &path, &allow_objects, (from, count), (&key.0, offset) }
}

impl Call for VarBatch {
    fn var_to_bytes(value: &Value, full_objects: bool, out: &mut impl BytesOut) {
        match encode::encode(value, full_objects, out) {
            Ok(()) => succeeded(),
            Err(error) => {
                out.allocate(0);
                end_with("var_to_bytes", vec![Line::error(error)]);
            }
        }
    }

    #[inline(always)]
    fn bytes_to_var(bytes: &PackedByteArray, allow_objects: Option<&Value>, offset: i64, out: &mut Slot) {
        let is_flag = allow_objects.is_none_or(|flag| flag.view().kind() == Kind::Bool);
        if is_flag && offset == 0 && build_flat(Input::of(bytes).bytes, out, MOST_NESTED, None) {
            succeeded();
        } else {
            bytes_to_var_at(bytes, allow_objects, offset, out);
        }
    }
}

/// Does the rest of it. Not inlined, as its stack would cost a flat value time.
#[cold]
#[inline(never)]
fn bytes_to_var_at(bytes: &PackedByteArray, allow_objects: Option<&Value>, offset: i64, out: &mut Slot) {
    out.clear();
    // A script may change what the caller has.
    let bytes = bytes.clone();
    let decode = |makers| {
        let input = Input::from(&bytes, offset)?;
        Ok(match offset {
            0 => decode_deep(input, makers, out),
            _ => decode_only(input.alone(), makers, out),
        })
    };
    end::<()>("bytes_to_var", allow_objects.map_or(Ok(None), any_makers).and_then(decode));
}

/// Reads the argument `allow_objects`.
pub fn makers(allow_objects: &Value) -> Result<Makers, Failure> {
    Makers::of(allow_objects).map_err(Failure::invalid)
}

/// The same for one value, which takes less time than makers that make nothing.
fn any_makers(allow_objects: &Value) -> Result<Option<Makers>, Failure> {
    match allow_objects.view() {
        flag if flag.kind() == Kind::Bool && !flag.bool() => Ok(None),
        _ => makers(allow_objects).map(Some),
    }
}

fn dialect_of(arg: DialectArg) -> Result<Dialect, Failure> {
    arg.dialect().map_err(Failure::invalid)
}

fn translation(from: DialectArg, to: DialectArg) -> Result<Translation, Failure> {
    Ok(Translation::new(dialect_of(from)?, dialect_of(to)?))
}
