//! Messages between page and worker as bytes: values one after the other, without names. Both ends are the same
//! program, so nothing needs to describe itself; that keeps messages and the code that reads them small.
//!
//! Integers are 7 bits per byte, least first, signed ones with the sign in the lowest bit; reals are eight bytes;
//! texts and lists carry their length in front; of an enum the position of its variant is written.

use std::fmt;

use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use serde::ser::{self, Serialize};

/// Why bytes are no message. The two ends are one program, so there is nothing more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbled;

impl fmt::Display for Garbled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message is garbled")
    }
}
impl std::error::Error for Garbled {}
impl ser::Error for Garbled {
    fn custom<T: fmt::Display>(_: T) -> Garbled {
        Garbled
    }
}
impl de::Error for Garbled {
    fn custom<T: fmt::Display>(_: T) -> Garbled {
        Garbled
    }
}

/// A value as bytes.
pub fn write<T: Serialize>(value: &T) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new() };
    // Fails only for lists of unknown length and kinds of values that no message has.
    let written = value.serialize(&mut writer);
    debug_assert!(written.is_ok(), "messages are plain data");
    writer.bytes
}

/// A value from bytes, all of them.
pub fn read<T: de::DeserializeOwned>(bytes: &[u8]) -> Result<T, Garbled> {
    let mut reader = Reader { bytes };
    let value = T::deserialize(&mut reader)?;
    if reader.bytes.is_empty() { Ok(value) } else { Err(Garbled) }
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn unsigned(&mut self, mut n: u64) {
        while n > 0x7f {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }
    fn length(&mut self, length: Option<usize>) -> Result<(), Garbled> {
        self.unsigned(length.ok_or(Garbled)? as u64);
        Ok(())
    }
}

macro_rules! write_unsigned {
    ($($name:ident $type:ty)*) => {$(
        fn $name(self, n: $type) -> Result<(), Garbled> {
            self.unsigned(u64::from(n));
            Ok(())
        }
    )*};
}

macro_rules! write_signed {
    ($($name:ident $type:ty)*) => {$(
        fn $name(self, n: $type) -> Result<(), Garbled> {
            let n = i64::from(n);
            self.unsigned(((n << 1) ^ (n >> 63)) as u64);
            Ok(())
        }
    )*};
}

impl ser::Serializer for &mut Writer {
    type Ok = ();
    type Error = Garbled;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = ser::Impossible<(), Garbled>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    write_unsigned! { serialize_u8 u8 serialize_u16 u16 serialize_u32 u32 serialize_u64 u64 serialize_bool bool }
    write_signed! { serialize_i8 i8 serialize_i16 i16 serialize_i32 i32 serialize_i64 i64 }

    fn serialize_f32(self, n: f32) -> Result<(), Garbled> {
        self.serialize_f64(f64::from(n))
    }
    fn serialize_f64(self, n: f64) -> Result<(), Garbled> {
        self.bytes.extend_from_slice(&n.to_le_bytes());
        Ok(())
    }
    fn serialize_char(self, c: char) -> Result<(), Garbled> {
        self.serialize_u32(u32::from(c))
    }
    fn serialize_str(self, text: &str) -> Result<(), Garbled> {
        self.serialize_bytes(text.as_bytes())
    }
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Garbled> {
        self.unsigned(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
    fn serialize_none(self) -> Result<(), Garbled> {
        self.serialize_u8(0)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Garbled> {
        self.bytes.push(1);
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<(), Garbled> {
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Garbled> {
        Ok(())
    }
    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<(), Garbled> {
        self.serialize_u32(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Garbled> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Garbled> {
        self.unsigned(u64::from(variant));
        value.serialize(self)
    }
    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Garbled> {
        self.length(length)?;
        Ok(self)
    }
    fn serialize_tuple(self, _: usize) -> Result<Self, Garbled> {
        Ok(self)
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Garbled> {
        Ok(self)
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Garbled> {
        self.unsigned(u64::from(variant));
        Ok(self)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Garbled> {
        Err(Garbled)
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Garbled> {
        Ok(self)
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Garbled> {
        self.unsigned(u64::from(variant));
        Ok(self)
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! write_parts {
    ($($part:ident $method:ident $(, $key:ty)?;)*) => {$(
        impl ser::$part for &mut Writer {
            type Ok = ();
            type Error = Garbled;
            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<(), Garbled> {
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), Garbled> {
                Ok(())
            }
        }
    )*};
}

write_parts! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
    SerializeStruct serialize_field, &'static str;
    SerializeStructVariant serialize_field, &'static str;
}

struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, n: usize) -> Result<&'b [u8], Garbled> {
        let (taken, rest) = self.bytes.split_at_checked(n).ok_or(Garbled)?;
        self.bytes = rest;
        Ok(taken)
    }
    fn unsigned(&mut self) -> Result<u64, Garbled> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(Garbled)
    }
    fn signed(&mut self) -> Result<i64, Garbled> {
        let n = self.unsigned()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }
    fn length(&mut self) -> Result<usize, Garbled> {
        let n = usize::try_from(self.unsigned()?).map_err(|_| Garbled)?;
        // Every element but the empty ones takes a byte; a wrong length must not reserve the whole memory.
        if n > self.bytes.len() { Err(Garbled) } else { Ok(n) }
    }
    fn text(&mut self) -> Result<&'b str, Garbled> {
        let n = self.length()?;
        std::str::from_utf8(self.take(n)?).map_err(|_| Garbled)
    }
}

macro_rules! read_numbers {
    ($($name:ident $visit:ident $read:ident;)*) => {$(
        fn $name<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
            visitor.$visit(self.$read()?)
        }
    )*};
}

impl<'b> de::Deserializer<'b> for &mut Reader<'b> {
    type Error = Garbled;

    read_numbers! {
        deserialize_u8 visit_u64 unsigned;
        deserialize_u16 visit_u64 unsigned;
        deserialize_u32 visit_u64 unsigned;
        deserialize_u64 visit_u64 unsigned;
        deserialize_i8 visit_i64 signed;
        deserialize_i16 visit_i64 signed;
        deserialize_i32 visit_i64 signed;
        deserialize_i64 visit_i64 signed;
        deserialize_str visit_str text;
        deserialize_string visit_str text;
    }

    fn deserialize_any<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Garbled> {
        Err(Garbled)
    }
    fn deserialize_bool<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        visitor.visit_bool(self.unsigned()? != 0)
    }
    fn deserialize_f32<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        self.deserialize_f64(visitor)
    }
    fn deserialize_f64<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        let bytes = self.take(8)?.try_into().map_err(|_| Garbled)?;
        visitor.visit_f64(f64::from_le_bytes(bytes))
    }
    fn deserialize_char<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        let n = u32::try_from(self.unsigned()?).ok();
        visitor.visit_char(n.and_then(char::from_u32).ok_or(Garbled)?)
    }
    fn deserialize_bytes<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        let n = self.length()?;
        visitor.visit_bytes(self.take(n)?)
    }
    fn deserialize_byte_buf<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        self.deserialize_bytes(visitor)
    }
    fn deserialize_option<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        if self.unsigned()? == 0 { visitor.visit_none() } else { visitor.visit_some(self) }
    }
    fn deserialize_unit<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        visitor.visit_unit()
    }
    fn deserialize_unit_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_unit()
    }
    fn deserialize_newtype_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_seq<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Garbled> {
        let left = self.length()?;
        visitor.visit_seq(Elements { reader: self, left })
    }
    fn deserialize_tuple<V: Visitor<'b>>(self, left: usize, visitor: V) -> Result<V::Value, Garbled> {
        visitor.visit_seq(Elements { reader: self, left })
    }
    fn deserialize_tuple_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_seq(Elements { reader: self, left })
    }
    fn deserialize_map<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Garbled> {
        Err(Garbled)
    }
    fn deserialize_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_seq(Elements { reader: self, left: fields.len() })
    }
    fn deserialize_enum<V: Visitor<'b>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_enum(Variant { reader: self })
    }
    fn deserialize_identifier<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Garbled> {
        Err(Garbled)
    }
    fn deserialize_ignored_any<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Garbled> {
        Err(Garbled)
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

struct Elements<'r, 'b> {
    reader: &'r mut Reader<'b>,
    left: usize,
}

impl<'b> de::SeqAccess<'b> for Elements<'_, 'b> {
    type Error = Garbled;
    fn next_element_seed<T: DeserializeSeed<'b>>(&mut self, seed: T) -> Result<Option<T::Value>, Garbled> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.reader).map(Some)
    }
    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

struct Variant<'r, 'b> {
    reader: &'r mut Reader<'b>,
}

impl<'r, 'b> de::EnumAccess<'b> for Variant<'r, 'b> {
    type Error = Garbled;
    type Variant = Variant<'r, 'b>;
    fn variant_seed<V: DeserializeSeed<'b>>(self, seed: V) -> Result<(V::Value, Self), Garbled> {
        let variant = u32::try_from(self.reader.unsigned()?).map_err(|_| Garbled)?;
        let name: de::value::U32Deserializer<Garbled> = variant.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'b> de::VariantAccess<'b> for Variant<'_, 'b> {
    type Error = Garbled;
    fn unit_variant(self) -> Result<(), Garbled> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Result<T::Value, Garbled> {
        seed.deserialize(self.reader)
    }
    fn tuple_variant<V: Visitor<'b>>(self, left: usize, visitor: V) -> Result<V::Value, Garbled> {
        visitor.visit_seq(Elements { reader: self.reader, left })
    }
    fn struct_variant<V: Visitor<'b>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Garbled> {
        visitor.visit_seq(Elements { reader: self.reader, left: fields.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::{Ask, CheckRow, EventRow, Frame, Reply, Request, Run, Say, ValueRow};

    #[test]
    fn messages_are_read_back() {
        let requests = [
            Ask::Cancel,
            Ask::GoTo { cycle: 300 },
            Ask::RunUntil { time_ms: -86_400_000 },
            Ask::NextEvent { from: 0, back: true, queue: None, job: None, without: vec!["gone".into()] },
            Ask::Load { scenario: "ünïcode".into(), cycle: u32::MAX },
        ];
        for ask in requests {
            let request = Request { generation: 1 << 40, ask };
            assert_eq!(read::<Request>(&write(&request)), Ok(request));
        }
        let check = CheckRow {
            left_value: ValueRow::Triple([Some(1.5), None, Some(f64::MAX)]),
            right_value: ValueRow::Name("x".into()),
            resource: Some(2),
            ..CheckRow::default()
        };
        let event = EventRow { checks: vec![check], by_queue: Some(3), ..EventRow::default() };
        let frame = Frame { events: vec![event], time_ms: -1, quiet: true, ..Frame::default() };
        let say = Say::Frame { frame: Box::new(frame), run: Box::new(Run::default()) };
        let reply = Reply { generation: 7, say };
        assert_eq!(read::<Reply>(&write(&reply)), Ok(reply));
    }

    #[test]
    fn garbled_bytes_are_refused() {
        let bytes = write(&Request { generation: 5, ask: Ask::Load { scenario: "abc".into(), cycle: 9 } });
        for cut in 0..bytes.len() {
            assert_eq!(read::<Request>(&bytes[..cut]), Err(Garbled), "{cut}");
        }
        assert_eq!(read::<Request>(&[bytes.as_slice(), &[0]].concat()), Err(Garbled));
        assert_eq!(read::<Vec<u32>>(&[0xff; 9]), Err(Garbled));
    }
}
