//! Settings of a bucket and its connection.

use std::{fmt, time::Duration};

use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, Checksum},
};

use super::ObjectError;

/// One read of a response lasts no longer than this.
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// A bucket, and how to connect to it. Its variables contain secrets and are not shown.
#[derive(Clone)]
pub struct S3Settings {
    bucket: String,
    /// Prefix of keys, with a trailing slash; or empty.
    prefix: String,
    variables: Vec<(AmazonS3ConfigKey, String)>,
    retries: Retries,
}

/// How long an outage of the store can last.
#[derive(Debug, Clone, Copy)]
pub struct Retries {
    /// The first wait before a request is repeated. Later waits are longer.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
    /// A request times out after this.
    pub give_up_after: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(100),
            longest_wait: Duration::from_secs(5),
            give_up_after: Duration::from_mins(2),
        }
    }
}

impl fmt::Debug for S3Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("S3Settings")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .field("retries", &self.retries)
            .finish_non_exhaustive()
    }
}

impl S3Settings {
    /// Settings from an address like `s3://bucket/prefix`, and from variables like those of AWS's own
    /// programs, such as `AWS_ACCESS_KEY_ID`. Variables with other names are ignored.
    pub fn new(
        address: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ObjectError> {
        let wrong = || {
            ObjectError::Settings(format!(
                "`{address}` isn't a bucket address; write one such as s3://bucket or s3://bucket/prefix"
            ))
        };
        let rest = address.strip_prefix("s3://").ok_or_else(wrong)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if bucket.is_empty() || !bucket.bytes().all(named) {
            return Err(wrong());
        }
        let mut prefix = prefix.trim_end_matches('/').to_owned();
        if !prefix.is_empty() {
            super::check(&prefix).map_err(|_| wrong())?;
            prefix.push('/');
        }
        let known = |(name, value): (String, String)| {
            let key = name.starts_with("AWS_").then(|| name.to_ascii_lowercase().parse().ok())?;
            // A value from a file often has a trailing newline.
            Some((key?, value.trim().to_owned())).filter(|(_, value)| !value.is_empty())
        };
        let variables = variables.into_iter().filter_map(known).collect();
        let (bucket, retries) = (bucket.to_owned(), Retries::default());
        let settings = Self { bucket, prefix, variables, retries };
        settings.check_values()?;
        Ok(settings)
    }

    /// Addresses and headers are built from these; the client panics on invalid ones.
    fn check_values(&self) -> Result<(), ObjectError> {
        let odd = |value: &str| !value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if let Some((key, _)) = self.variables.iter().find(|(_, value)| odd(value)) {
            let name = key.as_ref().to_ascii_uppercase();
            // It can be a secret, so an error can't repeat it.
            return Err(ObjectError::Settings(format!(
                "{name} contains characters that can't be sent; enter it again"
            )));
        }
        let wrong = |name: &str, value: &str, like: &str| {
            Err(ObjectError::Settings(format!("{name} is `{value}`; write it such as {like}")))
        };
        if let Some(endpoint) = self.endpoint() {
            let parsed = endpoint.parse::<http::Uri>().ok();
            let scheme = parsed.as_ref().and_then(http::Uri::scheme_str);
            if !matches!(scheme, Some("http" | "https")) {
                return wrong("AWS_ENDPOINT_URL", &endpoint, "https://s3.example.com");
            }
        }
        for key in [AmazonS3ConfigKey::Region, AmazonS3ConfigKey::DefaultRegion] {
            let region = self.variable(key).unwrap_or_default();
            if !region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                return wrong("AWS_REGION", region, "eu-central-1");
            }
        }
        Ok(())
    }

    /// With different waits.
    #[must_use]
    pub fn with_retries(self, retries: Retries) -> Self {
        Self { retries, ..self }
    }

