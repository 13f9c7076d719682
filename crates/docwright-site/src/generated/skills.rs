//! `skill.md` and its discovery: instructions for agents that use the documented product
//! (<https://agentskills.io/specification>, <https://github.com/cloudflare/agent-skills-discovery-rfc>).
//!
//! Authors write skills as `.mintlify/skills/NAME/SKILL.md`, or one as `skill.md`. Without any, one is generated
//! from the navigation: it describes the contents of the site and how to read it.

use std::{collections::BTreeMap, io};

use serde_json::json;
use sha2::{Digest, Sha256};

use super::{GeneratedInput, base, llms::file_address};
use crate::{
    content::{frontmatter, navigation::Entry, slug, yaml},
    output::Output,
    source::SETTINGS,
};

/// The schema of the index.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// Longest name and description, in characters.
const MAXIMUM_NAME: usize = 64;
const MAXIMUM_DESCRIPTION: usize = 1_024;
/// Pages per section in a generated skill.
const PAGES_OF_SECTION: usize = 12;

/// One skill.
#[derive(Debug)]
struct Skill {
    name: String,
    description: String,
    /// File name → contents; `SKILL.md` is one of them.
    files: BTreeMap<String, String>,
}

/// Writes the skills, the two indexes that link to them, and `skill.md` unless the author wrote one.
pub(super) fn write(input: &GeneratedInput<'_>, output: &dyn Output) -> io::Result<()> {
    let skills = skills(input);
    let mut typed = Vec::new();
    let mut listed = Vec::new();
    for skill in &skills {
        for (file, contents) in &skill.files {
            for folder in ["agent-skills", "skills"] {
                let path = format!(".well-known/{folder}/{}/{file}", skill.name);
                output.write(&path, contents.as_bytes())?;
            }
        }
        let address = match base(input) {
            Some(base) => format!("{base}/.well-known/agent-skills/{}/SKILL.md", skill.name),
            // From the index, as any link is.
            None => format!("{}/SKILL.md", skill.name),
        };
        let digest = Sha256::digest(skill.files.get("SKILL.md").map_or("", String::as_str));
        let digest = format!("sha256:{}", hex::encode(digest));
        typed.push(json!({
            "name": skill.name, "type": "skill-md", "description": skill.description,
            "url": address, "digest": digest,
        }));
        let files: Vec<_> = skill.files.keys().collect();
        listed
            .push(json!({ "name": skill.name, "description": skill.description, "files": files }));
    }
    let index = json!({ "$schema": SCHEMA, "skills": typed });
    output.write(".well-known/agent-skills/index.json", pretty(&index).as_bytes())?;
    let index = json!({ "skills": listed });
    output.write(".well-known/skills/index.json", pretty(&index).as_bytes())?;
    // The Markdown version of a page with this name is at this path.
    if input.content.pages.contains_key("skill") {
        return Ok(());
    }
    output.write("skill.md", overview(&skills, input).as_bytes())
}

fn skills(input: &GeneratedInput<'_>) -> Vec<Skill> {
    if let Some(text) = input.source.text("skill.md") {
        return vec![read(slug::of_title(&input.content.config.name), text)];
    }
    let written = written(input);
    if written.is_empty() { vec![made(input)] } else { written }
}

/// `.mintlify/skills/NAME/…`
fn written(input: &GeneratedInput<'_>) -> Vec<Skill> {
    let mut folders: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    for path in input.source.settings() {
        let below = path.strip_prefix(SETTINGS).and_then(|path| path.strip_prefix("skills/"));
        let Some((folder, file)) = below.and_then(|path| path.split_once('/')) else { continue };
        let file = if file.eq_ignore_ascii_case("skill.md") { "SKILL.md" } else { file };
        if let Some(text) = input.source.text(path) {
            folders.entry(folder).or_default().insert(file.to_owned(), text.to_owned());
        }
    }
    let complete = folders.into_iter().filter_map(|(folder, mut files)| {
        let skill = read(slug::of_title(folder), files.get("SKILL.md")?);
        files.retain(|file, _| file != "SKILL.md");
        files.extend(skill.files);
        Some(Skill { files, ..skill })
    });
    complete.collect()
}

