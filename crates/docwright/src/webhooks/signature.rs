//! Verifies that a delivery comes from its git host.
//!
//! GitHub, Bitbucket, Gitea and Forgejo sign the body with HMAC-SHA256, GitLab sends the secret itself.
//! <https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries>
//! <https://docs.gitlab.com/user/project/integrations/webhooks/#custom-headers>
//! <https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/>
//! <https://docs.gitea.com/usage/webhooks>

use axum::http::HeaderMap;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Headers with a signature of the body, in hex, and their prefixes.
const SIGNATURES: [(&str, &str); 4] = [
    ("x-hub-signature-256", "sha256="),
    ("x-hub-signature", "sha256="),
    ("x-gitea-signature", ""),
    ("x-forgejo-signature", ""),
];
const TOKEN: &str = "x-gitlab-token";

/// The signatures of a delivery, while its body is read.
pub(super) struct Signatures {
    sent: Vec<Vec<u8>>,
    has_token: bool,
    mac: Option<Hmac<Sha256>>,
}

impl Signatures {
    /// The signatures from the headers of a delivery. It takes the same time for right and wrong ones.
    pub(super) fn new(secret: &str, headers: &HeaderMap) -> Self {
        let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let sent = SIGNATURES.iter().filter_map(|(name, before)| {
            hex::decode(value(name)?.trim().strip_prefix(before)?).ok()
        });
        let token = value(TOKEN).unwrap_or_default();
        Self {
            sent: sent.collect(),
            has_token: token.as_bytes().ct_eq(secret.as_bytes()).into(),
            mac: Hmac::new_from_slice(secret.as_bytes()).ok(),
        }
    }

    /// The next piece of the body.
    pub(super) fn update(&mut self, piece: &[u8]) {
        if let Some(mac) = &mut self.mac {
            mac.update(piece);
        }
    }

    /// Whether one of them matches the secret.
    pub(super) fn has_good_one(self) -> bool {
        let Some(mac) = self.mac else { return false };
        let good = mac.finalize().into_bytes();
        // All are compared, so the time doesn't reveal which one matched.
        let same = |sent: &Vec<u8>| bool::from(sent.as_slice().ct_eq(good.as_slice()));
        self.sent.iter().fold(self.has_token, |any, sent| any | same(sent))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::Signatures;

    /// The example of GitHub's documentation.
    const SECRET: &str = "It's a Secret to Everybody";
    const BODY: &str = "Hello, World!";
    const SIGNATURE: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn is_good(secret: &str, name: &'static str, value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        let mut signatures = Signatures::new(secret, &headers);
        for piece in BODY.as_bytes().chunks(3) {
            signatures.update(piece);
        }
        signatures.has_good_one()
    }

    #[test]
    fn signatures_are_read_as_each_host_sends_them() {
        let with_name = format!("sha256={SIGNATURE}");
        for (header, value) in [
            ("x-hub-signature-256", with_name.as_str()),
            ("x-hub-signature", with_name.as_str()),
            ("x-gitea-signature", SIGNATURE),
            ("x-forgejo-signature", SIGNATURE),
            ("x-gitlab-token", SECRET),
        ] {
            assert!(is_good(SECRET, header, value), "{header}");
            assert!(!is_good("another", header, value), "{header}");
        }
    }

    #[test]
    fn invalid_signatures_are_refused() {
        for (header, value) in [
            ("x-hub-signature-256", SIGNATURE),
            ("x-hub-signature-256", "sha256="),
            ("x-hub-signature", "sha1=757107ea0eb2509fc211221cce984b8a37570b6d"),
            ("x-gitea-signature", ""),
            ("x-gitea-signature", &SIGNATURE[..62]),
            ("x-gitlab-token", ""),
            ("x-gitlab-token", SIGNATURE),
            ("authorization", SECRET),
        ] {
            assert!(!is_good(SECRET, header, value), "{header}: {value}");
        }
    }
}