    pub(super) fn bucket(&self) -> &str {
        &self.bucket
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The client of the store.
    pub(super) fn client(&self) -> Result<AmazonS3, ObjectError> {
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.bucket)
            // The store verifies written data on arrival.
            .with_checksum_algorithm(Checksum::SHA256)
            // Not every store can remove several objects at once.
            .with_disable_bulk_delete(true);
        for (key, value) in &self.variables {
            if !matches!(key, AmazonS3ConfigKey::Client(_) | AmazonS3ConfigKey::Bucket) {
                builder = builder.with_config(*key, value);
            }
        }
        if let Some(endpoint) = self.endpoint() {
            builder = builder.with_config(AmazonS3ConfigKey::S3Endpoint, endpoint);
        }
        let built = builder
            .with_client_options(self.client_options())
            .with_retry(RetryConfig {
                backoff: BackoffConfig {
                    init_backoff: self.retries.first_wait,
                    max_backoff: self.retries.longest_wait,
                    base: 2.0,
                },
                max_retries: usize::MAX,
                retry_timeout: self.retries.give_up_after,
            })
            .build();
        built.map_err(|error| {
            ObjectError::Settings(format!(
                "the settings of the object store can't be used: {error}; see the variables that begin with AWS_"
            ))
        })
    }

    /// HTTP options of the client.
    pub(super) fn client_options(&self) -> ClientOptions {
        let mut options = ClientOptions::new()
            // A large part or object takes time; it must only make progress.
            .with_timeout_disabled()
            .with_read_timeout(READ_TIMEOUT)
            // An `http://` address is deliberate.
            .with_allow_http(self.endpoint().is_some_and(|address| address.starts_with("http://")));
        for (key, value) in &self.variables {
            if let AmazonS3ConfigKey::Client(key) = key
                && *key != ClientConfigKey::AllowHttp
            {
                options = options.with_config(*key, value);
            }
        }
        options
    }

    /// Address of the store, if it is not AWS's own. If buckets are hosts, it contains the bucket's name.
    fn endpoint(&self) -> Option<String> {
        let endpoint = self
            .variable(AmazonS3ConfigKey::S3Endpoint)
            .or_else(|| self.variable(AmazonS3ConfigKey::Endpoint))?
            .trim_end_matches('/');
        let virtual_hosted = self.variable(AmazonS3ConfigKey::VirtualHostedStyleRequest);
        let (scheme, host) = endpoint.split_once("://").unwrap_or(("", endpoint));
        let bucket = format!("{}.", self.bucket);
        let named = virtual_hosted.is_none_or(|value| !matches!(value, "true" | "1" | "yes"))
            || host.starts_with(&bucket);
        Some(if named {
            format!("{scheme}://{host}")
        } else {
            format!("{scheme}://{bucket}{host}")
        })
    }

    fn variable(&self, wanted: AmazonS3ConfigKey) -> Option<&str> {
        let found = self.variables.iter().rfind(|(key, _)| *key == wanted)?;
        Some(found.1.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> S3Settings {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        S3Settings::new("s3://b/a/c/", variables.iter().map(owned)).unwrap()
    }

    #[test]
    fn bucket_can_be_in_path_or_host() {
        let hosts = ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "true");
        let address = |address| ("AWS_ENDPOINT_URL", address);
        assert_eq!(settings(&[hosts]).endpoint(), None, "AWS has its own");
        for (variables, endpoint) in [
            (vec![address("https://s3.example.com/")], "https://s3.example.com"),
            (vec![hosts, address("https://s3.example.com")], "https://b.s3.example.com"),
            (vec![hosts, address("http://b.s3.example.com:9/")], "http://b.s3.example.com:9"),
            (vec![address("https://a"), ("AWS_ENDPOINT_URL_S3", "https://b")], "https://b"),
        ] {
            assert_eq!(settings(&variables).endpoint().as_deref(), Some(endpoint));
        }
        assert_eq!((settings(&[]).bucket(), settings(&[]).prefix()), ("b", "a/c/"));
    }

    #[test]
    fn only_http_address_is_used_without_encryption() {
        let plain = |variables: &[(&str, &str)]| {
            let options = settings(variables).client_options();
            options.get_config_value(&ClientConfigKey::AllowHttp).unwrap() == "true"
        };
        assert!(plain(&[("AWS_ENDPOINT_URL", "http://127.0.0.1:9000")]));
        assert!(!plain(&[("AWS_ENDPOINT_URL", "https://s3.example.com")]));
        assert!(!plain(&[("AWS_ALLOW_HTTP", "true")]));
    }
}
