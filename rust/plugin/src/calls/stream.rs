//! Values in an open file, a stream or packets, where these stand: records between whatever else is there, as
//! `FileAccess.store_var`, `StreamPeer.put_var` and `PacketPeer.put_var` write them.
//!
//! Many records are read with few calls, never a byte too far. Errors may run scripts: nothing stays borrowed then.

use godot::builtin::{AnyArray, Array, PackedByteArray, VarArray, Variant};
use godot::global::Error as EngineError;
use varbatch_codec::frames::PREFIX_LEN;
use varbatch_codec::limits::MAX_VALUE_LEN;
use varbatch_codec::{CodecError, CodecErrorKind};

use super::decode::{Decode, Input, decode_only};
use super::encode::{encode, encode_full, frames_to_store, vars_to_bytes, vars_to_frames};
use super::load::ALL;
use crate::engine::{self, BytesOut, Memory, ObjectArg, Slot, Stream, StreamKind};
use crate::objects::{Makers, alive};
use crate::report::{Cause, Failure, Line, Outcome, Reports, VALUES};

/// Bytes of most records.
const ROOM: usize = 1 << 10;

/// Max bytes to read at once, so that a wrong length takes no memory for bytes that are not there.
const PIECE: usize = 4 << 20;

fn stream_of(file: &ObjectArg) -> Result<Stream<'_>, Failure> {
    let value = engine::value(&file.0);
    Stream::of(value).ok_or_else(|| {
        let found = alive(value).map_or_else(str::to_owned, |_| engine::class_of(value).to_string());
        Failure::invalid(format_args!("expected a FileAccess, a StreamPeer or a PacketPeer, found {found}"))
    })
}

/// Fails if a file was closed: of others the engine says so itself.
fn check_open(stream: &Stream<'_>) -> Result<(), Failure> {
    let closed = || Failure::new(EngineError::ERR_FILE_CANT_OPEN, "expected an open file, found one that was closed");
    stream.is_open().then_some(()).ok_or_else(closed)
}

struct Record {
    bytes: PackedByteArray,
    has_len: bool,
    is_big_endian: bool,
}

impl BytesOut for Record {
    fn allocate(&mut self, len: usize) -> Memory<'_> {
        if !self.has_len {
            return self.bytes.allocate(len);
        }
        let (prefix, value) = self.bytes.allocate(PREFIX_LEN + len).split_at_mut(PREFIX_LEN);
        // The writer refuses values that are longer.
        let len = len as u32;
        prefix.write_copy_of_slice(&if self.is_big_endian { len.to_be_bytes() } else { len.to_le_bytes() });
        value
    }
}

/// Returns the length at the start of a record, if it is there.
fn len_of(record: &[u8], is_big_endian: bool) -> Option<usize> {
    let prefix = *record.first_chunk()?;
    Some(if is_big_endian { u32::from_be_bytes(prefix) } else { u32::from_le_bytes(prefix) } as usize)
}

/// Turns the order of the bytes of each length, which is that of the machine or the other, as `is_big_endian` says.
fn turn_lengths(records: &mut PackedByteArray, is_big_endian: bool) {
    let mut rest = records.as_mut_slice();
    while let Some(len) = len_of(rest, is_big_endian) {
        rest[..PREFIX_LEN].reverse();
        rest = rest.get_mut(PREFIX_LEN + len..).unwrap_or_default();
    }
}

fn write(stream: &Stream<'_>, bytes: &PackedByteArray) -> Result<(), Failure> {
    check_open(stream)?;
    let (len, max) = (bytes.len(), stream.max_len());
    if len > max {
        let advice = "raise encode_buffer_max_size, also where it is read";
        let text = format!("expected at most {max} bytes for a packet, found {len}: {advice}");
        return Err(Failure::new(EngineError::ERR_OUT_OF_MEMORY, text));
    }
    stream.write(bytes).map_err(|code| {
        let advice = match stream.kind {
            StreamKind::File => "is the file open for writing, and is there room on the disk?",
            StreamKind::Peer | StreamKind::Packets => "is the peer connected?",
        };
        Failure::new(code, format_args!("{len} bytes were not written ({}): {advice}", engine::error_text(code)))
    })
}

pub fn store_var(file: &ObjectArg, value: &Variant, full_objects: bool) -> Outcome<EngineError> {
    let store = |stream: Stream<'_>| {
        let (is_big_endian, has_len) = (stream.is_big_endian(), stream.kind != StreamKind::Packets);
        let mut record = Record { bytes: PackedByteArray::new(), has_len, is_big_endian };
        let (value, tells) = (engine::value(value), stream.kind == StreamKind::File);
        let lost = match full_objects {
            true => encode_full(value, tells, &mut record)?,
            false => encode(value, false, &mut record).map(|()| None)?,
        };
        write(&stream, &record.bytes)?;
        Ok(Outcome::new(EngineError::OK, lost.iter().map(|lost| Line::warning(lost.text(None))).collect()))
    };
    Outcome::of_code(stream_of(file).and_then(store))
}

