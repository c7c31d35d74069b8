//! Rust types to values.

use ::serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::value::{self, Talk};
use crate::{
    CodecError, CodecErrorKind, Copied, Dialect, ElementType, Event, Kind, MAX_DEPTH, Plain, Reader, Width, Writer,
};

/// Where the next value goes.
pub(super) struct Next<'w> {
    writer: &'w mut Writer<'static>,
    /// True if a [`Value`](crate::Value) comes, which is asked for its encoded bytes.
    is_value: bool,
}

impl<'w> Next<'w> {
    pub fn new(writer: &'w mut Writer<'static>) -> Self {
        Self { writer, is_value: false }
    }

    fn event(self, event: Event<'_>) -> Result<(), CodecError> {
        self.writer.write_as(event, Copied)
    }

    /// Begins an Array or a Dictionary. Its parts are kept aside if nobody knows how many come.
    fn parts(self, is_map: bool, count: Option<usize>) -> Result<Parts<'w>, CodecError> {
        let aside = match count {
            Some(count) => {
                self.writer.write(head(is_map, count))?;
                None
            }
            None => Some(Writer::new(Dialect::GODOT_4).with_depth(self.writer.depth() + 1)),
        };
        Ok(Parts { writer: self.writer, aside, is_map, announced: count, found: 0, has_key: false, has_failed: false })
    }

    /// Begins the data of a variant: a Dictionary with its name as the only key.
    fn variant(self, name: &'static str) -> Result<Self, CodecError> {
        self.writer.write(head(true, 1))?;
        self.writer.write(Event::String(self.writer.checked(name)?))?;
        Ok(self)
    }
}

fn head(is_map: bool, count: usize) -> Event<'static> {
    let any = ElementType::Any;
    if is_map { Event::Dictionary { key: any, value: any, count } } else { Event::Array { element: any, count } }
}

pub(super) struct Parts<'w> {
    writer: &'w mut Writer<'static>,
    aside: Option<Writer<'static>>,
    is_map: bool,
    announced: Option<usize>,
    /// Elements, or keys, so far.
    found: usize,
    /// A key whose value has not come.
    has_key: bool,
    /// A type may go on after an error: nothing is told of what follows.
    has_failed: bool,
}

impl Parts<'_> {
    /// Puts the value of the key that came.
    fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CodecError> {
        self.put_part(value, true)
    }

    /// Puts an element, or a key.
    fn put_next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CodecError> {
        self.found += 1;
        self.put_part(value, false)
    }

    fn put_part<T: Serialize + ?Sized>(&mut self, value: &T, is_value: bool) -> Result<(), CodecError> {
        let written = match self.has_key == is_value && !self.has_failed {
            true => value.serialize(Next::new(self.aside.as_mut().unwrap_or(self.writer))),
            false => Err(CodecError::custom("expected a value for each key, and nothing after an error")),
        };
        self.has_key = self.is_map && !is_value;
        self.has_failed |= written.is_err();
        written
    }

    fn finish(self) -> Result<(), CodecError> {
        let Self { writer, aside, is_map, announced, found, has_key, has_failed } = self;
        if has_key || has_failed {
            return Err(CodecError::custom("expected a value for each key, and nothing after an error"));
        }
        if announced.is_some_and(|announced| announced != found) {
            return Err(CodecError::custom(format!("expected as many parts as were announced, found {found}")));
        }
        if let Some(aside) = aside {
            writer.write(head(is_map, found))?;
            if found > 0 {
                writer.append(aside, if is_map { 2 * found } else { found })?;
            }
        }
        Ok(())
    }
}

macro_rules! scalars {
    ($($method:ident($scalar:ty) => $event:expr;)*) => {
        $(fn $method(self, value: $scalar) -> Result<(), CodecError> {
            self.event($event(value.into()))
        })*
    };
}

/// Each with whether it is a Dictionary, how many parts it has, and the variant that it is the data of.
macro_rules! containers {
    ($($method:ident($($arg:tt: $type:ty),*) => $is_map:literal, $count:expr $(, $variant:ident)?;)*) => {
        $(fn $method(self, $($arg: $type),*) -> Result<Parts<'w>, CodecError> {
            self$(.variant($variant)?)?.parts($is_map, $count)
        })*
    };
}

