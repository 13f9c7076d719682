//! Lists of links, split into files until each is short enough.
//!
//! A section that is too long is split into its subsections, or by number. No line is left out.

use std::collections::{BTreeMap, BTreeSet};

use docwright_types::counted::counted;

use super::{GeneratedInput, MAXIMUM_LENGTH, MAXIMUM_TITLE, cut, file_address};
use crate::{
    content::{links::relative, slug},
    generated::base,
};

/// Room for the lines of a file; the rest is for headings.
pub(super) const ROOM: usize = MAXIMUM_LENGTH - 2_000;
/// Folder of the files.
const FOLDER: &str = "llms";
/// Maximum length of a file name derived from a title, in characters.
const MAXIMUM_NAME: usize = 60;

/// A link, and its target.
#[derive(Debug, Clone)]
pub(super) struct Line {
    title: String,
    target: Target,
    description: String,
}

#[derive(Debug, Clone)]
enum Target {
    /// A file of the site.
    File(String),
    /// Another site.
    Web(String),
}

impl Line {
    /// A link to the Markdown version of a page.
    pub(super) fn page(title: String, slug: &str, description: String) -> Self {
        Self::file(title, format!("{slug}.md"), description)
    }

    /// A link to a file of the site.
    pub(super) const fn file(title: String, path: String, description: String) -> Self {
        Self { title, target: Target::File(path), description }
    }

    /// A link to another site.
    pub(super) fn web(title: String, href: &str) -> Self {
        Self { title, target: Target::Web(href.to_owned()), description: String::new() }
    }
}

/// A named part of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    /// Its name.
    pub(super) label: String,
    /// Its own entries.
    pub(super) lines: Vec<Line>,
    /// Its parts.
    pub(super) sections: Vec<Section>,
    /// The index of each part by its name.
    pub(super) places: BTreeMap<String, usize>,
}

impl Section {
    /// One without lines.
    pub(super) fn named(label: &str) -> Self {
        Self { label: label.to_owned(), ..Self::default() }
    }

    /// The subsection at a path of names; missing ones are added.
    pub(super) fn below(&mut self, names: &[String]) -> &mut Self {
        let Some((name, rest)) = names.split_first() else { return self };
        let place = if let Some(place) = self.places.get(name) {
            *place
        } else {
            self.sections.push(Self::named(name));
            self.places.insert(name.clone(), self.sections.len() - 1);
            self.sections.len() - 1
        };
        self.sections[place].below(rest)
    }

    /// Its lines, followed by those of its subsections.
    fn all(&self) -> Vec<Line> {
        let below = self.sections.iter().flat_map(Self::all);
        self.lines.iter().cloned().chain(below).collect()
    }

    fn count(&self) -> usize {
        self.lines.len() + self.sections.iter().map(Self::count).sum::<usize>()
    }
}

/// A file of lists.
#[derive(Debug)]
pub(super) struct File {
    /// Its path below the site root.
    pub(super) path: String,
    /// Text before the lists.
    pub(super) head: String,
    /// Headings, and the entries below each.
    pub(super) lists: Vec<(String, Vec<Line>)>,
}

/// The files that lists were moved to.
#[derive(Debug)]
pub(super) struct Files<'a> {
    input: &'a GeneratedInput<'a>,
    base: Option<String>,
    written: Vec<File>,
    taken: BTreeSet<String>,
    /// The number of requests for each name.
    names: BTreeMap<String, usize>,
}

impl<'a> Files<'a> {
    /// None so far.
    pub(super) fn new(input: &'a GeneratedInput<'a>) -> Self {
        Self {
            input,
            base: base(input),
            written: Vec::new(),
            taken: BTreeSet::new(),
            names: BTreeMap::new(),
        }
    }

    /// All of them.
    pub(super) fn written(&self) -> impl Iterator<Item = &File> {
        self.written.iter()
    }

    /// A file as text, at a path.
    pub(super) fn render(&self, file: &File, path: &str) -> String {
        let mut text = file.head.clone();
        for (number, (heading, lines)) in file.lists.iter().enumerate() {
            text.push_str(if number == 0 { "" } else { "\n" });
            text.push_str(&format!("## {heading}\n\n"));
            for line in lines {
                text.push_str(&self.line(line, path));
            }
        }
        text
    }

