//! The bodies of answers: short contents at once, long ones in chunks that are read at the client's pace. A slow
//! client uses memory for one chunk, and no thread.

use std::{
    io::{self, Read},
    iter,
    ops::Range,
    sync::Arc,
    vec,
};

use axum::body::{Body, Bytes};
use docwright_http::contents::chunks;

use super::{members::LONGEST, negotiate::Form, open_site::OpenSite};

/// Length of a file in a form.
pub(super) fn length(site: &OpenSite, file: usize, form: Form) -> u64 {
    let file = site.file(file);
    match form {
        Form::Identity => file.size,
        Form::Gzip => file.member.length,
    }
}

/// A whole file.
pub(super) async fn whole(site: &Arc<OpenSite>, index: usize, form: Form) -> io::Result<Body> {
    let length = length(site, index, form);
    if length <= LONGEST {
        return Ok(site.members.contents(site, index, form).await?.into());
    }
    match form {
        Form::Identity => part(site, index, 0..length).await,
        Form::Gzip => {
            let start = site.file(index).member.offset;
            Ok(chunks(Pieces::new(site, iter::once(start..start + length))))
        }
    }
}

/// A part of a file in identity form.
pub(super) async fn part(
    site: &Arc<OpenSite>,
    index: usize,
    range: Range<u64>,
) -> io::Result<Body> {
    let file = site.file(index);
    if file.size <= LONGEST {
        let contents = site.members.contents(site, index, Form::Identity).await?;
        return Ok(slice(&contents, range)?.into());
    }
    if file.member.stored {
        return Ok(chunks(Pieces::new(site, file.member.stored_range(file.size, range))));
    }
    let mut contents = site.bundle.reader(file);
    let (mut before, length) = (range.start, range.end - range.start);
    let inflated = move |buffer: &mut [u8]| {
        if before > 0 {
            io::copy(&mut contents.by_ref().take(before), &mut io::sink())?;
            before = 0;
        }
        contents.read(buffer)
    };
    Ok(chunks(Reading(inflated).take(length)))
}

fn slice(contents: &Bytes, range: Range<u64>) -> io::Result<Bytes> {
    let place = |place: u64| usize::try_from(place).map_err(io::Error::other);
    let (start, end) = (place(range.start)?, place(range.end)?);
    if end > contents.len() {
        return Err(io::Error::other("the file is shorter than the index says"));
    }
    Ok(contents.slice(start..end))
}

/// A reader made from a function.
struct Reading<F>(F);

impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Read for Reading<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.0)(buffer)
    }
}

/// Consecutive pieces of the bundle itself.
struct Pieces {
    site: Arc<OpenSite>,
    rest: vec::IntoIter<Range<u64>>,
    current: Range<u64>,
}

impl Pieces {
    fn new(site: &Arc<OpenSite>, pieces: impl IntoIterator<Item = Range<u64>>) -> Self {
        let rest = Vec::from_iter(pieces).into_iter();
        Self { site: Arc::clone(site), rest, current: 0..0 }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            let Some(next) = self.rest.next() else { return Ok(0) };
            self.current = next;
        }
        let left = usize::try_from(self.current.end - self.current.start).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let read = self.site.bundle.read_at(self.current.start, &mut buffer[..most])?;
        if read == 0 && most > 0 {
            return Err(io::Error::other("the bundle is shorter than its index says"));
        }
        self.current.start += read as u64;
        Ok(read)
    }
}
