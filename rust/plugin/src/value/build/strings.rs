//! Builds the texts of a PackedStringArray, over threads if they have many bytes.

use varbatch_codec::{CodecError, Reader};

use super::{Build, utf8};
use crate::engine::{self, Slot, StringSlot};
use crate::jobs::runs::Runs;

/// Bytes of texts in a run for one thread, and min bytes of an array that is built over threads.
const RUN: usize = 64 << 10;
const SPLIT_FROM: usize = 512 << 10;

/// Texts between two progress checks.
const LOOK: usize = 64;

impl<'a> Build<'a, '_> {
    /// Builds the next `count` texts.
    pub(super) fn packed_strings(&mut self, slot: &mut Slot, count: usize) -> Result<(), CodecError> {
        let strings = slot.set_strings(count);
        // `left` counts the rest of the input, so the count must be large too: each text has at least 4 bytes.
        let is_large = self.reader.left() >= SPLIT_FROM && count >= SPLIT_FROM / 64;
        if is_large && self.threads.count() > 1 && engine::allocates_in_parallel() {
            return self.split_texts(strings);
        }
        for strings in strings.chunks_mut(LOOK) {
            read(&mut self.reader, strings)?;
            self.look();
        }
        Ok(())
    }

    fn split_texts(&mut self, strings: &mut [StringSlot]) -> Result<(), CodecError> {
        let (mut scanned, on_built) = (Ok(()), self.progress.on_built());
        let mut runs = Runs::new(self.reader.clone(), strings, RUN, |scan: &mut Reader<'a>| {
            let start = scan.position();
            if scanned.is_ok() {
                scanned = scan.pass_text().map(drop);
            }
            scanned.is_ok().then(|| scan.position() - start)
        });
        let build = |(mut reader, strings): (Reader<'a>, &mut [StringSlot]), first: &mut Option<CodecError>| {
            let (start, built) = (reader.position(), read(&mut reader, strings));
            if let Some(on_built) = on_built {
                on_built(reader.position() - start);
            }
            // A thread gets its runs in order.
            *first = first.take().or(built.err());
        };
        let errors = self.threads.for_each_with(&mut runs, || None, build);
        let scan = runs.scan;
        // An error in a built text is before the one that stopped the scan.
        errors.into_iter().flatten().min_by_key(CodecError::at).map_or(Ok(()), Err)?;
        scanned?;
        self.progress.skip(scan.position() - self.reader.position());
        self.reader = scan;
        Ok(())
    }
}

fn read(reader: &mut Reader<'_>, strings: &mut [StringSlot]) -> Result<(), CodecError> {
    for string in strings {
        if let Some(text) = reader.next_text()? {
            string.set(utf8(text));
        }
    }
    Ok(())
}
