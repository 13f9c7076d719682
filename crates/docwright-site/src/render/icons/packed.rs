//! The icons in the binary: compressed, and unpacked on first use.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

pub(super) static FONT_AWESOME: Pack =
    Pack::new(include_bytes!(concat!(env!("OUT_DIR"), "/icons-fontawesome.zst")));
pub(super) static LUCIDE: Pack =
    Pack::new(include_bytes!(concat!(env!("OUT_DIR"), "/icons-lucide.zst")));
pub(super) static TABLER: Pack =
    Pack::new(include_bytes!(concat!(env!("OUT_DIR"), "/icons-tabler.zst")));

/// The icons of a library in the build script's format: lines `key<TAB>viewBox<TAB>body` or `key<TAB>=other
/// key`.
pub(super) struct Pack {
    compressed: &'static [u8],
    text: OnceLock<String>,
    /// What follows each key in its line.
    icons: OnceLock<FxHashMap<&'static str, &'static str>>,
}

/// An icon of a [`Pack`].
pub(super) struct Packed {
    /// Its own key, not an alias.
    pub(super) key: &'static str,
    pub(super) view_box: &'static str,
    pub(super) body: &'static str,
}

impl Pack {
    const fn new(compressed: &'static [u8]) -> Self {
        Self { compressed, text: OnceLock::new(), icons: OnceLock::new() }
    }

    /// The icon of a key, which can be an alias.
    pub(super) fn find(&'static self, key: &str) -> Option<Packed> {
        let (mut key, mut icon) = self.icons().get_key_value(key)?;
        if let Some(other) = icon.strip_prefix('=') {
            (key, icon) = self.icons().get_key_value(other)?;
        }
        let (view_box, body) = icon.split_once('\t')?;
        Some(Packed { key, view_box, body })
    }

    fn icons(&'static self) -> &'static FxHashMap<&'static str, &'static str> {
        self.icons.get_or_init(|| {
            let text = self.text.get_or_init(|| {
                let text = zstd::decode_all(self.compressed).unwrap_or_default();
                String::from_utf8(text).unwrap_or_default()
            });
            text.lines().filter_map(|line| line.split_once('\t')).collect()
        })
    }
}