impl<'w> Serializer for Next<'w> {
    type Ok = ();
    type Error = CodecError;
    type SerializeSeq = Parts<'w>;
    type SerializeTuple = Parts<'w>;
    type SerializeTupleStruct = Parts<'w>;
    type SerializeTupleVariant = Parts<'w>;
    type SerializeMap = Parts<'w>;
    type SerializeStruct = Parts<'w>;
    type SerializeStructVariant = Parts<'w>;

    scalars! {
        serialize_bool(bool) => Event::Bool;
        serialize_i8(i8) => Event::Int;
        serialize_i16(i16) => Event::Int;
        serialize_i32(i32) => Event::Int;
        serialize_i64(i64) => Event::Int;
        serialize_u8(u8) => Event::Int;
        serialize_u16(u16) => Event::Int;
        serialize_u32(u32) => Event::Int;
        serialize_f32(f32) => Event::Float;
        serialize_f64(f64) => Event::Float;
    }

    fn serialize_u64(self, value: u64) -> Result<(), CodecError> {
        let fits = i64::try_from(value)
            .map_err(|_| CodecError::custom(format!("expected at most {}, found {value}", i64::MAX)));
        self.serialize_i64(fits?)
    }

    fn serialize_char(self, value: char) -> Result<(), CodecError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), CodecError> {
        self.writer.write_as(Event::String(self.writer.checked(value)?), Copied)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), CodecError> {
        if self.is_value && Talk::Encoded.take() {
            let mut reader = Reader::new(bytes).with_objects(true);
            while self.writer.depth() > 0 && reader.next_event()?.is_some() {
                if self.writer.depth() + reader.depth() > MAX_DEPTH {
                    return Err(CodecError::new(reader.position(), CodecErrorKind::TooDeep));
                }
            }
            return self.writer.encoded(bytes, Copied);
        }
        let plain = Plain { kind: Kind::PackedByteArray, width: Width::Single, count: bytes.len(), bytes };
        self.event(Event::Packed(plain))
    }

    fn serialize_none(self) -> Result<(), CodecError> {
        self.event(Event::Nil)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), CodecError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), CodecError> {
        self.event(Event::Nil)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), CodecError> {
        self.event(Event::Nil)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), CodecError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<(), CodecError> {
        let is_value = name == value::NAME;
        let _said = if is_value { Talk::Asked } else { Talk::Structure }.begin();
        value.serialize(Next { is_value, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), CodecError> {
        value.serialize(self.variant(variant)?)
    }

    containers! {
        serialize_seq(len: Option<usize>) => false, len;
        serialize_tuple(len: usize) => false, Some(len);
        serialize_tuple_struct(_name: &'static str, len: usize) => false, Some(len);
        serialize_tuple_variant(_name: &'static str, _: u32, name: &'static str, len: usize) => false, Some(len), name;
        serialize_map(len: Option<usize>) => true, len;
        serialize_struct(_name: &'static str, len: usize) => true, Some(len);
        serialize_struct_variant(_name: &'static str, _: u32, name: &'static str, len: usize) => true, Some(len), name;
    }
}

macro_rules! parts {
    ($($way:ident: $(fn $method:ident($($name:ident)?) => $put:expr),+;)*) => {
        $(impl $way for Parts<'_> {
            type Ok = ();
            type Error = CodecError;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: &'static str,)?
                value: &T,
            ) -> Result<(), CodecError> {
                $(self.put_next($name)?;)?
                $put(self, value)
            })+

            fn end(self) -> Result<(), CodecError> {
                self.finish()
            }
        })*
    };
}

parts! {
    SerializeSeq: fn serialize_element() => Self::put_next;
    SerializeTuple: fn serialize_element() => Self::put_next;
    SerializeTupleStruct: fn serialize_field() => Self::put_next;
    SerializeTupleVariant: fn serialize_field() => Self::put_next;
    SerializeMap: fn serialize_key() => Self::put_next, fn serialize_value() => Self::put;
    SerializeStruct: fn serialize_field(name) => Self::put;
    SerializeStructVariant: fn serialize_field(name) => Self::put;
}
