//! Frames lie in their stream end to end, and written again they are the stream. A value that fails leaves no trace.

use varbatch_codec::frames::FrameBuffer;
use varbatch_codec::{Borrowed, Copied, Dialect, Engine, Event, Plan, Width, Writer, frames};

use super::Options;
use super::steps::{is_written, plain_of, reader, write};

/// Reads a stream of frames, writes it, and reads the values in it. Bit 0 of the options: objects are allowed; the next
/// three are the engine. Bit 1 chooses the components of Godot 4 as well.
///
/// # Panics
/// If something does not hold.
pub fn frames(data: &[u8]) {
    let (options, bytes) = Options::split(data);
    let payloads = read(bytes);
    as_they_are(bytes, &payloads);
    by_value(&payloads, options);
    pushed(bytes, &payloads, options);
}

/// The payloads of the frames before the end or the damage.
fn read(bytes: &[u8]) -> Vec<&[u8]> {
    let mut payloads = Vec::new();
    let mut at = 0;
    let mut frames = frames::read(bytes);
    for frame in frames.by_ref() {
        match frame {
            Ok(frame) => {
                assert_eq!(frame.at, at + frames::PREFIX_LEN, "where a frame begins");
                at = frame.at + frame.payload.len();
                let expected = bytes.get(frame.at..at).expect("a payload inside the stream");
                assert_eq!(frame.payload.as_ptr_range(), expected.as_ptr_range(), "where a payload lies");
                let len = &bytes[frame.at - frames::PREFIX_LEN..frame.at];
                assert_eq!(len, (frame.payload.len() as u32).to_le_bytes(), "the length before a payload");
                payloads.push(frame.payload);
            }
            Err(error) => {
                assert!(at <= error.at() && error.at() <= bytes.len(), "{error}, behind byte {at}");
                assert!(!error.to_string().contains(char::is_control), "not one line: {error}");
                assert!(frames.next().is_none(), "went on behind the damage");
                return payloads;
            }
        }
    }
    assert_eq!(at, bytes.len(), "ended early");
    payloads
}

/// Pushes the stream in parts of a length that the options choose.
fn pushed(bytes: &[u8], payloads: &[&[u8]], options: Options) {
    let mut buffer = FrameBuffer::new(bytes.len());
    let mut found = Vec::new();
    for part in bytes.chunks(options.pick() + 1) {
        buffer.push(part);
        while let Ok(Some(payload)) = buffer.next() {
            found.push(payload.to_vec());
        }
    }
    assert_eq!(found, payloads, "frames that were pushed");
    let end = buffer.next().map(|_| ()).and_then(|()| buffer.finish()).map_err(|error| error.at());
    let damage = frames::read(bytes).find_map(Result::err);
    assert_eq!(end.is_err(), damage.is_some(), "{end:?}, {damage:?}");
}

/// Writes the payloads without a look at them.
fn as_they_are(bytes: &[u8], payloads: &[&[u8]]) {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for payload in payloads {
        let result = frames::write(&mut writer, |writer| writer.encoded(payload, Borrowed));
        assert_eq!(result.is_err(), payload.is_empty(), "a frame of {} bytes: {result:?}", payload.len());
    }
    let whole: Vec<_> = payloads.iter().filter(|payload| !payload.is_empty()).map(|payload| framed(payload)).collect();
    let written = writer.into_plan().to_vec();
    assert_eq!(written, whole.concat(), "written again");
    if payloads.iter().all(|payload| !payload.is_empty()) {
        assert!(bytes.starts_with(&written), "no prefix of the stream");
    }
}

/// Writes the values of the payloads, and what was read of those that are none.
fn by_value(payloads: &[&[u8]], options: Options) {
    let engine = options.engine();
    let is_double = engine == Engine::Godot4 && options.pick() & 1 != 0;
    let dialect = if is_double { Dialect::GODOT_4_DOUBLE } else { Dialect::of(engine) };
    let mut writer = Writer::new(dialect);
    let mut expected = Vec::new();
    for (index, payload) in payloads.iter().enumerate() {
        let (events, whole) = events(payload, engine, options.allow_objects());
        let before = (writer.mark(), writer.plan().len());
        let result = frames::write(&mut writer, |writer| {
            events.iter().try_for_each(|&event| match index.is_multiple_of(2) {
                true => writer.write(event),
                false => writer.write_as(event, Copied),
            })
        });
        let fits = |event: &Event<'_>| {
            is_written(engine, event) && plain_of(event).is_none_or(|plain| fits(plain.width, plain.kind, dialect))
        };
        assert_eq!(result.is_ok(), whole && events.iter().all(fits), "frame {index}: {result:?}");
        if result.is_ok() {
            expected.extend(framed(&write(&events, dialect)));
        } else {
            assert_eq!((writer.mark(), writer.plan().len()), before, "frame {index} left a trace");
        }
    }
    let plan: Plan<'_> = writer.into_plan();
    assert_eq!(plan.to_vec(), expected, "the frames that could be written");
}

fn fits(width: Width, kind: varbatch_codec::Kind, dialect: Dialect) -> bool {
    !kind.shape().is_real() || width == dialect.real
}

/// The events that can be read, and whether those are a value.
fn events(payload: &[u8], engine: Engine, allow_objects: bool) -> (Vec<Event<'_>>, bool) {
    let mut reader = reader(payload, engine, allow_objects);
    let mut events = Vec::new();
    loop {
        match reader.next_event() {
            Ok(Some(event)) => events.push(event),
            Ok(None) => return (events, true),
            Err(_) => return (events, false),
        }
    }
}

fn framed(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..], payload].concat()
}
