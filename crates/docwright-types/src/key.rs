//! Admin API keys: `dw_` + public id + `_` + secret.
//!
//! Only a hash of the secret is stored. The secret has 192 random bits, so a plain SHA-256 is enough: a slow hash
//! would protect nothing.

use std::{fmt, net::IpAddr, str::FromStr};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use crate::timestamp::Timestamp;

/// Keys expire after this many days by default.
pub const DEFAULT_DAYS: i64 = 90;
/// Secrets have this many random bytes.
const SECRET_BYTES: usize = 24;
/// Public ids have this many random bytes.
const ID_BYTES: usize = 8;

/// Scope of an API key. Each scope includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(example = "write")]
pub enum Scope {
    /// Reading.
    Read,
    /// Starting work: agent jobs, updates, exports, pushes, and which release is active.
    Write,
    /// An organization: its keys, domains, credentials, settings of projects, and deletions.
    Admin,
    /// The instance: every organization, their plans, and keys of this scope.
    Operator,
}

impl Scope {
    /// Every scope, the smallest first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Admin, Self::Operator];

    /// Its name in the database and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
            Self::Operator => "operator",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scope| scope.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a scope; use read, write, admin, or operator"))
    }
}

/// A key with its secret. Shown once, then forgotten.
#[derive(Clone, PartialEq, Eq)]
pub struct PresentedKey {
    id: String,
    secret: String,
}

impl PresentedKey {
    /// A new key. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; ID_BYTES + SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self { id: hex::encode(&bytes[..ID_BYTES]), secret: hex::encode(&bytes[ID_BYTES..]) })
    }

    /// Parses a key; `None` if it doesn't have the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix("dw_")?.split_once('_')?;
        let hex = |part: &str, bytes: usize| {
            part.len() == bytes * 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        (hex(id, ID_BYTES) && hex(secret, SECRET_BYTES))
            .then(|| Self { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// The public part.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The stored hash of the secret: SHA-256, in hex.
    pub fn secret_hash(&self) -> String {
        hex::encode(Sha256::digest(self.secret.as_bytes()))
    }

    /// The whole key, to show once.
    pub fn reveal(&self) -> String {
        format!("dw_{}_{}", self.id, self.secret)
    }
}

impl fmt::Debug for PresentedKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "dw_{}_…", self.id)
    }
}

/// Why a key is refused. For the operator: the sender of a key learns less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRefusal {
    /// It doesn't have the form of a key.
    Malformed,
    /// No key has its public id.
    Unknown,
    /// The public id is right and the secret is not.
    WrongSecret,
    /// It was revoked.
    Revoked,
    /// It has expired.
    Expired,
    /// Its allowlist doesn't include the address of the request.
    Address,
    /// The owner of the personal access token isn't a member of its organization any more.
    Owner,
}

impl KeyRefusal {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Malformed,
        Self::Unknown,
        Self::WrongSecret,
        Self::Revoked,
        Self::Expired,
        Self::Address,
        Self::Owner,
    ];

    /// Its name in logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::WrongSecret => "wrong_secret",
            Self::Revoked => "revoked",
            Self::Expired => "expired",
            Self::Address => "address",
            Self::Owner => "owner",
        }
    }
}

/// The owner of a personal access token, as they are at present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOwner {
    /// ID of the account.
    pub account_id: String,
    /// Email address of the account.
    pub email: String,
    /// Scope of the account in the organization of the token; `None` if it has no role there.
    pub scope: Option<Scope>,
}

