//! Providers of models: their names, and where they are asked.

use rig_core::providers::{
    openai::wire::{Auth, BodyRewrite, Dialect, OpenAIConfig, Quirks},
    registry::{ProviderConfig, ProviderId},
};
use rig_reqwest::reqwest::Url;

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// What stands before the colon of a model's name.
    pub name: &'static str,
    /// Whether it gives no answer without a key.
    pub needs_key: bool,
    /// What the library calls it; empty for [`OPENAI_CHAT`], which is no one host.
    library: &'static str,
    /// Whether its paths begin with `/v1`, which people may leave out of an address.
    has_version: bool,
}

/// Any host that speaks `OpenAI`'s Chat Completions, such as vLLM or LM Studio. It has no address of
/// its own.
pub const OPENAI_CHAT: &str = "openai-chat";

/// Every provider.
pub const PROVIDERS: &[Provider] = &[
    hosted("anthropic", "anthropic", false),
    hosted("openai", "openai", true),
    Provider { name: OPENAI_CHAT, needs_key: false, library: "", has_version: true },
    hosted("gemini", "gcp.gemini", false),
    Provider { name: "ollama", needs_key: false, library: "ollama", has_version: true },
    Provider { name: "llamacpp", needs_key: false, library: "llamacpp", has_version: true },
    hosted("deepseek", "deepseek", false),
    hosted("groq", "groq", false),
    hosted("mistral", "mistral", false),
    hosted("openrouter", "openrouter", false),
    hosted("together", "together", false),
    hosted("xai", "xai", true),
];

const fn hosted(name: &'static str, library: &'static str, has_version: bool) -> Provider {
    Provider { name, needs_key: true, library, has_version }
}

/// The provider of a model by the model's name, and the rest of the name.
pub fn find(model: &str) -> Result<(&'static Provider, &str), String> {
    let named = model.split_once(':').filter(|(name, rest)| !name.is_empty() && !rest.is_empty());
    let Some((name, rest)) = named else {
        return Err(format!("`{model}` names no model"));
    };
    let found = PROVIDERS.iter().find(|provider| provider.name == name);
    let provider = found.ok_or_else(|| format!("there is no provider `{name}`"))?;
    Ok((provider, rest))
}

impl Provider {
    /// How the library reaches it, at its own address or another.
    pub(super) fn config(&self, address: Option<&str>) -> Result<ProviderConfig, String> {
        let address = address.map(|address| self.base_url(address)).transpose()?;
        if self.name == OPENAI_CHAT {
            let Some(address) = address else {
                return Err(format!(
                    "docwright does not know its host; name it with --agent-urls {OPENAI_CHAT}=https://HOST/v1"
                ));
            };
            let config = OpenAIConfig::with_key(&CHAT, "").with_base_url(address);
            return Ok(ProviderConfig::OpenAi(config));
        }
        let config =
            ProviderId::resolve(self.library).map_err(|error| error.to_string())?.config("");
        let config = config.ok_or_else(|| format!("`{}` can't be asked", self.name))?;
        Ok(match address {
            Some(address) => config.with_base_url(address),
            None => config,
        })
    }

    /// The base of an address as people write it: the host alone, or with the path of an operation.
    fn base_url(&self, address: &str) -> Result<String, String> {
        let wrong = |why: &str| {
            format!(
                "--agent-urls has `{}={}`, {why}; write an address such as https://host.example/v1",
                self.name,
                without_secrets(address)
            )
        };
        let url = Url::parse(address.trim())
            .map_err(|error| wrong(&format!("which is no address ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("which is no address of a web host"));
        }
        let mut base = address.trim().trim_end_matches('/');
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

/// Chat Completions as every host speaks them. A key is sent if there is one.
const CHAT: Dialect = {
    let mut quirks = Quirks::openai();
    quirks.auth = Auth::OptionalBearer;
    // Text goes as one string, not as a list of parts, which not every host takes.
    quirks.rewrite = BodyRewrite::Perplexity;
    Dialect::gateway(OPENAI_CHAT, "", "").with_quirks(quirks)
};

/// An address without what may be secret in it: name, password and query.
pub(super) fn without_secrets(address: &str) -> String {
    match Url::parse(address) {
        Ok(url) if url.has_host() => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            let host = url.host_str().unwrap_or_default();
            format!("{}://{host}{port}{}", url.scheme(), url.path().trim_end_matches('/'))
        }
        // What can't be read may hold anything.
        _ => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_is_known_to_the_library_and_has_an_address() {
        for provider in PROVIDERS {
            let own = provider.config((provider.name == OPENAI_CHAT).then_some("http://h/v1"));
            assert!(own.unwrap().base_url().starts_with("http"), "{}", provider.name);
        }
    }

    #[test]
    fn addresses_are_taken_as_people_write_them() {
        let base = |model: &str, address: &str| {
            let provider = find(model).unwrap().0;
            provider.config(Some(address)).map(|config| config.base_url().to_owned())
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
        for address in ["host:8000", "localhost", "ftp://h", "http://", ""] {
            let error = base("openai-chat:x", address).unwrap_err();
            assert!(error.contains("--agent-urls") && error.contains("https://"), "{error}");
        }
        let error = base("ollama:x", "ftp://me:s3cret@host/x?key=s3cret").unwrap_err();
        assert!(error.contains("ftp://host/x") && !error.contains("s3cret"), "{error}");
    }

    #[test]
    fn the_rest_of_a_name_is_the_model() {
        for model in ["gpt-5", "openai:", "", "bogus:x"] {
            assert!(find(model).is_err(), "{model}");
        }
        assert_eq!(find("openrouter:a/b:free").unwrap().1, "a/b:free");
    }
}