/// Writes values: all at once, or as a packet each. Those that cannot be encoded are left out.
pub fn store_vars(file: &ObjectArg, values: AnyArray, full_objects: bool) -> Outcome<EngineError> {
    let store = |stream: Stream<'_>| {
        if stream.kind == StreamKind::Packets {
            return Ok(store_packets(&stream, vars_to_bytes(values, full_objects)));
        }
        let Outcome { value: mut records, mut lines, .. } = match stream.kind {
            StreamKind::File => frames_to_store(values, full_objects),
            _ => vars_to_frames(values, full_objects),
        };
        if stream.is_big_endian() {
            turn_lengths(&mut records, false);
        }
        lines.extend(write(&stream, &records).err().map(Line::error));
        Ok(with_code(lines))
    };
    Outcome::of_code(stream_of(file).and_then(store))
}

fn store_packets(stream: &Stream<'_>, encoded: Outcome<Array<PackedByteArray>>) -> Outcome<EngineError> {
    let Outcome { value: packets, mut lines, .. } = encoded;
    let mut reports = Reports::default();
    for (index, packet) in packets.iter_shared().enumerate().filter(|(_, packet)| !packet.is_empty()) {
        if let Err(failure) = write(stream, &packet) {
            reports.push_error(index, || failure);
        }
    }
    lines.extend(reports.lines(&VALUES));
    with_code(lines)
}

fn with_code(lines: Vec<Line>) -> Outcome<EngineError> {
    let outcome = Outcome::new((), lines);
    let code = outcome.code;
    outcome.map(|()| code)
}

pub fn get_var(file: &ObjectArg, makers: Result<Option<Makers>, Failure>) -> Outcome<Variant> {
    let get = |stream: Stream<'_>| {
        let makers = makers?;
        check_open(&stream)?;
        let (mut bytes, mut slot) = (Vec::with_capacity(ROOM), Slot::new());
        read_record(&stream, &mut bytes)?;
        Ok(decode_only(Input { at: 0, bytes: &bytes }, makers, &mut slot).map(|()| slot.into_variant()))
    };
    stream_of(file).and_then(get).into()
}

/// Reads the bytes of a value into `bytes`, which is empty.
fn read_record(stream: &Stream<'_>, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    if stream.kind == StreamKind::Packets {
        bytes.extend_from_slice(engine::bytes_of(&stream.packet().map_err(no_packet)?));
        return Ok(());
    }
    let has_begun = stream.kind == StreamKind::Peer && stream.left() > 0;
    read(stream, PREFIX_LEN, bytes).map_err(|code| failed(code, has_begun, PREFIX_LEN))?;
    let Some(len) = len_of(bytes, stream.is_big_endian()) else {
        // A compressed file does not tell before.
        let _ = read(stream, 1, &mut Vec::new());
        return Err(failed(read_error(stream), !bytes.is_empty(), PREFIX_LEN - bytes.len()));
    };
    bytes.clear();
    if len == 0 {
        return Err(Failure::damaged(CodecError::new(0, CodecErrorKind::NoHeader { found: 0 })));
    }
    check_len(stream, len)?;
    read(stream, len, bytes).map_err(|code| cut_off(code, len))?;
    match len - bytes.len() {
        0 => Ok(()),
        missing => Err(cut_off(read_error(stream), missing)),
    }
}

/// Appends `len` bytes, or fewer if a file ends, piece by piece. Of a peer that fails, none are left.
fn read(stream: &Stream<'_>, len: usize, out: &mut Vec<u8>) -> Result<(), EngineError> {
    let end = out.len() + len;
    while out.len() < end {
        let piece_end = out.len() + (end - out.len()).min(PIECE);
        stream.read(piece_end - out.len(), out)?;
        if out.len() < piece_end {
            break;
        }
    }
    Ok(())
}

/// Refuses lengths that the engine takes for negative ones. In a file such a record is cut off.
fn check_len(stream: &Stream<'_>, len: usize) -> Result<(), Failure> {
    if len <= MAX_VALUE_LEN || stream.kind == StreamKind::File {
        return Ok(());
    }
    let text = format!("expected at most {MAX_VALUE_LEN} bytes for a value, found {len}: does a value begin here?");
    Err(Failure::new(Cause::Damaged, text))
}

fn read_error(stream: &Stream<'_>) -> EngineError {
    stream.read_error().unwrap_or(Cause::Ended.into())
}

