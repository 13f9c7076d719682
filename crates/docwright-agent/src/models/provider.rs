//! Providers of models: their names, hosts, and protocols.

use reqwest::Url;

use super::protocol::{ChatDialect, Protocol};

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The name before the colon of a model's name.
    pub name: &'static str,
    /// Whether it requires a key.
    pub needs_key: bool,
    /// Its own base URL; empty for [`OPENAI_CHAT`], which is no single host.
    address: &'static str,
    /// Its protocol.
    pub(super) protocol: Protocol,
    /// Whether its paths start with `/v1`, which a base URL can omit.
    has_version: bool,
}

/// Any host with `OpenAI`'s Chat Completions, such as vLLM or LM Studio. It has no default base URL.
pub const OPENAI_CHAT: &str = "openai-chat";

/// Chat Completions as most hosts implement them.
const CHAT: Protocol = Protocol::Chat(ChatDialect { limit: "max_tokens", reports_usage: true });
/// `OpenAI` has retired `max_tokens`: its reasoning models refuse it.
const OPENAI: Protocol =
    Protocol::Chat(ChatDialect { limit: "max_completion_tokens", reports_usage: true });
/// Mistral refuses unknown fields; it reports the usage by default.
const MISTRAL: Protocol = Protocol::Chat(ChatDialect { limit: "max_tokens", reports_usage: false });

/// Every provider.
pub const PROVIDERS: &[Provider] = &[
    Provider { protocol: Protocol::Messages, ..hosted("anthropic", "https://api.anthropic.com") },
    Provider {
        protocol: OPENAI,
        has_version: true,
        ..hosted("openai", "https://api.openai.com/v1")
    },
    local(OPENAI_CHAT, ""),
    hosted("gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    local("ollama", "http://localhost:11434/v1"),
    local("llamacpp", "http://localhost:8080/v1"),
    hosted("deepseek", "https://api.deepseek.com"),
    hosted("groq", "https://api.groq.com/openai/v1"),
    Provider { protocol: MISTRAL, ..hosted("mistral", "https://api.mistral.ai/v1") },
    hosted("openrouter", "https://openrouter.ai/api/v1"),
    hosted("together", "https://api.together.xyz/v1"),
    Provider { has_version: true, ..hosted("xai", "https://api.x.ai/v1") },
];

const fn hosted(name: &'static str, address: &'static str) -> Provider {
    Provider { name, needs_key: true, address, protocol: CHAT, has_version: false }
}

const fn local(name: &'static str, address: &'static str) -> Provider {
    Provider { name, needs_key: false, address, protocol: CHAT, has_version: true }
}

/// The provider of a model by the model's name, and the rest of the name.
pub fn find(model: &str) -> Result<(&'static Provider, &str), String> {
    let named = model.split_once(':').filter(|(name, rest)| !name.is_empty() && !rest.is_empty());
    let Some((name, rest)) = named else {
        return Err(format!("`{model}` isn't a model"));
    };
    let found = PROVIDERS.iter().find(|provider| provider.name == name);
    let provider = found.ok_or_else(|| format!("unknown provider `{name}`"))?;
    Ok((provider, rest))
}

impl Provider {
    /// Its base URL: the default, or another one.
    pub(super) fn base(&self, address: Option<&str>) -> Result<String, String> {
        match address {
            Some(address) => self.base_url(address),
            None if self.address.is_empty() => Err(format!(
                "docwright does not know its host; set it with --agent-urls {}=https://HOST/v1",
                self.name
            )),
            None => Ok(self.address.to_owned()),
        }
    }

    /// The base URL in common forms: the host alone, or with the path of an operation.
    fn base_url(&self, address: &str) -> Result<String, String> {
        let wrong = |why: &str| {
            format!(
                "--agent-urls has `{}={}`, {why}; use a URL such as https://host.example/v1",
                self.name,
                without_secrets(address)
            )
        };
        let url = Url::parse(address.trim())
            .map_err(|error| wrong(&format!("which isn't a URL ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("which isn't an HTTP URL"));
        }
        let mut base = address.trim().trim_end_matches('/');
        if self.protocol == Protocol::Messages {
            for end in ["/messages", "/v1"] {
                base = base.strip_suffix(end).unwrap_or(base);
            }
        }
        if self.has_version {
            for operation in ["/chat/completions", "/responses", "/api/chat", "/api"] {
                base = base.strip_suffix(operation).unwrap_or(base);
            }
            if Url::parse(base).is_ok_and(|url| url.path() == "/") {
                return Ok(format!("{}/v1", base.trim_end_matches('/')));
            }
        }
        Ok(base.to_owned())
    }
}

/// A URL without parts that can be secret: name, password, and query.
pub(super) fn without_secrets(address: &str) -> String {
    match Url::parse(address) {
        Ok(url) if url.has_host() => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            let host = url.host_str().unwrap_or_default();
            format!("{}://{host}{port}{}", url.scheme(), url.path().trim_end_matches('/'))
        }
        // An unreadable URL can contain anything.
        _ => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_an_address() {
        for provider in PROVIDERS {
            let own = provider.base((provider.name == OPENAI_CHAT).then_some("http://h/v1"));
            assert!(own.unwrap().starts_with("http"), "{}", provider.name);
        }
    }

    #[test]
    fn addresses_are_accepted_in_common_forms() {
        let base = |model: &str, address: &str| {
            let provider = find(model).unwrap().0;
            provider.base(Some(address))
        };
        for address in [
            "http://host:11434",
            "http://host:11434/",
            "http://host:11434/v1",
            "http://host:11434/v1/",
            "http://host:11434/api",
            "http://host:11434/api/chat",
            "http://host:11434/v1/chat/completions",
        ] {
            for model in ["ollama:x", "openai-chat:x", "llamacpp:x"] {
                assert_eq!(base(model, address).unwrap(), "http://host:11434/v1", "{address}");
            }
        }
        assert_eq!(base("openai-chat:x", "https://h/openai/v1").unwrap(), "https://h/openai/v1");
        assert_eq!(base("openai:x", "https://h/v1/responses").unwrap(), "https://h/v1");
        for address in ["https://h", "https://h/", "https://h/v1", "https://h/v1/messages"] {
            assert_eq!(base("anthropic:x", address).unwrap(), "https://h", "{address}");
        }
        for address in ["host:8000", "localhost", "ftp://h", "http://", ""] {
            let error = base("openai-chat:x", address).unwrap_err();
            assert!(error.contains("--agent-urls") && error.contains("https://"), "{error}");
        }
        let error = base("ollama:x", "ftp://me:s3cret@host/x?key=s3cret").unwrap_err();
        assert!(error.contains("ftp://host/x") && !error.contains("s3cret"), "{error}");
    }

    #[test]
    fn model_is_rest_of_name() {
        for model in ["gpt-5", "openai:", "", "bogus:x"] {
            assert!(find(model).is_err(), "{model}");
        }
        assert_eq!(find("openrouter:a/b:free").unwrap().1, "a/b:free");
    }
}
