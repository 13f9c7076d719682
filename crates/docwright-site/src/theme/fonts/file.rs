//! What the first bytes of a font file say: its format, and whether it is variable.

/// Bytes that are read of a file: its table of contents is at the start.
pub(super) const HEADER: usize = 4096;

/// A font file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FontFile {
    /// As CSS and `fonts.format` name it: `woff2`, `woff`, `truetype`, `opentype`.
    pub format: &'static str,
    /// The ending of such files.
    pub extension: &'static str,
    /// Whether it has more than one weight or style.
    pub is_variable: bool,
}

impl FontFile {
    /// Reads the start of a file; `None` if it isn't a font that browsers can show.
    pub fn read(start: &[u8]) -> Option<Self> {
        let count = |at: usize| usize::from(u16::from_be_bytes([start[at], start[at + 1]]));
        let (format, extension, is_variable) = match start.first_chunk::<48>()? {
            [b'w', b'O', b'F', b'2', ..] => {
                ("woff2", "woff2", compressed_has_axes(&start[48..], count(12)))
            }
            [b'w', b'O', b'F', b'F', ..] => ("woff", "woff", has_axes(&start[44..], count(12), 20)),
            [0, 1, 0, 0, ..] | [b't', b'r', b'u', b'e', ..] => {
                ("truetype", "ttf", has_axes(&start[12..], count(4), 16))
            }
            [b'O', b'T', b'T', b'O', ..] => {
                ("opentype", "otf", has_axes(&start[12..], count(4), 16))
            }
            _ => return None,
        };
        Some(Self { format, extension, is_variable })
    }
}

/// Whether a table of contents lists axes. Each entry starts with the name of its table.
fn has_axes(entries: &[u8], count: usize, length: usize) -> bool {
    entries.chunks_exact(length).take(count).any(|entry| entry.starts_with(b"fvar"))
}

/// The same of WOFF2, where usual names are numbers, and lengths have 1 to 5 bytes.
fn compressed_has_axes(mut entries: &[u8], count: usize) -> bool {
    const AXES: u8 = 47;
    const OUTLINES: [u8; 2] = [10, 11];
    const NAMED: u8 = 63;
    for _ in 0..count {
        let Some((flags, rest)) = entries.split_first() else { return false };
        let (table, version) = (flags & 0x3f, flags >> 6);
        let is_named = table == NAMED;
        if table == AXES || is_named && rest.starts_with(b"fvar") {
            return true;
        }
        // Outlines are transformed unless they say otherwise; the others say so if they are.
        let is_transformed = if OUTLINES.contains(&table) { version != 3 } else { version != 0 };
        entries = rest.get(if is_named { 4 } else { 0 }..).unwrap_or_default();
        for _ in 0..=usize::from(is_transformed) {
            let length = entries.iter().take(5).position(|byte| byte & 0x80 == 0);
            let Some(length) = length else { return false };
            entries = &entries[length + 1..];
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(start: &[u8], contents: &[u8]) -> Vec<u8> {
        let mut file = start.to_vec();
        file.extend(contents);
        file.resize(file.len().max(64), 0);
        file
    }

    #[test]
    fn format_and_axes_are_read() {
        let woff = |table: &[u8]| {
            let mut start = b"wOFF".to_vec();
            start.resize(44, 0);
            start[13] = 1;
            file(&start, table)
        };
        let read = |file: &[u8]| FontFile::read(file).map(|file| (file.format, file.is_variable));
        assert_eq!(read(&woff(b"fvar")), Some(("woff", true)));
        assert_eq!(read(&woff(b"glyf")), Some(("woff", false)));
        assert_eq!(read(&file(b"\0\x01\0\0\0\x01\0\0\0\0\0\0", b"fvar")), Some(("truetype", true)));
        assert_eq!(read(&file(b"OTTO\0\x01\0\0\0\0\0\0", b"CFF ")), Some(("opentype", false)));
        assert_eq!(read(&file(b"<!doctype html>", b"")), None);
        assert_eq!(read(b"wOF2"), None);
    }

    #[test]
    fn damaged_contents_are_no_axes() {
        let mut start = b"wOF2".to_vec();
        start.resize(48, 0);
        (start[12], start[13]) = (255, 255);
        for contents in [&[0xff; 40][..], &[10, 0x80, 0x80, 0x80, 0x80, 0x80], &[63, b'f', b'v']] {
            let mut file = start.clone();
            file.extend(contents);
            assert!(!FontFile::read(&file).is_some_and(|file| file.is_variable));
        }
    }
}
