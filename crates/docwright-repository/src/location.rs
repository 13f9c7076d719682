//! The location of a repository, parsed once from text.
//!
//! Owns the forms of addresses and who can use which. [`crate::network`] decides which hosts can be contacted, and
//! [`crate::git`] how credentials are sent.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use url::Url;

use crate::git::{Credentials, TOKEN_USERNAME};

/// The text for docwright's own git host.
pub const BUILT_IN: &str = "built-in";

/// The location of a project's repository. Its text is safe to show: it contains no credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A folder of the machine, used as it is.
    Folder(PathBuf),
    /// A repository that git clones.
    Remote(RemoteAddress),
    /// docwright's own git host.
    BuiltIn,
}

/// Protocol of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP over TLS.
    Https,
    /// HTTP in plain text.
    Http,
    /// SSH.
    Ssh,
    /// A repository on the same machine.
    File,
}

impl Scheme {
    /// Its name, as in git's protocol settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Ssh => "ssh",
            Self::File => "file",
        }
    }
}

/// The address of a repository that git clones. Never contains a password or a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteAddress {
    text: String,
    scheme: Scheme,
    host: String,
    port: Option<u16>,
    path: String,
}

/// Why a text isn't an address of a repository.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LocationError {
    /// It has none of the forms.
    #[error(
        "`{0}` isn't a folder or a git address; use https://…, ssh://…, git@host:path, a path that exists, or `built-in`"
    )]
    Unknown(String),
    /// The form is never allowed.
    #[error("git addresses with `{0}` aren't supported; use https://… or ssh://…")]
    Scheme(String),
    /// The form is allowed only for the operator.
    #[error(
        "a repository must be at an https:// or ssh:// address, such as https://github.com/owner/name.git"
    )]
    NotPublic,
    /// It contains credentials.
    #[error(
        "credentials aren't allowed in an address; leave them out, and set them with `docwright admin credential set`"
    )]
    Credentials,
}

impl Location {
    /// Parses an address from the operator's command line: every form.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        if text == BUILT_IN {
            return Ok(Self::BuiltIn);
        }
        let remote = RemoteAddress::parse(text);
        if matches!(remote, Err(LocationError::Unknown(_))) && !text.starts_with('-') {
            let path = Path::new(text);
            if path.is_absolute() || path.is_dir() {
                return Ok(Self::Folder(path.to_owned()));
            }
        }
        remote.map(Self::Remote)
    }

    /// Parses an address from the API: only `https://`, `ssh://`, and `git@host:path`.
    pub fn parse_public(text: &str) -> Result<Self, LocationError> {
        let remote = RemoteAddress::parse(text).map_err(|error| match error {
            LocationError::Credentials => error,
            // Errors of local forms are not shown there.
            _ => LocationError::NotPublic,
        })?;
        match remote.scheme {
            Scheme::Https | Scheme::Ssh => Ok(Self::Remote(remote)),
            Scheme::Http | Scheme::File => Err(LocationError::NotPublic),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(formatter, "{}", folder.display()),
            Self::Remote(address) => write!(formatter, "{address}"),
            Self::BuiltIn => formatter.write_str(BUILT_IN),
        }
    }
}

