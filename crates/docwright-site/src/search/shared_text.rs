//! A text that pages share in memory. In the cache, each document has its own.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::PageText;

pub(super) fn serialize<S: Serializer>(
    text: &Arc<PageText>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    text.as_ref().serialize(serializer)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(
    deserializer: D,
) -> Result<Arc<PageText>, D::Error> {
    PageText::deserialize(deserializer).map(Arc::new)
}
