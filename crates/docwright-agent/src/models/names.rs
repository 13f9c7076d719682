//! Which names of models there can be.

use std::collections::BTreeSet;

use rig_core::providers::registry::ProviderId;

use super::{Remote, Settings};
use crate::{edits, external::PREFIX};

/// Fails if no model can have this name; says which can. Whether the provider knows the model, only the
/// provider can say.
pub fn check_name(name: &str) -> Result<(), String> {
    if name == edits::NAME {
        return Ok(());
    }
    let Some((provider, model)) = name.split_once(':') else {
        return Err(format!("`{name}` names no model; {}", forms()));
    };
    if provider.is_empty() || model.trim().is_empty() {
        return Err(format!("`{name}` names no model; {}", forms()));
    }
    if name.starts_with(PREFIX) {
        return Ok(());
    }
    let settings = Settings { name: name.to_owned(), base_url: None, key: String::new() };
    match Remote::new(&settings) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "`{name}` can't be used, since there is no provider of models `{provider}`; {}",
            forms()
        )),
    }
}

/// The names that there are, for people.
fn forms() -> String {
    let providers: BTreeSet<_> = ProviderId::all().map(|id| id.vendor()).collect();
    let providers: Vec<_> = providers.into_iter().collect();
    format!(
        "use `{}`, `{PREFIX}AGENT`, or PROVIDER:MODEL such as `anthropic:claude-sonnet-4-5`, where PROVIDER is one of {}",
        edits::NAME,
        providers.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_by_their_provider() {
        for name in [
            "builtin:edits",
            "acp:mine",
            "anthropic:claude-sonnet-4-5",
            "openai:gpt-5.2",
            "gemini:gemini-2.5-pro",
            "ollama:qwen3:8b",
            "llamacpp:any",
        ] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for (name, said) in [
            ("bogus:x", "there is no provider of models `bogus`; use `builtin:edits`"),
            ("builtin:edit", "no provider of models `builtin`"),
            ("gpt-5.2", "`gpt-5.2` names no model"),
            ("openai:", "`openai:` names no model"),
            (":x", "`:x` names no model"),
            ("acp:", "`acp:` names no model"),
            ("", "`` names no model"),
        ] {
            let error = check_name(name).unwrap_err();
            assert!(error.contains(said) && error.contains("anthropic, "), "{name}: {error}");
        }
    }
}