impl RemoteAddress {
    /// Reads an address that git can clone.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        if let Some(found) = Self::parse_short(text) {
            return found;
        }
        let unknown = || LocationError::Unknown(without_login(text).to_owned());
        if let Some((helper, _)) = text.split_once("::").filter(|(helper, _)| is_word(helper)) {
            return Err(LocationError::Scheme(format!("{helper}::")));
        }
        let url = Url::parse(text).map_err(|_| unknown())?;
        let scheme = match url.scheme() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            "ssh" => Scheme::Ssh,
            "file" => Scheme::File,
            other if text.contains("://") => {
                return Err(LocationError::Scheme(format!("{other}://")));
            }
            _ => return Err(unknown()),
        };
        if url.password().is_some() || (scheme != Scheme::Ssh && !url.username().is_empty()) {
            return Err(LocationError::Credentials);
        }
        let host = url.host_str().unwrap_or_default();
        let dashes = host.starts_with('-') || url.username().starts_with('-');
        if dashes || (host.is_empty() != (scheme == Scheme::File)) {
            return Err(unknown());
        }
        Ok(Self {
            text: url.as_str().to_owned(),
            scheme,
            host: host.to_owned(),
            port: url.port(),
            path: url.path().to_owned(),
        })
    }

    /// The short form of SSH, `user@host:path`. `None` for other forms.
    fn parse_short(text: &str) -> Option<Result<Self, LocationError>> {
        let (login, path) = text.split_once(':')?;
        let (user, host) = login.split_once('@')?;
        if login.contains('/') || path.starts_with("//") {
            return None;
        }
        let sane = is_word(user) && is_host(host) && !path.is_empty() && !path.starts_with('-');
        let clean = sane && !path.contains(|letter: char| letter.is_control());
        Some(if clean {
            Ok(Self {
                text: text.to_owned(),
                scheme: Scheme::Ssh,
                host: host.to_owned(),
                port: None,
                path: path.to_owned(),
            })
        } else if path.contains('@') {
            // `user:password@host` without a scheme.
            Err(LocationError::Credentials)
        } else {
            Err(LocationError::Unknown(without_login(text).to_owned()))
        })
    }

    /// The address for git.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The protocol.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host; empty for a repository on the same machine.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, if the address names one.
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    /// The host, with its port if the address names one: the key of tokens and credentials.
    pub fn host_and_port(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// The path on the host.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for RemoteAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// The showable part of an invalid address: text before an `@` can be a secret.
fn without_login(text: &str) -> &str {
    text.rsplit('@').next().unwrap_or_default()
}

fn is_word(text: &str) -> bool {
    let inner = |letter: char| letter.is_ascii_alphanumeric() || "_-.+".contains(letter);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(inner)
}

fn is_host(text: &str) -> bool {
    is_word(text) && url::Host::parse(text).is_ok()
}

/// The credentials in an address, and the address without them. `None` if it has none. For rows from before such
/// addresses were refused.
pub fn split_credentials(address: &str) -> Option<(String, Credentials)> {
    let mut url = Url::parse(address).ok()?;
    let ssh = url.scheme() == "ssh";
    if !matches!(url.scheme(), "https" | "http" | "ssh") {
        return None;
    }
    let decode =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let username = decode(url.username());
    let password = url.password().map(decode);
    if password.is_none() && (ssh || username.is_empty()) {
        return None;
    }
    // A token can be alone, as the name.
    let credentials = match password {
        Some(password) => Credentials { username: username.clone(), password },
        None => Credentials { username: TOKEN_USERNAME.to_owned(), password: username.clone() },
    };
    url.set_password(None).ok()?;
    if !ssh {
        url.set_username("").ok()?;
    }
    Some((url.into(), credentials))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(text: &str) -> RemoteAddress {
        match Location::parse(text) {
            Ok(Location::Remote(address)) => address,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn every_form_is_read() {
        for (text, scheme, host, port, path) in [
            ("https://e.org/a/b.git", Scheme::Https, "e.org", None, "/a/b.git"),
            ("http://127.0.0.1:8080/a", Scheme::Http, "127.0.0.1", Some(8080), "/a"),
            ("ssh://git@e.org:2222/a", Scheme::Ssh, "e.org", Some(2222), "/a"),
            ("git@e.org:a/b.git", Scheme::Ssh, "e.org", None, "a/b.git"),
            ("file:///srv/a.git", Scheme::File, "", None, "/srv/a.git"),
        ] {
            let read = remote(text);
            assert_eq!(
                (read.scheme(), read.host(), read.port(), read.path(), read.as_str()),
                (scheme, host, port, path, text)
            );
        }
        assert_eq!(Location::parse("built-in"), Ok(Location::BuiltIn));
        assert_eq!(Location::parse("/srv/a"), Ok(Location::Folder("/srv/a".into())));
        assert_eq!(Location::parse("."), Ok(Location::Folder(".".into())));
        // Odd spellings of an address become one.
        assert_eq!(remote("http://0x7f000001/a").host(), "127.0.0.1");
    }

    #[test]
    fn addresses_that_run_commands_are_refused() {
        for (text, part) in [
            ("ext::sh -c x", "`ext::`"),
            ("fd::17", "`fd::`"),
            ("git://e.org/a", "`git://`"),
            ("ftp://e.org/a", "`ftp://`"),
            ("-oProxyCommand=x@y:z", "isn't a folder or a git address"),
            ("ssh://-oProxyCommand=x/y", "isn't a folder or a git address"),
            ("ssh://-x@e.org/y", "isn't a folder or a git address"),
            ("git@-x:y", "isn't a folder or a git address"),
            ("git@e.org:-x", "isn't a folder or a git address"),
            ("--upload-pack=x", "isn't a folder or a git address"),
            ("no/such/folder", "isn't a folder or a git address"),
            ("file://host/srv", "isn't a folder or a git address"),
            ("", "isn't a folder or a git address"),
        ] {
            let error = Location::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn api_accepts_https_and_ssh() {
        for text in ["https://e.org/a", "ssh://git@e.org/a", "git@e.org:a"] {
            assert!(Location::parse_public(text).is_ok(), "{text}");
        }
        for text in
            ["http://e.org/a", "file:///srv/a", "/srv/a", ".", "built-in", "ext::sh", "git://e/a"]
        {
            assert_eq!(Location::parse_public(text), Err(LocationError::NotPublic), "{text}");
        }
    }

    #[test]
    fn credentials_are_refused_and_never_repeated() {
        for (text, clean, username, password) in [
            ("https://me:s3cret@e.org/a", "https://e.org/a", "me", "s3cret"),
            ("https://s3cret@e.org/a", "https://e.org/a", "x-access-token", "s3cret"),
            ("https://me:p%40s3cret@e.org/a", "https://e.org/a", "me", "p@s3cret"),
            ("ssh://git:s3cret@e.org/a", "ssh://git@e.org/a", "git", "s3cret"),
        ] {
            for error in
                [Location::parse(text).unwrap_err(), Location::parse_public(text).unwrap_err()]
            {
                assert_eq!(error, LocationError::Credentials);
                assert!(error.to_string().contains("docwright admin credential set"));
                assert!(!format!("{error} {error:?}").contains("s3cret"));
            }
            let (address, credentials) = split_credentials(text).unwrap();
            assert_eq!(address, clean);
            assert_eq!(
                (credentials.username.as_str(), credentials.password.as_str()),
                (username, password)
            );
            assert!(Location::parse(&address).is_ok());
        }
        for text in ["https://e.org/a", "ssh://git@e.org/a", "git@e.org:a", "/srv/a", "built-in"] {
            assert!(split_credentials(text).is_none(), "{text}");
        }
        let short = Location::parse("me:s3cret@e.org/a").unwrap_err();
        assert!(!short.to_string().contains("s3cret"), "{short}");
    }
}
