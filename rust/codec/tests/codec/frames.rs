//! Guards: frames are lengths and payloads, damage ends the reading at the right byte, a failed value leaves no trace.

use std::io::{self, ErrorKind, Read};

use proptest::collection::vec;
use proptest::prelude::*;
use varbatch_codec::frames::{FrameBuffer, FrameReader, FrameWriter};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Event, Reader, Width, Writer, frames};

use crate::support::memory::most_held;
use crate::support::value::{Value, any_value, cases};
use crate::support::{naive, vectors};

/// A stream of frames of these payloads, by hand.
fn stream(payloads: &[Vec<u8>]) -> Vec<u8> {
    let frame = |payload: &Vec<u8>| [&(payload.len() as u32).to_le_bytes()[..], payload].concat();
    payloads.iter().flat_map(frame).collect()
}

fn write_all(values: &[Value]) -> Vec<u8> {
    let mut writer = Writer::new(Dialect::GODOT_4);
    for value in values {
        let events = value.events();
        frames::write(&mut writer, |writer| events.into_iter().try_for_each(|event| writer.write(event)))
            .expect("writes");
    }
    writer.into_plan().to_vec()
}

/// The payloads before the damage, and the damage.
fn read(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<CodecError>) {
    let mut payloads = Vec::new();
    let mut frames = frames::read(bytes);
    for frame in frames.by_ref() {
        match frame {
            Ok(frame) => {
                assert_eq!(&bytes[frame.at..frame.at + frame.payload.len()], frame.payload, "place of a payload");
                payloads.push(frame.payload.to_vec());
            }
            Err(error) => {
                assert!(frames.next().is_none(), "went on behind the damage");
                return (payloads, Some(error));
            }
        }
    }
    (payloads, None)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn what_is_written_as_frames_is_read_as_frames(values in vec(any_value(Width::Single), 0..12)) {
        let payloads: Vec<_> = values.iter().map(naive::value).collect();
        let bytes = write_all(&values);
        prop_assert_eq!(&bytes, &stream(&payloads));
        prop_assert_eq!(read(&bytes), (payloads, None));
    }
}

#[test]
fn every_truncation_gives_the_whole_frames_before_it_and_one_error_at_its_byte() {
    let payloads: Vec<_> = vectors::written().step_by(9).map(|vector| vector.bytes).collect();
    let bytes = stream(&payloads);
    let mut start = 0;
    for (index, payload) in payloads.iter().enumerate() {
        let end = start + 4 + payload.len();
        for cut in start..end {
            let short = |at, part, expected| {
                let reason = CodecErrorKind::ShortFrame { part, expected, found: cut - at };
                Some(CodecError::new(at, reason))
            };
            let expected = match cut - start {
                0 => None,
                1..4 => short(start, "length", 4),
                _ => short(start + 4, "payload", payload.len()),
            };
            assert_eq!(read(&bytes[..cut]), (payloads[..index].to_vec(), expected), "cut at {cut}");
        }
        start = end;
    }
    assert_eq!(read(&bytes), (payloads, None));
}

#[test]
fn a_frame_with_a_bad_value_does_not_end_the_reading() {
    let bytes = stream(&[vec![], vec![2, 0], vec![99, 0, 0, 0], vec![2, 0, 0, 0, 7], vec![0, 0, 0, 0, 0xff]]);
    let (payloads, error) = read(&bytes);
    assert_eq!((payloads.len(), error), (5, None));
    // Each error names its byte in the stream; what follows the value of a frame is skipped.
    let frames = frames::read(&bytes).map(|frame| frame.expect("a frame"));
    let errors =
        frames.map(|frame| Reader::new(frame.payload).with_base(frame.at).next_event().err().map(|error| error.at()));
    assert_eq!(errors.collect::<Vec<_>>(), [Some(4), Some(8), Some(14), Some(26), None]);
}

#[test]
fn a_value_that_fails_leaves_no_frame() {
    let mut writer = Writer::new(Dialect::GODOT_4);
    let int = |value| move |writer: &mut Writer<'_>| writer.write(Event::Int(value));
    frames::write(&mut writer, int(1)).expect("writes");
    let before = writer.mark();
    // The caller fails, behind a part of a value.
    let failed: Result<(), CodecError> = frames::write(&mut writer, |writer| {
        writer.write(Event::PackedStrings { count: 2 })?;
        writer.write(Event::Bool(true))
    });
    assert!(matches!(failed.expect_err("a bool for a text").kind(), CodecErrorKind::Order { .. }));
    assert_eq!(writer.mark(), before);
    // The value is not complete.
    let failed = frames::write(&mut writer, |writer| writer.write(Event::PackedStrings { count: 2 }));
    assert!(matches!(failed.expect_err("no texts").kind(), CodecErrorKind::Order { .. }));
    assert_eq!(writer.mark(), before);
    assert!(frames::write(&mut writer, |_| Ok::<(), CodecError>(())).is_err(), "no events");
    frames::write(&mut writer, int(2)).expect("writes");
    let expected = [[8, 0, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0], [8, 0, 0, 0], [2, 0, 0, 0], [2, 0, 0, 0]];
    assert_eq!(writer.into_plan().to_vec(), expected.as_flattened());
}

/// A source that gives a byte at a time, as a socket may.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = 1.min(out.len());
        self.0.read(&mut out[..len])
    }
}