/// A stored key. A key with an owner is a personal access token.
#[derive(Debug, Clone)]
pub struct ApiKey {
    /// Its public id.
    pub id: String,
    /// The organization it belongs to; `None` for a key of the instance.
    pub organization_id: Option<String>,
    /// Its name.
    pub name: String,
    /// SHA-256 of the secret, in hex.
    pub secret_hash: String,
    /// The scope that it was created with. [`ApiKey::scope`] is the one that counts.
    pub granted: Scope,
    /// The person that it belongs to; `None` for a key of an organization or of the instance.
    pub owner: Option<KeyOwner>,
    /// Ids of the only projects that it can access; empty for all.
    pub projects: Vec<String>,
    /// Addresses it can be used from; empty for all.
    pub allowlist: Vec<IpNet>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Account that created it, directly or with another key.
    pub created_by: Option<String>,
    /// Number of its version, which updates increment.
    pub revision: i64,
}

impl ApiKey {
    /// Fails unless a presented key matches this one and is valid. Takes the same time whichever part of the
    /// secret is wrong.
    pub fn check(&self, presented: &PresentedKey, now: Timestamp) -> Result<(), KeyRefusal> {
        let same = self.secret_hash.as_bytes().ct_eq(presented.secret_hash().as_bytes());
        if !bool::from(same) {
            return Err(KeyRefusal::WrongSecret);
        }
        self.check_validity(now)
    }

    /// Its scope: of a personal access token, the lower of its own and of its owner's present role.
    pub fn scope(&self) -> Scope {
        let owners = self.owner.as_ref().map(|owner| owner.scope.unwrap_or(Scope::Read));
        owners.map_or(self.granted, |owners| self.granted.min(owners))
    }

    /// Fails if it is revoked or expired, or its owner has no role in its organization.
    pub fn check_validity(&self, now: Timestamp) -> Result<(), KeyRefusal> {
        if self.revoked_at.is_some() {
            return Err(KeyRefusal::Revoked);
        }
        if self.expires_at.is_some_and(|end| now >= end) {
            return Err(KeyRefusal::Expired);
        }
        if self.owner.as_ref().is_some_and(|owner| owner.scope.is_none()) {
            return Err(KeyRefusal::Owner);
        }
        Ok(())
    }

    /// Whether it can be used from an address.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.allowlist.is_empty()
            || self.allowlist.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// Whether it has a scope.
    pub fn has(&self, scope: Scope) -> bool {
        self.scope() >= scope
    }

    /// Whether it can access a project of an organization.
    pub fn reaches(&self, organization_id: &str, project_id: &str) -> bool {
        self.organization_id.as_deref().is_none_or(|own| own == organization_id)
            && (self.projects.is_empty() || self.projects.iter().any(|own| own == project_id))
    }
}

