//! What the authors tell the assistant: instructions for every answer, and skills for certain questions.
//!
//! Owns: which files they are, their limits, and which skills fit a question. Readers never get the files; a bundle has
//! their text in its manifest. What a model does with them is up to the assistant.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Diagnostic, Rule,
    content::{frontmatter::split, yaml},
    search::ContentTerms,
    source::Source,
};

/// docwright's own file with instructions. It comes before that of the format.
pub const INSTRUCTIONS_FILE: &str = ".docwright/assistant.md";
/// The folder of the format's file with instructions, and the file's name in lower case.
const FORMAT_FILE: (&str, &str) = (".mintlify/", "assistant.md");
/// The folder of skills, each in a folder of its own.
const SKILLS: &str = ".mintlify/assistant/skills/";
/// Names of the file of a skill, in lower case.
const SKILL_FILES: [&str; 2] = ["skill.md", "skill.mdx"];

/// Longest instructions, and longest skill. Characters.
const MOST_INSTRUCTIONS: usize = 8_000;
const MOST_SKILL: usize = 24_000;
/// Most skills of a site.
const MOST_SKILLS: usize = 50;
/// Longest name and description of a skill. Characters.
const MOST_NAME: usize = 200;
const MOST_DESCRIPTION: usize = 1_000;

/// Instructions and skills of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Guidance {
    /// Instructions for every answer; empty without any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// Guides for certain questions, by the name of their folder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
}

/// A guide for certain questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Says for which questions it is.
    pub description: String,
    /// The guide, in Markdown.
    pub text: String,
}

impl Guidance {
    /// Reads the files of a docs root. Problems are reported; what exceeds a limit is cut off.
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let mut reading = Reading { source, problems: Vec::new() };
        let instructions = reading.instructions();
        let skills = reading.skills();
        (Self { instructions, skills }, reading.problems)
    }

    /// Whether there is nothing.
    pub const fn is_empty(&self) -> bool {
        self.instructions.is_empty() && self.skills.is_empty()
    }

    /// The skills that fit a question in a language, the best first, at most `most`. One fits that shares two words with
    /// the question in its name and description, or one in its name that no other skill has.
    pub fn skills_for(&self, question: &str, language: &str, most: usize) -> Vec<&Skill> {
        let terms = ContentTerms::new(language);
        let asked = terms.of(question);
        let known: Vec<_> = self
            .skills
            .iter()
            .map(|skill| (skill, terms.of(&skill.name), terms.of(&skill.description)))
            .collect();
        let spread = |term: &str| {
            known
                .iter()
                .filter(|(_, name, text)| name.contains(term) || text.contains(term))
                .count()
        };
        let mut fitting = Vec::new();
        for (position, (skill, name, description)) in known.iter().enumerate() {
            let (mut shared, mut weight, mut is_named) = (0, 0.0, false);
            for term in &asked {
                let in_name = name.contains(term);
                if in_name || description.contains(term) {
                    let others = spread(term).max(1);
                    shared += 1;
                    #[allow(clippy::cast_precision_loss, reason = "at most 50 skills")]
                    let rarity = 1.0 / others as f64;
                    weight += if in_name { 2.0 * rarity } else { rarity };
                    is_named |= in_name && others == 1;
                }
            }
            if shared >= 2 || is_named {
                fitting.push((weight, position, *skill));
            }
        }
        fitting.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        fitting.into_iter().take(most).map(|(_, _, skill)| skill).collect()
    }
}