fn cut_off(code: EngineError, missing: usize) -> Failure {
    let (bytes, why) = (if missing == 1 { "byte" } else { "bytes" }, engine::error_text(code));
    let advice = "it is cut off, or no value begins here";
    let code = if code == EngineError::ERR_FILE_EOF { Cause::Damaged.into() } else { code };
    Failure::new(code, format_args!("expected {missing} more {bytes} of a value, found none ({why}): {advice}"))
}

/// What ends before a value is not cut off.
fn failed(code: EngineError, has_begun: bool, missing: usize) -> Failure {
    let has_none = [EngineError::ERR_FILE_EOF, EngineError::ERR_FILE_CANT_READ].contains(&code);
    if has_begun || !has_none { cut_off(code, missing) } else { ended(code) }
}

fn ended(code: EngineError) -> Failure {
    if code == EngineError::ERR_FILE_EOF {
        return Failure::new(code, "expected a value, found the end");
    }
    let found = engine::error_text(code);
    Failure::new(code, format_args!("expected a file that is open for reading, found none ({found})"))
}

fn no_packet(code: EngineError) -> Failure {
    Failure::new(code, format_args!("expected a packet, found none ({})", engine::error_text(code)))
}

pub fn get_vars(file: &ObjectArg, count: i64, makers: Result<Makers, Failure>) -> Outcome<VarArray> {
    let get = |stream: Stream<'_>| {
        let refused = || Failure::invalid(format_args!("expected -1 or more as count, found {count}"));
        let count = if count == ALL { None } else { Some(super::count_of(count).ok_or_else(refused)?) };
        let makers = makers?;
        check_open(&stream)?;
        if stream.kind == StreamKind::Packets {
            let (packets, end) = read_packets(&stream, count);
            return Ok(Decode::buffers(&packets.upcast_any_array(), Ok(makers)).at_once(end));
        }
        let (mut records, end) = read_records(&stream, count);
        if stream.is_big_endian() {
            turn_lengths(&mut records, true);
        }
        Ok(Decode::frames(records, Ok(makers)).at_once(end))
    };
    stream_of(file).and_then(get).into()
}

/// Takes `count` packets, or those that have come. Also says why there are fewer.
fn read_packets(stream: &Stream<'_>, count: Option<usize>) -> (Array<PackedByteArray>, Option<Failure>) {
    let mut packets = Array::new();
    for _ in 0..count.unwrap_or(stream.left() as usize) {
        match stream.packet() {
            Ok(packet) => packets.push(&packet),
            Err(code) => return (packets, Some(no_packet(code))),
        }
    }
    (packets, None)
}

/// Reads `count` records, or all that are there or have begun, except a cut-off one. Also says why they are fewer.
fn read_records(stream: &Stream<'_>, count: Option<usize>) -> (PackedByteArray, Option<Failure>) {
    let (mut bytes, is_big_endian) = (Vec::new(), stream.is_big_endian());
    let left = || usize::try_from(stream.left()).unwrap_or(usize::MAX);
    let all = if count.is_none() { left() } else { 0 };
    if count.is_none() && all == 0 && stream.kind == StreamKind::File {
        // It may have been opened only for writing.
        let end = read(stream, 1, &mut bytes).err().or(stream.read_error());
        return (PackedByteArray::new(), end.filter(|code| *code != EngineError::ERR_FILE_EOF).map(ended));
    }
    // The number of whole records, and where the next one begins.
    let (mut found, mut at) = (0, 0);
    let end = loop {
        let record: &[u8] = &bytes[at..];
        let (has, len) = (record.len(), len_of(record, is_big_endian));
        let whole = PREFIX_LEN.saturating_add(len.unwrap_or(0));
        if count == Some(found) || (count.is_none() && has == 0 && at >= all) {
            break None;
        }
        if len.is_some() && has >= whole {
            (found, at) = (found + 1, at + whole);
            continue;
        }
        // The other records have a length at least, which can be read with this one.
        let missing = whole - has;
        let left = left();
        let wanted = count.map_or(all.saturating_sub(at + has), |count| {
            left.min(missing.saturating_add((count - found - 1).saturating_mul(PREFIX_LEN)))
        });
        let mut read =
            || read(stream, missing.max(wanted), &mut bytes).map_err(|code| failed(code, has + left > 0, missing));
        if let Err(failure) = check_len(stream, len.unwrap_or(0)).and_then(|()| read()) {
            break Some(failure);
        }
        match bytes.len() - at - has {
            0 if has == 0 => break Some(ended(read_error(stream))),
            more if more < missing => break Some(cut_off(read_error(stream), missing - more)),
            _ => {}
        }
    };
    (engine::byte_array_of(&bytes[..at]), end)
}
