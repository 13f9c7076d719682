//! The end of a bundle: an empty gzip member with the position of the manifest.
//!
//! Gzip readers ignore its extra field (RFC 1952, section 2.3.1.1).

/// Identifies the field of docwright.
const FIELD: [u8; 2] = *b"DW";
/// Magic number, deflate, extra field; no time, no flags of compression, no operating system; then the
/// length of the extra field, and the field's own head: its name and length.
const HEAD: [u8; 16] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 20, 0, FIELD[0], FIELD[1], 16, 0];
/// Nothing, deflated; then its checksum and length.
const TAIL: [u8; 10] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Length of a footer. Bytes.
pub(super) const LENGTH: usize = HEAD.len() + 16 + TAIL.len();

/// The footer of a bundle whose manifest's member has this offset and length.
pub(super) fn encode(offset: u64, length: u64) -> Vec<u8> {
    [&HEAD[..], &offset.to_le_bytes(), &length.to_le_bytes(), &TAIL].concat()
}

/// Offset and length of the manifest's member, if these are the bytes of a footer.
pub(super) fn decode(bytes: &[u8]) -> Option<(u64, u64)> {
    let (head, rest) = bytes.split_first_chunk::<16>()?;
    let (offset, rest) = rest.split_first_chunk::<8>()?;
    let (length, tail) = rest.split_first_chunk::<8>()?;
    let known = *head == HEAD && tail == TAIL;
    known.then(|| (u64::from_le_bytes(*offset), u64::from_le_bytes(*length)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn footer_is_an_empty_member() {
        let footer = encode(7, 1 << 40);
        assert_eq!((footer.len(), decode(&footer)), (LENGTH, Some((7, 1 << 40))));
        let mut contents = Vec::new();
        flate2::read::GzDecoder::new(footer.as_slice()).read_to_end(&mut contents).unwrap();
        assert_eq!(contents, b"");
        for place in 0..HEAD.len() {
            let mut changed = footer.clone();
            changed[place] ^= 1;
            assert_eq!(decode(&changed), None, "byte {place}");
        }
        assert_eq!(decode(&footer[1..]), None);
    }
}
