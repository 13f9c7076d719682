//! Long bodies in chunks that are read as the client takes them. A client that is slow holds memory for one
//! chunk, and no thread.

use std::io::{self, Read};

use axum::body::Body;
use futures::stream;

/// Long contents leave in chunks of this size. Bytes.
const CHUNK: usize = 256 * 1024;

/// A body of what a reader gives. It reads where it can wait for a disk, a chunk at a time.
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
