//! Contents of files in the cache, for outputs that aren't bundles: members, as a bundle has them.

use std::io;

use super::member;
use crate::result_cache::{ContentName, ResultCache};

/// Keeps contents for later builds, unless they are kept already. Returns whether [`find`] finds them then: contents that
/// deflating doesn't help aren't kept.
pub(crate) fn keep(cache: &ResultCache, name: &ContentName, contents: &[u8]) -> io::Result<bool> {
    if let Some((known, _)) = cache.get(&name.key()) {
        return Ok(known.length() > 0);
    }
    let (member, is_stored) = member::encode(contents)?;
    let kept: &[u8] = if is_stored { &[] } else { &member };
    Ok(cache.add(name.key(), kept).is_some() && !is_stored)
}

/// The contents with a name. `None` if they aren't kept.
pub(crate) fn find(cache: &ResultCache, name: &ContentName) -> Option<Vec<u8>> {
    let (_, member) = cache.get(&name.key())?;
    member::inflate(&member, name.size)
}

/// Whether the contents with a name are kept, and whole.
pub(crate) fn is_kept(cache: &ResultCache, name: &ContentName) -> bool {
    cache.get(&name.key()).is_some_and(|(place, _)| place.length() > 0)
}

pub(crate) fn cache_changed() -> io::Error {
    io::Error::other("the cache of results was changed while the site was built; build it again")
}
