//! PackedStringArray: its texts, over threads where they are many bytes.

use std::sync::Mutex;

use varbatch_codec::{CodecError, Reader};

use super::{Build, utf8};
use crate::engine::{self, Slot, StringSlot};

/// Bytes of texts that a thread builds at a time, and from which on an array is built over threads.
const RUN: usize = 64 << 10;
const SPLIT_FROM: usize = 512 << 10;

/// Texts that are built between two looks at how far it is.
const LOOK: usize = 64;

impl Build<'_, '_> {
    /// Builds the texts that come next.
    pub(super) fn packed_strings(&mut self, slot: &mut Slot, count: usize) -> Result<(), CodecError> {
        let strings = slot.set_strings(count);
        // At least a length of 4 bytes each.
        let is_large = self.reader.left() >= SPLIT_FROM && count >= SPLIT_FROM / 64;
        if is_large && self.threads.count() > 1 && engine::allocates_in_parallel() {
            return self.split_texts(strings);
        }
        for strings in strings.chunks_mut(LOOK) {
            read(&mut self.reader, strings)?;
            self.told.look(self.reader.position());
        }
        Ok(())
    }

    fn split_texts(&mut self, strings: &mut [StringSlot]) -> Result<(), CodecError> {
        // The runs are found while others are built already.
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
            // Those before the error as well: one of them may have another.
            let (run, others) = std::mem::take(&mut rest).split_at_mut(count);
            rest = others;
            (count > 0).then_some((reader, run))
        });
        let (first, tell) = (Mutex::new(None::<CodecError>), self.told.tell());
        self.threads.for_each(runs, |(mut reader, strings)| {
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
        });
        // What is not UTF-8 lies before a text that is not there.
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
