//! Texts that a build needs only once more, and of which a large site has many.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// A text that takes less memory than it is long.
#[derive(Debug, Clone)]
pub struct PackedText {
    length: usize,
    /// The text, deflated unless that makes it longer.
    bytes: Box<[u8]>,
}

thread_local! {
    /// The fastest level; zero only copies.
    static COMPRESSOR: RefCell<Compressor> =
        RefCell::new(Compressor::new(CompressionLvl::new(1).unwrap_or_default()));
}

impl PackedText {
    /// Packs a text.
    pub fn new(text: &str) -> Self {
        let text = text.as_bytes();
        let deflated = COMPRESSOR.with_borrow_mut(|compressor| {
            let mut deflated = vec![0; compressor.deflate_compress_bound(text.len())];
            let length = compressor.deflate_compress(text, &mut deflated).ok()?;
            (length < text.len()).then(|| deflated[..length].into())
        });
        let bytes = deflated.unwrap_or_else(|| text.into());
        Self { length: text.len(), bytes }
    }

    /// Length of the text. Bytes.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The text.
    pub fn text(&self) -> String {
        if self.bytes.len() == self.length {
            return String::from_utf8_lossy(&self.bytes).into_owned();
        }
        let mut text = vec![0; self.length];
        let unpacked = Decompressor::new().deflate_decompress(&self.bytes, &mut text);
        debug_assert!(unpacked.is_ok(), "these bytes were made from a text");
        String::from_utf8(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_unpacked_as_it_was() {
        for text in ["", "a", "Short é", &"Keys expire. é\n".repeat(200), &"x".repeat(70_000)] {
            let packed = PackedText::new(text);
            assert_eq!((packed.text().as_str(), packed.length()), (text, text.len()));
            assert!(
                packed.bytes.len() <= text.len() && (text.len() < 100 || packed.bytes.len() < 200)
            );
        }
    }
}
