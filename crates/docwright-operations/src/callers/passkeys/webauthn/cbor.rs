//! A parser for CBOR (RFC 8949), limited to what authenticators write: shallow, and within the given bytes.

use std::convert::Infallible;

use cbor4ii::core::{
    Value,
    dec::{Decode, Read, Reference},
};

/// Maximum nesting, in steps: one for each value, and another for each container. Attestation statements take
/// seven; everything else takes fewer.
const STEPS: u8 = 16;

/// Reads bytes that are all there.
struct Reader<'a> {
    rest: &'a [u8],
    steps: u8,
}

impl<'a> Read<'a> for Reader<'a> {
    type Error = Infallible;

    fn fill<'b>(&'b mut self, want: usize) -> Result<Reference<'a, 'b>, Infallible> {
        Ok(Reference::Long(&self.rest[..want.min(self.rest.len())]))
    }

    fn advance(&mut self, count: usize) {
        self.rest = &self.rest[count.min(self.rest.len())..];
    }

    fn step_in(&mut self) -> bool {
        let deeper = self.steps.checked_sub(1);
        self.steps = deeper.unwrap_or_default();
        deeper.is_some()
    }

    fn step_out(&mut self) {
        self.steps += 1;
    }
}

/// The first value, and the bytes after it; `None` if there is none.
pub(super) fn first(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let mut reader = Reader { rest: bytes, steps: STEPS };
    let value = Value::decode(&mut reader).ok()?;
    Some((value, reader.rest))
}

/// The only value; `None` if bytes follow it.
pub(super) fn only(bytes: &[u8]) -> Option<Value> {
    first(bytes).filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value)
}

/// The value of a key in a map. A duplicate key has no value.
pub(super) fn entry<'a>(map: &'a Value, key: &Value) -> Option<&'a Value> {
    let Value::Map(entries) = map else { return None };
    let mut found = entries.iter().filter(|(name, _)| name == key).map(|(_, value)| value);
    found.next().filter(|_| found.next().is_none())
}

/// The bytes of a key in a map.
pub(super) fn bytes<'a>(map: &'a Value, key: &Value) -> Option<&'a [u8]> {
    match entry(map, key)? {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_stops_at_end_of_value() {
        let (value, rest) = first(&[0x82, 0x01, 0x41, 0xff, 0x07]).unwrap();
        assert_eq!(value, Value::Array(vec![Value::Integer(1), Value::Bytes(vec![0xff])]));
        assert_eq!(rest, [0x07]);
        assert_eq!(only(&[0x01, 0x02]), None);
        assert_eq!(only(&[0x20]), Some(Value::Integer(-1)));
    }

    #[test]
    fn lengths_beyond_the_input_are_refused() {
        let huge = [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(first(&huge), None);
        assert_eq!(first(&huge.repeat(1000)), None);
        let bytes = [0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00];
        assert_eq!(first(&bytes), None);
        let nested = |depth: usize| [vec![0x81; depth], vec![0x01]].concat();
        assert!(first(&nested(usize::from(STEPS) / 2 - 1)).is_some());
        assert_eq!(first(&nested(usize::from(STEPS) / 2)), None);
        assert_eq!(first(&nested(16_000)), None);
        assert_eq!(first(&[]), None);
    }

    #[test]
    fn duplicate_key_has_no_value() {
        let map = only(&[0xa3, 0x01, 0x41, 0x05, 0x02, 0x06, 0x02, 0x07]).unwrap();
        assert_eq!(bytes(&map, &Value::Integer(1)), Some([5].as_slice()));
        assert_eq!(entry(&map, &Value::Integer(2)), None);
        assert_eq!(entry(&map, &Value::Integer(3)), None);
        assert_eq!(bytes(&Value::Null, &Value::Integer(1)), None);
    }
}
