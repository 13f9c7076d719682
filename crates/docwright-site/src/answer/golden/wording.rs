//! Questions out of headings. English headings become whole questions; headings in other languages stay as they are
//! written, with the title of their page.

/// Headings that say nothing without their page.
const GENERIC: &str = "overview|introduction|example|examples|parameters|prerequisites|next steps|see also|notes|note|\
    response|request|summary|related|usage|properties|props|reference|before you begin|what's next|learn more|\
    related pages|requirements|description|details|more|other|resources|steps|result|background|default|options";
/// Verbs that instructions start with.
const IMPERATIVES: &str = "access|activate|add|allow|apply|archive|assign|attach|authenticate|authorize|block|build|\
    buy|call|cancel|change|check|choose|clear|clone|close|collect|combine|compare|compile|configure|confirm|connect|\
    contact|control|convert|copy|create|customize|deactivate|debug|define|delete|deploy|describe|detect|develop|\
    disable|disconnect|display|download|duplicate|edit|embed|enable|encrypt|enter|exclude|export|extend|fetch|filter|\
    find|fix|follow|format|generate|get|give|grant|group|handle|hide|host|ignore|import|improve|include|install|\
    integrate|invite|issue|join|keep|limit|link|list|load|localize|log|make|manage|map|measure|merge|migrate|mock|\
    modify|monitor|mount|move|name|open|optimize|order|organize|override|parse|pass|pause|pay|pin|plan|prepare|\
    preview|print|protect|provide|publish|pull|push|query|read|rebuild|receive|record|recover|redirect|reduce|refer|\
    register|reload|remove|rename|render|renew|reorder|replace|report|request|require|reset|resolve|restart|restore|\
    restrict|resume|retry|return|reuse|review|revoke|roll|rotate|run|save|scale|schedule|search|secure|select|send|\
    serve|set|share|show|sign|skip|sort|specify|start|stop|store|style|submit|subscribe|switch|sync|test|track|\
    transfer|translate|trigger|troubleshoot|turn|uninstall|unlink|unlock|update|upgrade|upload|use|validate|verify|\
    version|view|wait|watch|work|wrap|write";
/// Longest heading that becomes a question, in characters.
const MAXIMUM_HEADING: usize = 100;

/// The question that a section answers; `None` if its heading says too little. `title` is that of its page.
pub(super) fn question(heading: &str, title: &str, is_english: bool) -> Option<String> {
    let text = heading.trim().trim_end_matches(['.', ':', '!']).trim_end();
    let plain = text.to_lowercase();
    let is_code = text.starts_with('/') || text.contains(['{', '}', '<', '>', '=', '`', '\n']);
    let is_telling = text.chars().filter(|letter| letter.is_alphabetic()).count() > 2;
    if is_code || !is_telling || text.chars().count() > MAXIMUM_HEADING {
        return None;
    }
    if text.ends_with(['?', '？']) {
        return Some(text.to_owned());
    }
    if GENERIC.split('|').any(|generic| generic == plain) {
        return None;
    }
    if !is_english {
        return Some(if text == title { text.to_owned() } else { format!("{title}: {text}") });
    }
    let first = plain.split_whitespace().next().unwrap_or_default();
    if let Some(rest) = plain.strip_prefix("how to ").map(|rest| &text[text.len() - rest.len()..]) {
        return Some(format!("How do I {rest}?"));
    }
    if ["how", "what", "when", "where", "which", "why", "who", "can"].contains(&first) {
        return Some(format!("{text}?"));
    }
    let lower = lower_first(text);
    if IMPERATIVES.split('|').any(|verb| verb == first) {
        return Some(format!("How do I {lower}?"));
    }
    let is_gerund = first.len() > 4 && first.ends_with("ing");
    let does = if !is_gerund && is_plural(&plain) { "do" } else { "does" };
    Some(format!("How {does} {lower} work?"))
}

/// Whether the noun of a heading is in the plural: its last word before `of`, `in`, and the like.
fn is_plural(heading: &str) -> bool {
    let words = heading.split_whitespace();
    let noun = words
        .take_while(|word| !["of", "in", "for", "with", "on", "from", "to", "by"].contains(word))
        .last()
        .unwrap_or_default();
    let joined = heading.contains(" and ");
    joined || noun.ends_with('s') && !["ss", "us", "is"].iter().any(|end| noun.ends_with(end))
}

/// The text with a small first letter, unless its first word or the next one is a name.
fn lower_first(text: &str) -> String {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_name = |word: &str| {
        word.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_numeric())
    };
    let next_is_capital = words.next().is_some_and(|word| word.starts_with(char::is_uppercase));
    if is_name(first) || next_is_capital || first == "I" {
        return text.to_owned();
    }
    let mut letters = text.chars();
    let small = letters.next().into_iter().flat_map(char::to_lowercase);
    small.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_questions() {
        for (heading, expected) in [
            ("Rotate a token", Some("How do I rotate a token?")),
            ("How to rotate a token", Some("How do I rotate a token?")),
            ("What is a release", Some("What is a release?")),
            ("Can I get a refund?", Some("Can I get a refund?")),
            ("API keys", Some("How do API keys work?")),
            ("Rate limits", Some("How do rate limits work?")),
            ("Signatures of webhooks", Some("How do signatures of webhooks work?")),
            ("Rotating keys", Some("How does rotating keys work?")),
            ("Visual Studio Code", Some("How does Visual Studio Code work?")),
            ("Overview", None),
            ("GET `/users`", None),
            ("v2", None),
        ] {
            assert_eq!(question(heading, "Title", true).as_deref(), expected, "{heading}");
        }
        assert_eq!(question("Grenzen", "Dateien", false).as_deref(), Some("Dateien: Grenzen"));
        assert_eq!(question("Dateien", "Dateien", false).as_deref(), Some("Dateien"));
    }
}
