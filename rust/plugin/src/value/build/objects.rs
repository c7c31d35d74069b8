//! Builds objects with class and properties.

use varbatch_codec::{Event, Kind};

use super::{Build, Refused, Stop, utf8};
use crate::engine::Slot;
use crate::objects::{Has, SCRIPT};
use crate::value::refused;

impl Build<'_, '_> {
    /// Makes an object and sets its properties, in their order. Scripts may run.
    #[inline(never)]
    pub(super) fn object(&mut self, slot: &mut Slot, class: &str, count: usize, start: usize) -> Result<(), Stop> {
        let Some(makers) = &mut self.makers else { return Err(Stop::MayNotAsk) };
        let Some((mut object, mut walk)) = makers.make(class) else {
            return Err(self.reader.error_at(start, refused::object_failed(class)).into());
        };
        for _ in 0..count {
            let makers = self.makers.as_mut().expect("an object is made");
            if makers.names.read(&mut walk, &mut self.reader)? {
                continue;
            }
            let at = self.reader.position();
            if makers.names.current(&walk).text == SCRIPT && self.reader.peek_kind()? == Kind::String {
                let Some(Event::String(path)) = self.event()? else { unreachable!("the header has the kind") };
                let makers = self.makers.as_mut().expect("an object is made");
                let Some(script) = makers.enter_script(utf8(path), &mut walk) else {
                    return Err(self.reader.error_at(at, refused::no_such_script(&format!("{:?}", utf8(path)))).into());
                };
                object.set_script(script);
                continue;
            }
            let mut value = Slot::new();
            self.value(&mut value)?;
            let makers = self.makers.as_mut().expect("an object is made");
            let has = makers.has(&walk);
            let name = &makers.names.current(&walk).name;
            match has {
                Has::Yes => object.set(name, value.value()),
                Has::Perhaps if object.try_set(name, value.value()) => {}
                Has::Perhaps | Has::No => makers.skipped.add(Refused { count: 1, first: at }),
            }
        }
        slot.set_variant(object.into_variant());
        Ok(())
    }
}
