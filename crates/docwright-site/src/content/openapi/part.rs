//! The part of an API spec that a page shows: the operation, channel, or schema in its frontmatter.

use super::{Channel, FoundPart, Operation, Reference, Spec, lookup, reference};

/// A part of a description.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// Path of the description.
    pub spec: String,
    /// The kind of part.
    pub kind: PartKind,
}

/// The kind of a [`Part`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// An operation or webhook.
    Operation {
        /// Upper-case method, or `WEBHOOK`.
        method: String,
        /// Path template, or name of the webhook.
        path: String,
    },
    /// A channel, by its key.
    Channel(String),
    /// A schema, by its key.
    Schema(String),
}

impl PartKind {
    /// The part at a JSON Pointer (RFC 6901), as in links of specs: `/components/schemas/Pet`.
    pub fn of_pointer(pointer: &str) -> Option<Self> {
        let decoded = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
        let keys: Vec<_> = decoded.strip_prefix('/')?.split('/').collect();
        match keys.as_slice() {
            ["components", "schemas", name] => Some(Self::Schema(unescaped(name))),
            ["channels", name] => Some(Self::Channel(unescaped(name))),
            ["webhooks", name] | ["webhooks", name, _] => {
                Some(Self::Operation { method: "WEBHOOK".to_owned(), path: unescaped(name) })
            }
            ["paths", path, method] => {
                Some(Self::Operation { method: method.to_uppercase(), path: unescaped(path) })
            }
            _ => None,
        }
    }
}

/// A key of a JSON Pointer (RFC 6901).
pub(super) fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

/// The context of a reference: its file, and the specs assigned to it.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceContext<'a> {
    /// Every description.
    pub specs: &'a [Spec],
    /// Descriptions assigned by the navigation or the configuration.
    pub given: &'a [&'a Spec],
    /// The file.
    pub from: &'a str,
}

impl<'a> ReferenceContext<'a> {
    /// The operation of a reference.
    pub fn operation(self, reference: &Reference<'_>) -> Option<FoundPart<'a, &'a Operation>> {
        let Reference { spec, method, path } = reference;
        self.find(*spec, |spec| spec.find(method, path))
    }

    /// The operation that a reference means, only in the specs given for this place.
    pub fn given_operation(
        self,
        reference: &Reference<'_>,
    ) -> Option<FoundPart<'a, &'a Operation>> {
        let part = |spec: &'a Spec| spec.find(&reference.method, reference.path);
        lookup::nearest(self.given.iter().copied(), self.from, part)
    }

    /// The channel of `[spec] channel`. Names of channels can contain spaces, as in version 2.
    pub fn channel(self, reference: &str) -> Option<FoundPart<'a, &'a Channel>> {
        let reference = reference.trim();
        let of_name =
            |name: &str, spec: &'a Spec| spec.channels.iter().find(|channel| channel.name == name);
        let splits = reference.match_indices(char::is_whitespace).map(|(at, _)| at);
        splits
            .map(|at| (reference[..at].trim(), reference[at..].trim()))
            .find_map(|(spec, name)| self.find(Some(spec), |spec| of_name(name, spec)))
            .or_else(|| self.find(None, |spec| of_name(reference, spec)))
    }

    /// The schema of `[spec] Name`, by its key.
    pub fn schema(self, reference: &str) -> Option<FoundPart<'a, String>> {
        let (spec, name) = reference::split_schema(reference);
        self.find(spec, |spec| {
            let contents = spec.contents();
            let schemas = contents.root().pointer("/components/schemas")?;
            schemas.get(name).map(|_| name.to_owned())
        })
    }

    /// Without a name, specs given for this place come before others.
    fn find<T>(
        self,
        name: Option<&str>,
        part: impl Fn(&'a Spec) -> Option<T>,
    ) -> Option<FoundPart<'a, T>> {
        match name {
            Some(name) => lookup::named(self.specs, name, self.from, part),
            None => lookup::nearest(self.given.iter().copied(), self.from, &part)
                .or_else(|| lookup::nearest(self.specs, self.from, &part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PartKind;

    #[test]
    fn pointer_names_part() {
        let operation = |method: &str, path: &str| {
            Some(PartKind::Operation { method: method.to_owned(), path: path.to_owned() })
        };
        let schema = |name: &str| Some(PartKind::Schema(name.to_owned()));
        for (pointer, expected) in [
            ("/components/schemas/Pod", schema("Pod")),
            ("/components/schemas/a~1b%20~0c", schema("a/b ~c")),
            ("/paths/~1pods~1%7Bid%7D/get", operation("GET", "/pods/{id}")),
            ("/webhooks/ready", operation("WEBHOOK", "ready")),
            ("/channels/chat", Some(PartKind::Channel("chat".to_owned()))),
            ("/components/responses/Gone", None),
            ("/components/schemas/Pod/properties/name", None),
            ("components", None),
            ("/%ff", None),
            ("", None),
        ] {
            assert_eq!(PartKind::of_pointer(pointer), expected, "{pointer}");
        }
    }
}