/// Parses a list of addresses and networks. A list that allows everything is refused: omitting it is clearer.
pub fn parse_allowlist(text: &str) -> Result<Vec<IpNet>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let network =
                part.parse::<IpNet>().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            let network = network.map_err(|_| {
                format!("`{part}` isn't an IP address or a network, such as 10.0.0.0/8")
            })?;
            if network.prefix_len() == 0 {
                Err(format!("`{part}` allows every address; omit the list instead"))
            } else {
                Ok(network)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_verified_by_its_secret() {
        let presented = PresentedKey::generate().unwrap();
        assert_eq!(PresentedKey::parse(&presented.reveal()), Some(presented.clone()));
        let shown = presented.reveal();
        let (id, secret) = shown["dw_".len()..].split_once('_').unwrap();
        assert_eq!(presented.id(), id);
        assert_eq!(format!("{presented:?}"), format!("dw_{id}_…"), "the secret is not shown");
        assert_eq!(secret.len(), 2 * SECRET_BYTES);
        let key = ApiKey {
            id: presented.id().into(),
            organization_id: Some("o".into()),
            name: "n".into(),
            secret_hash: presented.secret_hash(),
            granted: Scope::Read,
            owner: None,
            projects: Vec::new(),
            allowlist: parse_allowlist("10.0.0.0/8").unwrap(),
            created_at: 0,
            expires_at: Some(10),
            last_used_at: None,
            revoked_at: None,
            created_by: None,
            revision: 1,
        };
        assert_eq!(key.check(&presented, 9), Ok(()));
        assert_eq!(key.check(&presented, 10), Err(KeyRefusal::Expired));
        let other = PresentedKey::generate().unwrap();
        assert_eq!(key.check(&other, 10), Err(KeyRefusal::WrongSecret), "it learns nothing else");
        assert!(
            key.allows("10.1.2.3".parse().unwrap()) && !key.allows("11.1.2.3".parse().unwrap())
        );
        assert!(key.has(Scope::Read) && !key.has(Scope::Write));
    }

    fn key(organization_id: Option<&str>, scope: Scope, projects: &[&str]) -> ApiKey {
        ApiKey {
            id: String::new(),
            organization_id: organization_id.map(str::to_owned),
            name: String::new(),
            secret_hash: String::new(),
            granted: scope,
            owner: None,
            projects: projects.iter().map(ToString::to_string).collect(),
            allowlist: Vec::new(),
            created_at: 0,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            created_by: None,
            revision: 1,
        }
    }

    #[test]
    fn key_accesses_only_its_organization_or_projects() {
        let whole = key(Some("o"), Scope::Admin, &[]);
        assert!(whole.reaches("o", "p") && whole.reaches("o", "q") && !whole.reaches("x", "p"));
        let limited = key(Some("o"), Scope::Admin, &["p"]);
        assert!(limited.reaches("o", "p") && !limited.reaches("o", "q"));
        assert!(!limited.reaches("x", "p"));
        assert!(key(None, Scope::Operator, &[]).reaches("x", "p"));
    }

    #[test]
    fn token_has_the_lower_scope_of_itself_and_its_owner() {
        for granted in Scope::ALL {
            for role in Scope::ALL {
                let owner =
                    KeyOwner { account_id: "a".into(), email: "e".into(), scope: Some(role) };
                let token = ApiKey { owner: Some(owner), ..key(Some("o"), granted, &[]) };
                assert_eq!(token.scope(), granted.min(role), "{granted:?} {role:?}");
                assert_eq!(token.has(granted), granted <= role, "{granted:?} {role:?}");
                assert_eq!(token.check_validity(1), Ok(()));
            }
        }
        let owner = KeyOwner { account_id: "a".into(), email: "e".into(), scope: None };
        let token = ApiKey { owner: Some(owner), ..key(Some("o"), Scope::Admin, &[]) };
        assert_eq!(token.check_validity(1), Err(KeyRefusal::Owner));
        assert!(!token.has(Scope::Write));
    }

    #[test]
    fn malformed_keys_are_refused() {
        for text in ["", "dw_", "dw_a_b", "xx_0123456789abcdef_00", "dw_0123456789abcdef"] {
            assert_eq!(PresentedKey::parse(text), None, "{text}");
        }
        let secret = "0".repeat(2 * SECRET_BYTES);
        assert!(PresentedKey::parse(&format!("dw_0123456789abcdef_{secret}")).is_some());
        for (id, secret) in [
            ("0123456789abcde", secret.as_str()),
            ("0123456789abcdeg", &secret),
            ("0123456789abcdef", &secret[1..]),
        ] {
            assert_eq!(PresentedKey::parse(&format!("dw_{id}_{secret}")), None, "{id} {secret}");
        }
        assert!(parse_allowlist("0.0.0.0/0").is_err() && parse_allowlist("x").is_err());
    }

    #[test]
    fn scopes_use_names_of_database_and_include_lower_scopes() {
        assert_eq!(Scope::ALL.map(Scope::name), ["read", "write", "admin", "operator"]);
        for (at, scope) in Scope::ALL.into_iter().enumerate() {
            assert_eq!(scope.name().parse(), Ok(scope));
            let can = Scope::ALL.map(|needed| key(None, scope, &[]).has(needed));
            assert_eq!(can.iter().filter(|can| **can).count(), at + 1);
        }
        assert!("root".parse::<Scope>().is_err());
    }
}
