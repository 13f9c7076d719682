//! Frames on a pipe: four bytes of length, big endian, then JSON.
//!
//! Owns the bytes and the limit of their number. The protocol defines the contents of frames.

use std::io::{self, Read};

use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest frame from the parent, in bytes.
pub(super) const MAXIMUM_TO_CHILD: usize = 128 * 1024 * 1024;
/// Longest part of a text in one frame. JSON can need six bytes for one of them.
const MAXIMUM_PART: usize = 16 * 1024 * 1024;
/// Longest frame from the child, in bytes.
pub(super) const MAXIMUM_FROM_CHILD: usize = 16 * 1024 * 1024;

/// Bytes of the length field.
const PREFIX: usize = 4;

/// Why a frame can't be read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    /// Its length exceeds the limit.
    #[error("a frame of {length} bytes, where {maximum} are allowed")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        maximum: usize,
    },
    /// The pipe ended before the frame.
    #[error("a frame that ends early")]
    Truncated,
    /// Its contents are not expected here.
    #[error("a frame that can't be understood ({0})")]
    Garbage(#[from] serde_json::Error),
    /// The pipe failed.
    #[error("the pipe failed: {0}")]
    Pipe(#[from] io::Error),
}

/// A text in parts that frames can have; an empty text is one part.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        if text.len() <= MAXIMUM_PART {
            return Some(text);
        }
        let (part, others) = text.split_at(text.floor_char_boundary(MAXIMUM_PART));
        rest = Some(others);
        Some(part)
    })
}

/// A value as a frame.
pub(super) fn encode(value: &impl Serialize, maximum: usize) -> Result<Vec<u8>, FrameError> {
    let mut bytes = vec![0; PREFIX];
    serde_json::to_writer(&mut bytes, value)?;
    let length = bytes.len() - PREFIX;
    let prefix = u32::try_from(length).ok().filter(|_| length <= maximum);
    let prefix = prefix.ok_or(FrameError::TooLong { length, maximum })?;
    bytes[..PREFIX].copy_from_slice(&prefix.to_be_bytes());
    Ok(bytes)
}

/// Reads a frame; `None` at the end of the pipe.
pub(super) fn read<T: DeserializeOwned>(
    pipe: &mut impl Read,
    maximum: usize,
) -> Result<Option<T>, FrameError> {
    let mut prefix = Vec::with_capacity(PREFIX);
    pipe.by_ref().take(PREFIX as u64).read_to_end(&mut prefix)?;
    let Some(length) = length(&prefix, maximum)? else { return Ok(None) };
    let mut bytes = Vec::new();
    pipe.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(FrameError::Truncated);
    }
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Writes a frame without blocking the thread.
pub(super) async fn send(
    pipe: &mut (impl AsyncWrite + Unpin),
    value: &impl Serialize,
    maximum: usize,
) -> Result<(), FrameError> {
    pipe.write_all(&encode(value, maximum)?).await?;
    Ok(pipe.flush().await?)
}

/// Reads the bytes of a frame without blocking the thread; `None` at the end of the pipe. Memory is allocated as
/// bytes arrive, not by the length field.
pub(super) async fn receive(
    pipe: &mut (impl AsyncRead + Unpin),
    maximum: usize,
) -> Result<Option<Vec<u8>>, FrameError> {
    let mut prefix = Vec::with_capacity(PREFIX);
    (&mut *pipe).take(PREFIX as u64).read_to_end(&mut prefix).await?;
    let Some(length) = length(&prefix, maximum)? else { return Ok(None) };
    let mut bytes = Vec::new();
    (&mut *pipe).take(length as u64).read_to_end(&mut bytes).await?;
    if bytes.len() < length {
        return Err(FrameError::Truncated);
    }
    Ok(Some(bytes))
}

fn length(prefix: &[u8], maximum: usize) -> Result<Option<usize>, FrameError> {
    if prefix.is_empty() {
        return Ok(None);
    }
    let prefix: [u8; PREFIX] = prefix.try_into().map_err(|_| FrameError::Truncated)?;
    let length = u32::from_be_bytes(prefix) as usize;
    if length > maximum {
        return Err(FrameError::TooLong { length, maximum });
    }
    Ok(Some(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(bytes: &[u8]) -> Result<Option<String>, FrameError> {
        read(&mut &*bytes, 10)
    }

    #[test]
    fn frames_round_trip() {
        let pipe = [encode(&"a", 10).unwrap(), encode(&"ä\n", 10).unwrap()].concat();
        let mut rest = pipe.as_slice();
        assert_eq!(read::<String>(&mut rest, 10).unwrap().as_deref(), Some("a"));
        assert_eq!(read::<String>(&mut rest, 10).unwrap().as_deref(), Some("ä\n"));
        assert_eq!(read::<String>(&mut rest, 10).unwrap(), None);
    }

    #[test]
    fn long_text_is_divided_between_characters() {
        let text = format!("{}é{}", "a".repeat(MAXIMUM_PART - 1), "b".repeat(MAXIMUM_PART));
        let divided: Vec<_> = parts(&text).collect();
        let lengths: Vec<_> = divided.iter().map(|part| part.len()).collect();
        assert_eq!(lengths, [MAXIMUM_PART - 1, MAXIMUM_PART, 2]);
        assert!(divided.concat() == text);
        assert_eq!(parts("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn each_damage_has_its_own_error() {
        assert!(matches!(read_text(&[0, 0]), Err(FrameError::Truncated)));
        assert!(matches!(read_text(&[0, 0, 0, 3, b'"', b'a']), Err(FrameError::Truncated)));
        assert!(matches!(
            read_text(&[0, 0, 0, 11]),
            Err(FrameError::TooLong { length: 11, maximum: 10 })
        ));
        assert!(matches!(read_text(&[0, 0, 0, 1, b'x']), Err(FrameError::Garbage(_))));
        assert!(matches!(
            encode(&"0123456789", 10),
            Err(FrameError::TooLong { length: 12, maximum: 10 })
        ));
    }
}
