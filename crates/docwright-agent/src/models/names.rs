//! Valid names of models.

use super::provider::{self, PROVIDERS};
use crate::{edits, external::PREFIX};

/// Fails if no model can have this name; the error lists valid forms. Only the provider knows whether it has the
/// model.
pub fn check_name(name: &str) -> Result<(), String> {
    if name == edits::NAME {
        return Ok(());
    }
    if name.strip_prefix(PREFIX).is_some_and(|agent| !agent.is_empty()) {
        return Ok(());
    }
    match provider::find(name) {
        Ok((_, model)) if !model.trim().is_empty() => Ok(()),
        Ok(_) => Err(format!("`{name}` isn't a model; {}", forms())),
        Err(why) => Err(format!("{why}; {}", forms())),
    }
}

/// The valid names, for people.
fn forms() -> String {
    let providers: Vec<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
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
            ("bogus:x", "unknown provider `bogus`; use `builtin:edits`"),
            ("builtin:edit", "unknown provider `builtin`"),
            ("gpt-5.2", "`gpt-5.2` isn't a model"),
            ("openai:", "`openai:` isn't a model"),
            (":x", "`:x` isn't a model"),
            ("acp:", "`acp:` isn't a model"),
            ("", "`` isn't a model"),
        ] {
            let error = check_name(name).unwrap_err();
            assert!(error.contains(said) && error.contains("anthropic, "), "{name}: {error}");
        }
    }
}
