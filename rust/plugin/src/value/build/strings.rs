//! Builds the texts of a PackedStringArray, over threads if they have many bytes.

use std::sync::Mutex;

use varbatch_codec::{CodecError, Reader};

use super::{Build, utf8};
use crate::engine::{self, Slot, StringSlot};

/// Bytes of texts in a run for one thread, and min bytes of an array that is built over threads.
const RUN: usize = 64 << 10;
const SPLIT_FROM: usize = 512 << 10;

/// Texts between two progress checks.
const LOOK: usize = 64;

impl Build<'_, '_> {
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
        // Later runs are found while earlier ones are built.
        let (mut rest, mut scan) = (strings, self.reader.clone());
        let mut scanned = Ok(());
        let runs = std::iter::from_fn(|| {
            let (reader, mut count) = (scan.clone(), 0);
            while count < rest.len() && scanned.is_ok() && scan.position() - reader.position() < RUN {
                match scan.pass_text() {
                    Ok(_) => count += 1,
                    Err(error) => scanned = Err(error),
                }
            }
            // Build the texts before the error too: one of them may have an earlier error.
            let (run, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            (count > 0).then_some((reader, run))
        });
        let (first, tell) = (Mutex::new(None::<CodecError>), self.told.tell());
        let build = |(mut reader, strings): (Reader<'_>, &mut [StringSlot])| {
            let (start, built) = (reader.position(), read(&mut reader, strings));
            if let Some(tell) = tell {
                tell(reader.position() - start);
            }
            if let Err(error) = built {
                let mut first = first.lock().expect("nothing panics while it is held");
                if first.as_ref().is_none_or(|first| error.at() < first.at()) {
                    *first = Some(error);
                }
            }
        };
        self.threads.for_each(runs, build);
        // An error in a built text is before the one that stopped the scan.
        first.into_inner().expect("nothing panics while it is held").map_or(Ok(()), Err)?;
        scanned?;
        self.told.pass(scan.position() - self.reader.position());
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
