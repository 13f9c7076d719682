//! A page of a list in the API: its items in a named field, and the cursor of the next page.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
    ser::SerializeMap,
};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ArrayBuilder, Object, ObjectBuilder, Ref, RefOr, Schema,
        schema::{SchemaType, Type},
    },
};

/// A page of items.
#[derive(Debug)]
pub struct Listed<T> {
    /// The items.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last one.
    pub next_cursor: Option<String>,
}

/// An item of a list.
pub trait Item {
    /// The name of the type of a list in the API spec, such as `ProjectList`.
    const LIST: &'static str;
    /// The field with the items, such as `projects`.
    const FIELD: &'static str;
    /// A sentence about the page, with the order of the items.
    const PAGE: &'static str;
}

impl<T: Item + Serialize> Serialize for Listed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(T::FIELD, &self.items)?;
        map.serialize_entry("nextCursor", &self.next_cursor)?;
        map.end()
    }
}

impl<'de, T: Item + Deserialize<'de>> Deserialize<'de> for Listed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ListedVisitor(PhantomData))
    }
}

struct ListedVisitor<T>(PhantomData<T>);

impl<'de, T: Item + Deserialize<'de>> Visitor<'de> for ListedVisitor<T> {
    type Value = Listed<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "an object with `{}`", T::FIELD)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Listed<T>, A::Error> {
        let (mut items, mut next_cursor) = (None, None);
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            match name.as_ref() {
                "nextCursor" => next_cursor = map.next_value()?,
                field if field == T::FIELD => items = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let items = items.ok_or_else(|| A::Error::missing_field(T::FIELD))?;
        Ok(Listed { items, next_cursor })
    }
}

impl<T: Item + ToSchema> PartialSchema for Listed<T> {
    fn schema() -> RefOr<Schema> {
        let items = ArrayBuilder::new()
            .items(Ref::from_schema_name(T::name()))
            .description(Some(format!("The {}.", words(T::FIELD))));
        let cursor: Object = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some("Cursor of the next page; null on the last page."))
            .build();
        ObjectBuilder::new()
            .description(Some(T::PAGE))
            .property(T::FIELD, items)
            .required(T::FIELD)
            .property("nextCursor", cursor)
            .into()
    }
}

/// The words of a field, such as `pull requests` of `pullRequests`.
fn words(field: &str) -> String {
    let word = |letter: char| match letter {
        'A'..='Z' => format!(" {}", letter.to_ascii_lowercase()),
        other => other.to_string(),
    };
    field.chars().map(word).collect()
}

impl<T: Item + ToSchema> ToSchema for Listed<T> {
    fn name() -> Cow<'static, str> {
        T::LIST.into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Thing(u8);

    impl Item for Thing {
        const LIST: &'static str = "ThingList";
        const FIELD: &'static str = "things";
        const PAGE: &'static str = "A page of things.";
    }

    #[test]
    fn page_is_written_and_read_with_the_field_of_its_items() {
        let page = Listed { items: vec![Thing(1), Thing(2)], next_cursor: Some("c".to_owned()) };
        let json = serde_json::to_string(&page).unwrap();
        assert_eq!(json, r#"{"things":[1,2],"nextCursor":"c"}"#);
        let read: Listed<Thing> =
            serde_json::from_str(r#"{"nextCursor":null,"more":{},"things":[3]}"#).unwrap();
        assert_eq!((read.items, read.next_cursor), (vec![Thing(3)], None));
        let error = serde_json::from_str::<Listed<Thing>>("{}").unwrap_err();
        assert!(error.to_string().contains("things"), "{error}");
    }
}
