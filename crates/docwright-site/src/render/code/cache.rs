//! Highlighted code that was seen before: half of the fences of real sites repeat.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

/// The maximum size of a cache in bytes of HTML. A full cache stays as it is: early entries (examples that
/// every page repeats) are as useful as later ones.
const CAPACITY: usize = 12 * 1024 * 1024;

/// HTML by language and code.
#[derive(Debug, Default)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<[u8; 32], Arc<str>>,
    bytes: usize,
}

impl Cache {
    /// The cached HTML of some code; `render` creates it on first use.
    pub(super) fn get_or_insert(
        &self,
        language: &str,
        code: &str,
        render: impl FnOnce() -> String,
    ) -> Arc<str> {
        let key = key(language, code);
        if let Ok(entries) = self.entries.lock()
            && let Some(html) = entries.by_key.get(&key)
        {
            return Arc::clone(html);
        }
        // Without the lock: two threads can do the same work, but don't wait for each other.
        let html: Arc<str> = render().into();
        if let Ok(mut entries) = self.entries.lock()
            && entries.bytes + html.len() <= CAPACITY
        {
            entries.bytes += html.len();
            entries.by_key.insert(key, Arc::clone(&html));
        }
        html
    }

    /// Removes all entries.
    pub(super) fn clear(&self) {
        if let Ok(mut entries) = self.entries.lock() {
            *entries = Entries::default();
        }
    }
}

fn key(language: &str, code: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(language);
    hash.update([0]);
    hash.update(code);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_code_both_count() {
        let cache = Cache::default();
        let get = |language, code, html: &str| {
            cache.get_or_insert(language, code, || html.to_owned()).to_string()
        };
        assert_eq!(get("js", "a", "1"), "1");
        assert_eq!(get("js", "a", "2"), "1");
        assert_eq!(get("ts", "a", "3"), "3");
        assert_eq!(get("js", "b", "4"), "4");
    }
}
