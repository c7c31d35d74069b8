//! What calls add to their messages: what is wrong with bytes, what reads another format, and which argument was meant.

use godot::classes::Os;
use godot::obj::Singleton;
use varbatch_codec::Kind;
use varbatch_storage::Format;

use crate::engine::Slot;
use crate::report::Line;

/// Whoever ports `get_var(true)` means the argument that says which objects are allowed.
const PORTED: &str = "returns the default, which is true: load_var(path, null, true) allows objects";

/// Returns the warning for a file that does not exist, in debug builds: the developer may mean something else.
pub fn on_missing(default: &Slot, path: &str) -> Option<Line> {
    let text = format_args!("\"{path}\": found no file, and {PORTED}");
    (is_true(default) && Os::singleton().is_debug_build()).then(|| Line::warning(text))
}

pub fn on_refused(default: &Slot, error: &mut Line) {
    if is_true(default) && error.text.contains("allow_objects") {
        error.text += &format!("; {PORTED}");
    }
}

fn is_true(default: &Slot) -> bool {
    let view = default.value().view();
    view.kind() == Kind::Bool && view.bool()
}

pub fn advice(format: Format) -> &'static str {
    match format {
        Format::Encrypted => "load_var() and load_vars() read it with its password or key",
        Format::Resource | Format::CompressedResource | Format::TextResource => "load() reads it",
        Format::Config => "ConfigFile.load() reads it",
        Format::TextUtf16 => "FileAccess.get_file_as_bytes(path).get_string_from_utf16() reads it",
        Format::Png | Format::Jpeg => "Image.load_from_file() reads it",
        Format::Riff => "AudioStreamWAV.load_from_file() or Image.load_from_file() reads it",
        Format::Ogg => "AudioStreamOggVorbis.load_from_file() reads it",
        Format::Pack => "ProjectSettings.load_resource_pack() reads it",
        Format::Sqlite => "VarBatchStore.open() reads it if it is a store",
        Format::Zip => "ZIPReader reads it",
        Format::Gzip => {
            "FileAccess.get_file_as_bytes(path).decompress_dynamic(-1, FileAccess.COMPRESSION_GZIP) unpacks it"
        }
        Format::Zstd => {
            "FileAccess.get_file_as_bytes(path).decompress(size, FileAccess.COMPRESSION_ZSTD) unpacks it to so many bytes"
        }
        _ => "FileAccess.get_file_as_string() reads it",
    }
}