#[test]
fn a_source_gives_its_frames_up_to_a_length() {
    let payloads = [vec![1; 5], Vec::new(), vec![2; 9]];
    let bytes = stream(&payloads);
    for cut in 0..=bytes.len() {
        let (expected, damage) = read(&bytes[..cut]);
        let mut reader = FrameReader::new(Slow(&bytes[..cut]), 9);
        let mut found = Vec::new();
        let end = loop {
            match reader.read() {
                Ok(Some(payload)) => found.push(payload.to_vec()),
                end => break end.map(|_| ()).map_err(|error| (error.kind(), error.to_string())),
            }
        };
        assert_eq!(found, expected, "{cut} bytes");
        assert_eq!(end, damage.map_or(Ok(()), |error| Err((ErrorKind::UnexpectedEof, error.to_string()))));
    }
    let mut reader = FrameReader::new(&bytes[..], 8);
    assert_eq!(reader.read().expect("five bytes"), Some(&[1; 5][..]));
    assert_eq!(reader.read().expect("none"), Some(&[][..]));
    let error = reader.read().expect_err("nine bytes");
    let expected = "expected at most 8 bytes in a frame, found 9, at byte 13";
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidData, expected));
    let (huge, fits) = (u32::MAX.to_le_bytes(), u32::MAX as usize);
    let mut reader = FrameReader::new(&huge[..], fits);
    // What is announced is not taken.
    assert!(most_held(|| assert!(reader.read().is_err())).0 < 1 << 16);
}

/// A source that gives parts of a stream, with an error between them.
struct Pausing(Vec<Vec<u8>>, ErrorKind);

impl Read for Pausing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(part) = self.0.last_mut() else { return Ok(0) };
        if part.is_empty() {
            self.0.pop();
            return if self.0.is_empty() { Ok(0) } else { Err(self.1.into()) };
        }
        let len = out.len().min(part.len());
        out[..len].copy_from_slice(&part[..len]);
        part.drain(..len);
        Ok(len)
    }
}

#[test]
fn a_frame_goes_on_after_a_pause_of_its_source() {
    let payloads = [vec![1; 5], Vec::new(), vec![2; 9]];
    let bytes = stream(&payloads);
    for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut, ErrorKind::Interrupted] {
        for cut in 1..bytes.len() {
            let mut reader = FrameReader::new(Pausing(vec![bytes[cut..].to_vec(), bytes[..cut].to_vec()], kind), 9);
            let (mut found, mut pauses) = (Vec::new(), 0);
            loop {
                match reader.read() {
                    Ok(Some(payload)) => found.push(payload.to_vec()),
                    Ok(None) => break,
                    Err(error) => {
                        assert_eq!(error.kind(), kind);
                        pauses += 1;
                    }
                }
            }
            assert_eq!(found, payloads, "cut at {cut}");
            assert!(pauses <= 1);
        }
    }
}

#[test]
fn a_reader_that_refused_a_length_takes_no_payload_for_a_frame() {
    // The payload of the frame that is too long looks like a frame.
    let bytes = stream(&[vec![1; 3], stream(&[vec![7; 4]]), vec![2; 1]]);
    let mut reader = FrameReader::new(&bytes[..], 7);
    assert_eq!(reader.read().expect("three bytes"), Some(&[1; 3][..]));
    for _ in 0..3 {
        assert_eq!(reader.read().expect_err("eight bytes").kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn bytes_that_are_pushed_in_any_parts_give_the_same_frames() {
    let payloads = [vec![1; 5], Vec::new(), vec![2; 9], vec![3; 1]];
    let bytes = stream(&payloads);
    for len in 1..=bytes.len() {
        let (mut frames, mut found) = (FrameBuffer::new(9), Vec::new());
        for part in bytes.chunks(len) {
            frames.push(part);
            while let Some(payload) = frames.next().expect("not too long") {
                found.push(payload.to_vec());
            }
        }
        assert_eq!((found.as_slice(), frames.finish()), (&payloads[..], Ok(())), "{len} at a time");
    }
    for cut in 0..bytes.len() {
        let mut frames = FrameBuffer::new(9);
        frames.push(&bytes[..cut]);
        assert_eq!(frames.finish().err(), read(&bytes[..cut]).1, "cut at {cut}, none taken");
        while frames.next().expect("not too long").is_some() {}
        assert_eq!(frames.finish().err(), read(&bytes[..cut]).1, "cut at {cut}");
    }
}

/// Whoever sends small frames makes a backlog, where one is taken for each push.
#[test]
fn a_backlog_of_frames_is_not_moved_with_each_push() {
    let bytes = stream(&vec![vec![7]; 1_000_000]);
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    let (mut frames, start) = (FrameBuffer::new(9), std::time::Instant::now());
    frames.push(first);
    for part in rest.chunks(5) {
        frames.push(part);
        assert_eq!(frames.next(), Ok(Some(&[7][..])));
    }
    assert!(start.elapsed().as_secs() < 4, "{:?}", start.elapsed());
}

#[test]
fn what_a_frame_writer_writes_is_a_stream_of_frames() {
    let (payloads, mut written) = ([vec![1; 5], Vec::new(), vec![2; 9]], Vec::new());
    let mut writer = FrameWriter::new(&mut written);
    payloads.iter().for_each(|payload| writer.write(payload).expect("memory"));
    assert_eq!(written, stream(&payloads));
}
