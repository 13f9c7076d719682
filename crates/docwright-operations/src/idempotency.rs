//! Requests that clients can repeat.

/// The key of a request, and the fingerprint that distinguishes it from other requests with that key; `None`
/// without a key.
#[derive(Debug, Clone, Default)]
pub struct Idempotency(pub Option<(String, String)>);

impl Idempotency {
    /// The organization that sent the request, its key, and the fingerprint.
    pub(crate) fn of<'a>(&'a self, organization: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        self.0.as_ref().map(|(key, print)| (organization, key.as_str(), print.as_str()))
    }
}
