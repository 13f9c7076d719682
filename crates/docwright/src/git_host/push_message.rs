//! What git shows people after a push, in lines that begin with `remote:`: where to open a pull request.
//!
//! <https://git-scm.com/docs/gitprotocol-common> describes the packets, and `gitprotocol-capabilities` the side bands.

use axum::body::Bytes;

/// The band of messages for people.
const MESSAGES: u8 = 2;
/// Digits of a packet's length.
const DIGITS: usize = 4;
/// Characters of a line at most, so that it fits into a packet of 64 KiB.
const LONGEST: usize = 16_000;

/// An answer to a push with more messages. An answer in another form than side bands has no place for them, and stays.
pub(super) fn add(answer: Bytes, lines: &[String]) -> Bytes {
    let Some(end) = end_of_packets(&answer).filter(|_| !lines.is_empty()) else { return answer };
    let mut bytes = answer[..end].to_vec();
    for line in lines {
        let line: String = line.chars().take(LONGEST).collect();
        let length = DIGITS + 1 + line.len() + 1;
        bytes.extend_from_slice(format!("{length:04x}").as_bytes());
        bytes.push(MESSAGES);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(&answer[end..]);
    bytes.into()
}

/// Where the last packet of an answer in side bands starts, which is empty; `None` for any other answer.
fn end_of_packets(answer: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let digits = std::str::from_utf8(answer.get(start..start + DIGITS)?).ok()?;
        let length = usize::from_str_radix(digits, 16).ok()?;
        if length == 0 {
            return (start + DIGITS == answer.len()).then_some(start);
        }
        let is_in_band = (1..=3).contains(answer.get(start + DIGITS)?);
        if length <= DIGITS || !is_in_band {
            return None;
        }
        start += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_precede_the_end_of_an_answer_in_side_bands() {
        let lines = ["Hi".to_owned()];
        let answer = Bytes::from_static(b"000a\x01000000000");
        let added = add(answer.clone(), &lines);
        assert_eq!(added, b"000a\x01000000008\x02Hi\n0000".as_slice());
        assert_eq!(add(answer.clone(), &[]), answer);
        for other in
            ["", "000", "0000x", "000eunpack ok\n0000", "0005\x01", "zzzz\x01", "0004\x010000"]
        {
            assert_eq!(add(Bytes::from_static(other.as_bytes()), &lines), other, "{other:?}");
        }
    }
}