    fn line(&self, line: &Line, from: &str) -> String {
        let address = match (&line.target, &self.base) {
            (Target::Web(href), _) => href.clone(),
            (Target::File(path), Some(base)) => format!("{base}/{}", relative("", path)),
            (Target::File(path), None) => relative(from, path),
        };
        let colon = if line.description.is_empty() { "" } else { ": " };
        format!("- [{}]({address}){colon}{}\n", line.title, line.description)
    }

    /// The lines of a section if they fit; otherwise, links to its parts.
    pub(super) fn divide(&mut self, mut section: Section, room: usize) -> Vec<Line> {
        let all = section.all();
        if length(self, &all) <= room {
            return all;
        }
        // A section with a single subsection isn't worth splitting.
        while section.lines.is_empty() && section.sections.len() == 1 {
            section = section.sections.swap_remove(0);
        }
        let Section { label, lines, sections, .. } = section;
        if sections.is_empty() {
            return self.shelve(&label, lines, room);
        }
        let own = Section { lines, ..Section::named(&label) };
        let parts = std::iter::once(own).filter(|own| !own.lines.is_empty()).chain(sections);
        let links = parts.map(|part| self.file(part, "page")).collect();
        self.shelve(&label, links, room)
    }

    /// Moves a section to a separate file, and links to it with the number of its entries.
    pub(super) fn file(&mut self, section: Section, counts: &str) -> Line {
        let label = cut(&section.label, MAXIMUM_TITLE);
        let count = section.count();
        let path = self.free(&label);
        let lines = self.divide(section, ROOM);
        self.put(path.clone(), &label, lines);
        Line::file(label.replace(['[', ']'], ""), path, counted(count, counts))
    }

    /// Moves lines to numbered files, until the rest fits.
    pub(super) fn shelve(&mut self, label: &str, mut lines: Vec<Line>, room: usize) -> Vec<Line> {
        while length(self, &lines) > room {
            let before = lines.len();
            let parts = self.parts(lines);
            let many = parts.len();
            if many == before {
                return parts.into_iter().flatten().collect();
            }
            let link = |(number, part): (usize, Vec<Line>)| {
                let of_all = format!(", part {} of {many}", number + 1);
                let title = cut(label, MAXIMUM_TITLE) + if many == 1 { "" } else { &of_all };
                let path = self.free(label);
                let ends = part.first().zip(part.last());
                let ends = ends.map(|(first, last)| format!("{} to {}", first.title, last.title));
                self.put(path.clone(), &title, part);
                Line::file(title.replace(['[', ']'], ""), path, ends.unwrap_or_default())
            };
            lines = parts.into_iter().enumerate().map(link).collect();
        }
        lines
    }

    /// Consecutive lines, as many per part as fit into a file.
    fn parts(&self, lines: Vec<Line>) -> Vec<Vec<Line>> {
        let mut parts: Vec<Vec<Line>> = Vec::new();
        let mut left = 0;
        for line in lines {
            let length = length(self, std::slice::from_ref(&line));
            match parts.last_mut() {
                Some(part) if length <= left => part.push(line),
                _ => {
                    parts.push(vec![line]);
                    left = ROOM;
                }
            }
            left = left.saturating_sub(length);
        }
        parts
    }

    fn put(&mut self, path: String, label: &str, lines: Vec<Line>) {
        let name = cut(&self.input.content.config.name, MAXIMUM_TITLE);
        let index = match self.base {
            Some(_) => file_address(self.input, "llms.txt"),
            None => relative(&path, "llms.txt"),
        };
        let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
        let head = format!(
            "# {name}: {label}\n\n> A part of the documentation of {name}. {index} leads to all parts.\n\n"
        );
        self.written.push(File { path, head, lists: vec![(label, lines)] });
    }

    /// An unused path for a list with this name.
    fn free(&mut self, label: &str) -> String {
        let name: String = slug::of_title(label).chars().take(MAXIMUM_NAME).collect();
        let name = if name.is_empty() { "section" } else { &name };
        loop {
            let number = self.names.entry(name.to_owned()).or_default();
            *number += 1;
            let path = match number {
                1 => format!("{FOLDER}/{name}.txt"),
                number => format!("{FOLDER}/{name}-{number}.txt"),
            };
            if !self.input.source.contains(&path) && self.taken.insert(path.clone()) {
                return path;
            }
        }
    }
}

/// Length of lines in a file of a folder, where addresses are longest. Characters.
pub(super) fn length(files: &Files<'_>, lines: &[Line]) -> usize {
    let from = format!("{FOLDER}/x.txt");
    lines.iter().map(|line| files.line(line, &from).chars().count()).sum()
}
