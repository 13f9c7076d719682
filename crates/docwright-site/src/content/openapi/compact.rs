//! Reads JSON without spare memory. Maps that grow member by member reserve several times what small ones need, and a
//! large spec has hundreds of thousands of them.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

/// Parses JSON.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str::<Compact>(text).map(|compact| compact.0)
}

struct Compact(Value);

impl<'de> Deserialize<'de> for Compact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CompactVisitor).map(Self)
    }
}

struct CompactVisitor;

impl<'de> Visitor<'de> for CompactVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Compact(item)) = access.next_element()? {
            items.push(item);
        }
        items.shrink_to_fit();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some((key, Compact(value))) = access.next_entry()? {
            entries.push((key, value));
        }
        let mut map = Map::with_capacity(entries.len());
        map.extend(entries);
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn json_is_read_as_usual() {
        for text in [
            r#"{"b": [1, -2, 1.5, 1e300, null, {"z": {}, "a": [[], "text", "\u00e9\n"]}], "a": true, "b": false}"#,
            "\"text\"",
            "[18446744073709551615, 123456789012345678901234567890]",
        ] {
            let usual: serde_json::Value = serde_json::from_str(text).unwrap();
            let compact = parse(text).unwrap();
            assert_eq!(compact, usual);
            assert_eq!(compact.to_string(), usual.to_string(), "the order of members stays");
        }
        for text in ["{", "{\"a\": }", "[1,]", "{} x"] {
            let usual = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            assert_eq!(parse(text).unwrap_err().to_string(), usual.to_string());
        }
    }
}
