//! A translation is what the other engine has for a value, whoever asks for it: one value, or many in runs.

use varbatch_codec::transcode::{self, Losses, Lost, RUN_LEN, Translation};
use varbatch_codec::{CodecError, CodecErrorKind, Dialect, Engine, Event, Width, frames};

use super::Options;
use super::converted::{Conversion, Source};
use super::grammar::Grammar;
use super::model::{self, Verdict};
use super::steps::{is_any_object, is_marked, plain_of};

/// So much longer a value may get: a RID without an id becomes one with an id.
const GROWTH: usize = 3;

/// Translates a value. Bit 0 of the options: objects are allowed; the next three are the engine that it is of. The byte
/// behind the options: three bits for the dialect that it becomes; the others choose how many frames there are.
///
/// # Panics
/// If something does not hold.
pub fn transcode(data: &[u8]) {
    let (options, rest) = Options::split(data);
    let Some((&second, bytes)) = rest.split_first() else { return };
    let to = match second & 7 {
        number @ 1..=4 => Dialect::of(Engine::ALL[usize::from(number)]),
        5 => Dialect::GODOT_4_DOUBLE,
        _ => Dialect::GODOT_4,
    };
    let from = Dialect::of(options.engine());
    let translation = Translation { allow_objects: options.allow_objects(), ..Translation::new(from, to) };
    let source = Source::new(bytes, from.engine, options.allow_objects());
    let conversion = Conversion::new(from.engine, to);
    match translation.bytes(bytes) {
        Ok((there, losses)) => {
            assert!(there.len() <= GROWTH * bytes.len() + 16, "{} bytes of {}", there.len(), bytes.len());
            assert!(source.error.is_none(), "translated, but {:?}", source.error);
            let homeless = conversion.homeless(&source).map(|(at, what, _)| (at, what));
            assert_eq!(homeless, None, "translated");
            translated(translation, &source, conversion, &there, &losses);
        }
        Err(error) => failed(&error, &source, &conversion),
    }
    streams(translation, bytes, second);
}

/// The bytes are read as what the events of the source become, and back.
fn translated(by: Translation, source: &Source<'_>, mut conversion: Conversion, there: &[u8], losses: &Losses) {
    let events: Vec<_> = source.events.iter().map(|(_, event)| *event).collect();
    if is_marked(&events) {
        // Read once more, such a text loses its mark, and a class that is nothing else makes null of its object.
        return;
    }
    let verdict = model::verdict_of(by.to.engine, there, true);
    assert_eq!(verdict, Verdict::Accepted(there.len()), "by the other engine");
    let found = Source::new(there, by.to.engine, true);
    conversion.check(source, &found);
    assert_eq!(losses.iter().len(), conversion.losses.len(), "{losses:?}, expected {:?}", conversion.losses);
    for loss in losses.iter() {
        let expected = conversion.losses.iter().find(|expected| expected.what == loss.what);
        let expected = expected.unwrap_or_else(|| panic!("nothing such was lost: {loss}"));
        assert_eq!((loss.count, loss.at), (expected.count, expected.at), "{loss}");
        assert!(expected.place.is_at(&loss.path), "{loss}");
        assert!(!loss.to_string().contains(char::is_control), "not one line: {loss}");
    }

    let doubles = events.iter().filter_map(plain_of).any(|plain| plain.width == Width::Double);
    let home = if doubles { Dialect::GODOT_4_DOUBLE } else { by.from };
    let (back, more) = Translation::new(by.to, home).bytes(there).expect("goes back");
    let again = Source::new(&back, home.engine, true);
    Conversion::new(by.to.engine, home).check(&found, &again);
    // A StringName that became a String stays one, and any object has no class with an empty name.
    let is_changed = |event: &Event<'_>| match event {
        Event::StringName(_) => by.to.engine == Engine::Godot3,
        Event::Array { element, .. } => is_any_object(*element),
        _ => false,
    };
    let is_whole = |losses: &Losses| losses.iter().all(|loss| matches!(loss.what, Lost::Rest | Lost::Misread));
    if is_whole(losses) && is_whole(&more) && !conversion.renames() && !events.iter().any(is_changed) {
        Conversion { is_back: true, ..Conversion::new(by.from.engine, home) }.check(source, &again);
    }
    if is_whole(losses) && by.to.engine == by.from.engine && by.to.real == by.from.real {
        let (twice, more) = by.bytes(there).expect("translates what it has written");
        assert!(twice == there && is_whole(&more), "another value the second time");
    }
}