struct Reading<'a> {
    source: &'a Source,
    problems: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn report(&mut self, path: &str, message: String) {
        self.problems.push(Diagnostic::new(Rule::InvalidInstructions, path, message));
    }

    fn instructions(&mut self) -> String {
        let is_format = |path: &&str| {
            path.strip_prefix(FORMAT_FILE.0)
                .is_some_and(|name| name.eq_ignore_ascii_case(FORMAT_FILE.1))
        };
        let own = self.source.text(INSTRUCTIONS_FILE).map(|_| INSTRUCTIONS_FILE);
        let Some(path) = own.or_else(|| self.source.settings().find(is_format)) else {
            return String::new();
        };
        let path = path.to_owned();
        let text = self.source.text(&path).unwrap_or_default();
        let body = text[split(text).body_offset..].trim().to_owned();
        self.shortened(&path, body, MOST_INSTRUCTIONS)
    }

    fn skills(&mut self) -> Vec<Skill> {
        let is_skill = |path: &&str| {
            path.strip_prefix(SKILLS).and_then(|rest| rest.split_once('/')).is_some_and(
                |(_, file)| SKILL_FILES.iter().any(|name| file.eq_ignore_ascii_case(name)),
            )
        };
        let paths: Vec<String> =
            self.source.settings().filter(is_skill).map(str::to_owned).collect();
        if let Some(first) = paths.get(MOST_SKILLS) {
            let message =
                format!("there are more than {MOST_SKILLS} skills; the rest are left out");
            self.report(first, message);
        }
        paths.iter().take(MOST_SKILLS).filter_map(|path| self.skill(path)).collect()
    }

    fn skill(&mut self, path: &str) -> Option<Skill> {
        let text = self.source.text(path)?;
        let divided = split(text);
        let read = divided.yaml.map(yaml::parse);
        let value = |key: &str| {
            let Some(Ok(Value::Object(map))) = &read else { return String::new() };
            map.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
        };
        let (name, description) = (value("name"), value("description"));
        if name.is_empty() || description.is_empty() {
            let message = "the skill has no `name` or no `description`; it is left out".to_owned();
            self.report(path, message);
            return None;
        }
        let body = text[divided.body_offset..].trim().to_owned();
        Some(Skill {
            name: self.shortened(path, name, MOST_NAME),
            description: self.shortened(path, description, MOST_DESCRIPTION),
            text: self.shortened(path, body, MOST_SKILL),
        })
    }

    fn shortened(&mut self, path: &str, text: String, most: usize) -> String {
        let Some((end, _)) = text.char_indices().nth(most) else { return text };
        self.report(path, format!("a text of more than {most} characters is cut off"));
        text[..end].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> (Guidance, Vec<String>) {
        let mut source = Source::default();
        for (path, text) in files {
            source.write(path, text);
        }
        let (guidance, problems) = Guidance::read(&source);
        (guidance, problems.into_iter().map(|problem| problem.message).collect())
    }

    fn skill(name: &str, description: &str) -> Skill {
        let [name, description] = [name, description].map(str::to_owned);
        Skill { name, description, text: "Guide.".to_owned() }
    }

    #[test]
    fn own_instructions_come_before_those_of_the_format() {
        assert_eq!(read(&[]), (Guidance::default(), Vec::new()));
        let format = (".mintlify/Assistant.md", "---\na: b\n---\nSay \"workspace\".\n");
        assert_eq!(read(&[format]).0.instructions, "Say \"workspace\".");
        assert_eq!(read(&[(".mintlify/ASSISTANT.md", " Be brief.\n")]).0.instructions, "Be brief.");
        let own = (".docwright/assistant.md", "Say \"project\".");
        assert_eq!(read(&[format, own]).0.instructions, "Say \"project\".");
        // At other places they are pages or nothing.
        for path in ["Assistant.md", "docs/.mintlify/Assistant.md", ".mintlify/x/Assistant.md"] {
            assert_eq!(read(&[(path, "No.")]).0, Guidance::default(), "{path}");
        }
    }

    #[test]
    fn skills_have_a_name_and_a_description() {
        let folder = ".mintlify/assistant/skills";
        let path = |name: &str| format!("{folder}/{name}");
        let good = "---\nname: Migrate\ndescription: Upgrade from v2 to v3\n---\n# Steps\n";
        let files = [
            (path("a/skill.mdx"), good),
            (path("b/SKILL.md"), good),
            (path("c/skill.md"), "# No frontmatter"),
            (path("d/skill.md"), "---\nname: [\n---\n"),
            (path("e/other.md"), good),
            (path("skill.md"), good),
            (path("f/g/skill.md"), good),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let (guidance, problems) = read(&files);
        let expected =
            Skill { text: "# Steps".to_owned(), ..skill("Migrate", "Upgrade from v2 to v3") };
        assert_eq!(guidance.skills, [expected.clone(), expected]);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems.iter().all(|message| message.contains("no `name`")));
    }

    #[test]
    fn long_texts_are_cut_off_at_a_character() {
        let long = "é".repeat(MOST_INSTRUCTIONS + 1);
        let text =
            format!("---\nname: Keys\ndescription: Lost keys\n---\n{}", "é".repeat(MOST_SKILL + 1));
        let mut files = vec![(INSTRUCTIONS_FILE.to_owned(), long)];
        files
            .extend((0..51).map(|number| (format!("{SKILLS}s{number:02}/skill.md"), text.clone())));
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (guidance, problems) = read(&files);
        assert_eq!(guidance.instructions.chars().count(), MOST_INSTRUCTIONS);
        assert_eq!(guidance.skills.len(), MOST_SKILLS);
        assert!(guidance.skills.iter().all(|skill| skill.text.chars().count() == MOST_SKILL));
        assert_eq!(problems.len(), 52);
    }

    #[test]
    fn skill_fits_questions_with_its_words() {
        let guidance = Guidance {
            skills: vec![
                skill("Migrate to SDK v3", "Upgrade from SDK v2 to v3 with breaking changes"),
                skill("Debug webhooks", "Find out why a webhook delivery failed or is late"),
                skill("Rate limits", "Which limits the API has, and what to do at 429"),
            ],
            ..Guidance::default()
        };
        let fitting = |question: &str| -> Vec<&str> {
            let skills = guidance.skills_for(question, "en", 2);
            skills.into_iter().map(|skill| skill.name.as_str()).collect()
        };
        assert_eq!(fitting("How do I upgrade from v2 to v3?"), ["Migrate to SDK v3"]);
        assert_eq!(fitting("Why are my webhooks late?"), ["Debug webhooks"]);
        assert_eq!(fitting("Why do I get 429 from the API?"), ["Rate limits"]);
        assert!(fitting("How do I install it?").is_empty());
        assert!(fitting("").is_empty());
        let all = "migrate sdk v2 v3 webhook delivery failed limits api 429";
        assert_eq!(fitting(all).len(), 2);
    }

    #[test]
    fn stored_guidance_is_read_again() {
        let guidance =
            Guidance { instructions: "Be brief.".to_owned(), skills: vec![skill("a", "b")] };
        let text = serde_json::to_string(&guidance).unwrap();
        assert_eq!(serde_json::from_str::<Guidance>(&text).unwrap(), guidance);
        assert_eq!(serde_json::to_string(&Guidance::default()).unwrap(), "{}");
    }
}
