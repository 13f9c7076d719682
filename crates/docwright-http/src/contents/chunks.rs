//! Long bodies in chunks that are read at the client's pace. A slow client uses memory for one chunk, and no
//! thread.

use std::io::{self, Read};

use axum::body::Body;
use futures::stream;

/// Size of these chunks, in bytes.
const CHUNK: usize = 256 * 1024;

/// A body from a reader. It reads one chunk at a time on a thread that can block.
pub fn chunks(contents: impl Read + Send + 'static) -> Body {
    let chunks = stream::try_unfold(contents, |mut contents| async {
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = Vec::with_capacity(CHUNK);
            contents.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)?;
            io::Result::Ok((chunk, contents))
        });
        let (chunk, contents) = read.await.map_err(io::Error::other)??;
        io::Result::Ok((!chunk.is_empty()).then_some((chunk, contents)))
    });
    Body::from_stream(chunks)
}