/// The first that went wrong, in the bytes that were read.
fn failed(error: &CodecError, source: &Source<'_>, conversion: &Conversion) {
    assert!(error.at() <= source.bytes.len(), "{error} in {} bytes", source.bytes.len());
    let text = error.to_string();
    assert!(!text.contains(char::is_control), "not one line: {text:?}");
    assert!(text.contains(&format!(", at byte {}", error.at())), "{text}");
    match conversion.homeless(source) {
        Some((at, what, place)) => {
            let reason = CodecErrorKind::NoSuchType { engine: conversion.to.engine, what };
            assert_eq!((error.kind(), error.at()), (&reason, at), "{error}");
            assert!(Grammar::is_at(&place, error.path()), "{error}");
        }
        None => assert_eq!(Some(error), source.error.as_ref(), "another error than the Reader's"),
    }
}

/// Frames are translated alike in runs and one by one.
fn streams(by: Translation, bytes: &[u8], pick: u8) {
    // Now and then so long that there are several runs: what follows a value costs no time.
    let (times, len) = match pick {
        0xff => (30, bytes.len().max(20 << 10)),
        _ => (usize::from(pick >> 3) % 4, bytes.len()),
    };
    let mut frame = [&(len as u32).to_le_bytes()[..], bytes].concat();
    frame.resize(frames::PREFIX_LEN + len, 0);
    for stream in [bytes, &frame.repeat(times)] {
        let end_of = |frame: frames::Frame<'_>| frame.at + frame.payload.len();
        let whole = &stream[..frames::read(stream).flatten().last().map_or(0, end_of)];
        assert_eq!(in_runs(by, whole), one_by_one(by, whole));
    }
}

fn in_runs(by: Translation, stream: &[u8]) -> Result<Stream, (usize, CodecError)> {
    let (mut all, mut count, mut losses, mut at) = (Vec::new(), 0, Losses::default(), 0);
    while at < stream.len() {
        let rest = &stream[at..];
        let mut ends = frames::read(rest).flatten().map(|frame| frame.at + frame.payload.len());
        let len = ends.find(|&end| end >= RUN_LEN).unwrap_or(rest.len());
        let run = by.run(&rest[..len], at);
        at += len;
        count += run.count;
        if let Some(error) = run.error {
            return Err((count, error));
        }
        losses.append(run.losses);
        all.extend(run.plan.to_vec());
    }
    Ok((all, count, lost(&losses)))
}

type Stream = (Vec<u8>, usize, Vec<transcode::Loss>);

fn one_by_one(by: Translation, bytes: &[u8]) -> Result<Stream, (usize, CodecError)> {
    let (mut all, mut losses) = (Vec::new(), Losses::default());
    let mut count = 0;
    for frame in frames::read(bytes) {
        let frame = frame.map_err(|error| (count, error))?;
        let (value, _) = by.bytes(frame.payload).map_err(|mut error| {
            error = error.map_at(|at| at + frame.at);
            (count, error)
        })?;
        // For the places in the stream.
        let mut writer = varbatch_codec::Writer::new(by.to);
        by.value(frame.payload, frame.at, &mut writer, &mut losses).expect("was translated alone");
        all.extend((value.len() as u32).to_le_bytes());
        all.extend(value);
        count += 1;
    }
    Ok((all, count, lost(&losses)))
}

fn lost(losses: &Losses) -> Vec<transcode::Loss> {
    losses.iter().cloned().collect()
}