/// A skill from its text; missing frontmatter is derived from its name.
fn read(name: String, text: &str) -> Skill {
    let yaml = frontmatter::split(text).yaml.and_then(|yaml| yaml::parse(yaml).ok());
    let field = |key: &str| yaml.as_ref()?.get(key)?.as_str().map(str::to_owned);
    let name = field("name")
        .map(|name| slug::of_title(&name))
        .filter(|name| !name.is_empty())
        .unwrap_or(name);
    let description = field("description").unwrap_or_else(|| format!("Use {name}"));
    let files = BTreeMap::from([("SKILL.md".to_owned(), text.to_owned())]);
    Skill { name, description, files }
}

/// A skill generated from the navigation.
fn made(input: &GeneratedInput<'_>) -> Skill {
    let config = &input.content.config;
    let name: String = slug::of_title(&config.name).chars().take(MAXIMUM_NAME).collect();
    let name = if name.is_empty() { "documentation".to_owned() } else { name };
    let listed = input.pages.iter().filter(|page| page.in_llms);
    let listed = listed.map(|page| (page.slug.as_str(), page.title.as_str())).collect();
    let mut sections = Vec::new();
    collect_sections(&input.content.navigation.entries, &listed, &mut sections);
    let topics: Vec<_> = sections.iter().map(|(label, _)| *label).collect();
    let about = config
        .description
        .clone()
        .unwrap_or_else(|| format!("Documentation of {}: {}", config.name, topics.join(", ")));
    let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
    let description = format!("Use when working with {}. {about}", config.name);
    let description: String = description.chars().take(MAXIMUM_DESCRIPTION).collect();
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n{about}\n\n## How to read the documentation\n\n\
        - Every page has a Markdown version: its address, without `.html`, and with `.md`.\n\
        - [llms.txt]({}) lists all pages with a line on each; [llms-full.txt]({}) holds them whole.\n\
        - Look for the page on a subject before you answer from memory, and name its address.\n",
        json!(description),
        config.name,
        file_address(input, "llms.txt"),
        file_address(input, "llms-full.txt"),
    );
    for (label, pages) in sections {
        text.push_str(&format!("\n## {label}\n\n"));
        for (slug, title) in pages.iter().take(PAGES_OF_SECTION) {
            let address = file_address(input, &format!("{slug}.md"));
            text.push_str(&format!("- [{title}]({address})\n"));
        }
    }
    Skill { name, description, files: BTreeMap::from([("SKILL.md".to_owned(), text)]) }
}

/// The divisions that contain pages, each with its listed pages: slug and title.
fn collect_sections<'a>(
    entries: &'a [Entry],
    listed: &BTreeMap<&str, &'a str>,
    sections: &mut Vec<(&'a str, Vec<(&'a str, &'a str)>)>,
) {
    for entry in entries {
        let Entry::Division(division) = entry else { continue };
        if division.hidden {
            continue;
        }
        let pages = division.entries.iter().filter_map(|entry| match entry {
            Entry::Page(slug) => Some((slug.as_str(), *listed.get(slug.as_str())?)),
            Entry::Division(_) => None,
        });
        let pages: Vec<_> = pages.collect();
        if !pages.is_empty() {
            sections.push((&division.label, pages));
        }
        collect_sections(&division.entries, listed, sections);
    }
}

/// The only skill, or the list of several.
fn overview(skills: &[Skill], input: &GeneratedInput<'_>) -> String {
    if let [skill] = skills {
        return skill.files.get("SKILL.md").cloned().unwrap_or_default();
    }
    let mut text = format!("# Skills of {}\n\n", input.content.config.name);
    for skill in skills {
        let path = format!(".well-known/agent-skills/{}/SKILL.md", skill.name);
        let address = file_address(input, &path);
        text.push_str(&format!("- [{}]({address}): {}\n", skill.name, skill.description));
    }
    text
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
