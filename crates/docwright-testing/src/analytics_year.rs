//! A year of web analytics: a million events on 5,000 pages in ten languages, counted by two nodes, and a count that is
//! done apart. An event is a view, or what the script of a page reports. The numbers look random, and are the same in
//! each run.

use std::collections::{BTreeMap, HashSet};

use docwright_storage::{
    Database,
    database::{AnalyticsBatch, ValueSum, ViewSum, VisitorKey, VisitorSketch},
};
use docwright_types::{
    analytics::{Dimension, Reader, Vital},
    timestamp::{DAY, HOUR, Timestamp},
};

/// Days of the year.
pub const DAYS: i64 = 365;
/// Events in a day.
const EVENTS: u64 = 2_740;
/// Pages in each language.
const PAGES: u64 = 500;
/// Languages, which are folders of pages.
const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "pt", "it", "nl", "ja", "ko", "zh"];
/// Visitors who can come on a day.
const VISITORS: u64 = 20_000;
/// Batches of a node in a day.
const BATCHES: i64 = 4;
/// Days on which a node is interrupted while it writes.
const INTERRUPTED: [i64; 3] = [50, 170, 300];
const AGENTS: [&str; 4] = ["ChatGPT-User", "Claude-User", "Perplexity-User", "MCP"];

/// Numbers that look random.
#[derive(Debug)]
pub struct Numbers(u64);

/// What is written, and what was counted apart.
#[derive(Debug)]
pub struct AnalyticsYear {
    domain: String,
    days: i64,
    numbers: Numbers,
    /// All events so far.
    pub events: i64,
    /// Views by people, AI agents, and bots.
    pub views: [i64; 3],
    /// Views of each page by people and AI agents.
    pub pages: BTreeMap<String, i64>,
    /// Sums of each value of a dimension on the whole site.
    pub values: BTreeMap<(Dimension, String), i64>,
    /// Sums over all days of the unique visitors of a day: people and AI agents.
    pub visitors: [i64; 2],
}

/// What a node counted of a part of a day.
#[derive(Debug, Default)]
struct Part {
    views: BTreeMap<(Timestamp, String), [i64; 3]>,
    values: BTreeMap<(Dimension, String, String), i64>,
    sketches: BTreeMap<Reader, VisitorSketch>,
}

/// The visitors of a day.
struct Visitors {
    key: VisitorKey,
    seen: [HashSet<u64>; 2],
}

impl Numbers {
    /// A number below a limit.
    pub const fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A number below a limit. Small ones are more frequent.
    fn small(&mut self, limit: u64) -> u64 {
        let one = self.below(limit);
        one.min(self.below(limit)).min(self.below(limit))
    }

    fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        let place = self.below(texts.len() as u64);
        usize::try_from(place).ok().and_then(|place| texts.get(place)).copied().unwrap_or_default()
    }
}

impl Part {
    fn batch(
        self,
        domain: &str,
        day: Timestamp,
    ) -> (AnalyticsBatch, BTreeMap<Reader, VisitorSketch>) {
        let domain = || domain.to_owned();
        let views = self.views.into_iter().map(|((hour, page), views)| ViewSum {
            domain: domain(),
            hour,
            page,
            views,
        });
        let values = self.values.into_iter().map(|((dimension, page, value), views)| ValueSum {
            domain: domain(),
            day,
            dimension,
            page,
            value,
            views,
        });
        (AnalyticsBatch::new(views.collect(), values.collect()), self.sketches)
    }
}

impl AnalyticsYear {
    /// Nothing is written yet for a domain.
    pub fn of(domain: &str) -> Self {
        Self {
            domain: domain.to_owned(),
            days: DAYS,
            numbers: Numbers(0x9e37_79b9_7f4a_7c15),
            events: 0,
            views: [0; 3],
            pages: BTreeMap::new(),
            values: BTreeMap::new(),
            visitors: [0; 2],
        }
    }

    /// The same with another number of days.
    #[must_use]
    pub fn with_days(self, days: i64) -> Self {
        Self { days, ..self }
    }

    /// The paths of all pages, the ones without views too.
    pub fn paths() -> impl Iterator<Item = String> {
        LANGUAGES
            .iter()
            .flat_map(|language| (0..PAGES).map(move |page| format!("{language}/page-{page}")))
    }

    /// Counts the days before a time on two nodes, writes them, and does what upkeep does each month. On some days, a
    /// node is interrupted while it writes, and writes again. `monthly` is called after each upkeep.
    ///
    /// # Panics
    ///
    /// If the database fails.
    pub async fn write(&mut self, nodes: &[&Database; 2], now: Timestamp, monthly: impl AsyncFn()) {
        let today = now - now.rem_euclid(DAY);
        for day in 0..self.days {
            let start = today - (self.days - day) * DAY;
            self.write_day(nodes, (start, day)).await;
            if day % 30 == 0 {
                self.keep_up(nodes, start).await;
                monthly().await;
            }
        }
        self.keep_up(nodes, now).await;
        monthly().await;
    }

    /// What upkeep does on two nodes at once. One is interrupted.
    async fn keep_up(&mut self, nodes: &[&Database; 2], now: Timestamp) {
        let node = nodes[1].clone();
        let task = tokio::spawn(async move { node.remove_old_analytics(now).await });
        for _ in 0..self.numbers.below(200) {
            tokio::task::yield_now().await;
        }
        task.abort();
        for node in nodes {
            node.remove_old_analytics(now).await.expect("old sums are removed");
            node.reduce_sketches(now).await.expect("sketches are reduced");
            node.rebuild_sparse_indexes(0).await.expect("indexes are rebuilt");
        }
        // Aborted, or finished before that.
        drop(task.await);
    }

    async fn write_day(&mut self, nodes: &[&Database; 2], (start, day): (Timestamp, i64)) {
        // A key beside the database, whose own is that of the present day if a service runs.
        let folder = tempfile::tempdir().expect("a folder can be created");
        let key = VisitorKey::in_folder(folder.path(), start).expect("the key is written");
        let key = key.expect("the day has a key");
        let mut visitors = Visitors { key, seen: Default::default() };
        for part in 0..BATCHES {
            let mut parts = [Part::default(), Part::default()];
            for _ in 0..EVENTS / BATCHES.unsigned_abs() {
                let hours = 24 / BATCHES;
                let hour =
                    i64::try_from(self.numbers.below(hours.unsigned_abs())).unwrap_or_default();
                let node = usize::from(self.numbers.below(2) == 1);
                self.event(&mut parts[node], start + (part * hours + hour) * HOUR, &mut visitors);
            }
            for (node, of_node) in parts.into_iter().enumerate() {
                let is_interrupted = INTERRUPTED.contains(&day) && part == 1;
                let (batch, sketches) = of_node.batch(&self.domain, start);
                self.write_batch(nodes[node], (&batch, start), is_interrupted).await;
                for (reader, sketch) in sketches {
                    let of = (self.domain.as_str(), start, reader);
                    nodes[node].merge_visitors(of, &sketch).await.expect("visitors are merged");
                }
            }
        }
        for (sum, seen) in self.visitors.iter_mut().zip(&visitors.seen) {
            *sum += i64::try_from(seen.len()).unwrap_or_default();
        }
    }

    /// Writes a batch. Interruptions end the write at any of its awaits; the batch is then written again, as after a
    /// commit whose answer was lost.
    async fn write_batch(
        &mut self,
        node: &Database,
        (batch, now): (&AnalyticsBatch, Timestamp),
        is_interrupted: bool,
    ) {
        for _ in 0..if is_interrupted { 20 } else { 0 } {
            let (node, batch) = (node.clone(), batch.clone());
            let task = tokio::spawn(async move { node.add_analytics(&batch, now).await });
            for _ in 0..self.numbers.below(200) {
                tokio::task::yield_now().await;
            }
            task.abort();
            // Aborted, or finished before that.
            drop(task.await);
        }
        node.add_analytics(batch, now).await.expect("the batch is added");
    }

    /// One event: mostly a view, sometimes what the script of a page reports.
    fn event(&mut self, part: &mut Part, hour: Timestamp, visitors: &mut Visitors) {
        self.events += 1;
        let language = LANGUAGES[usize::try_from(self.numbers.small(10)).unwrap_or_default()];
        let page = format!("{language}/page-{}", self.numbers.small(PAGES));
        match self.numbers.below(20) {
            0 => self.search(part, &page),
            1 => self.deed(part, &page),
            2..6 => self.measure(part, &page),
            _ => self.view(part, (hour, page, language), visitors),
        }
    }

    /// Counts a value on the whole site, and on its page if the dimension has pages.
    fn add(&mut self, part: &mut Part, page: &str, dimension: Dimension, value: &str) {
        *self.values.entry((dimension, value.to_owned())).or_default() += 1;
        for of in ["", page].into_iter().take(if dimension.is_by_page() { 2 } else { 1 }) {
            let key = (dimension, of.to_owned(), value.to_owned());
            *part.values.entry(key).or_default() += 1;
        }
    }

    fn search(&mut self, part: &mut Part, page: &str) {
        let query = format!("query {}", self.numbers.small(300));
        self.add(part, page, Dimension::Search, &query);
        match self.numbers.below(8) {
            0 => self.add(part, page, Dimension::EmptySearch, &query),
            1..5 => self.add(part, page, Dimension::OpenedResult, &query),
            _ => {}
        }
    }

    /// Something else that readers do.
    fn deed(&mut self, part: &mut Part, page: &str) {
        let number = self.numbers.small(200);
        let (dimension, value) = match self.numbers.below(6) {
            0 => (Dimension::OwnDeadLink, format!("/guides/gone-{number}")),
            1 => (Dimension::OtherDeadLink, format!("/en/page_{number}")),
            2 => (Dimension::OutboundLink, format!("https://example.com/{number}")),
            3 => (Dimension::ChosenTab, self.numbers.one_of(&["npm", "pnpm", "yarn"]).to_owned()),
            4 => (Dimension::CopiedCode, self.numbers.one_of(&["bash", "json", "yaml"]).to_owned()),
            _ => (Dimension::ChosenLanguage, self.numbers.one_of(&LANGUAGES).to_owned()),
        };
        self.add(part, page, dimension, &value);
    }

    /// Reading time, scroll depth, or a Web Vital.
    fn measure(&mut self, part: &mut Part, page: &str) {
        let (dimension, value) = match self.numbers.below(5) {
            0 => (
                Dimension::ReadingTime,
                self.numbers.one_of(&["0", "10", "30", "60", "180"]).to_owned(),
            ),
            1 => {
                (Dimension::ScrollDepth, self.numbers.one_of(&["25", "50", "75", "100"]).to_owned())
            }
            number => {
                let vital = Vital::ALL[usize::try_from(number - 2).unwrap_or_default()];
                let bound =
                    vital.bounds()[usize::try_from(self.numbers.small(9)).unwrap_or_default()];
                (vital.dimension(), bound.to_string())
            }
        };
        self.add(part, page, dimension, &value);
    }

    fn view(
        &mut self,
        part: &mut Part,
        (hour, page, language): (Timestamp, String, &str),
        Visitors { key, seen }: &mut Visitors,
    ) {
        let kind = match self.numbers.below(20) {
            0..14 => Reader::Human,
            14..17 => Reader::Ai,
            _ => Reader::Bot,
        };
        part.views.entry((hour, page.clone())).or_default()[kind.index()] += 1;
        self.views[kind.index()] += 1;
        if kind == Reader::Bot {
            return;
        }
        *self.pages.entry(page.clone()).or_default() += 1;
        let visitor = self.numbers.small(VISITORS);
        let hash = key.hash([kind.name().as_bytes(), &visitor.to_le_bytes(), b"browser"]);
        part.sketches.entry(kind).or_default().add(hash);
        seen[kind.index()].insert(visitor);
        if kind == Reader::Ai {
            let agent = self.numbers.one_of(&AGENTS);
            self.add(part, &page, Dimension::Agent, agent);
            return;
        }
        self.add(part, &page, Dimension::Language, language);
        let device = self.numbers.one_of(&["desktop", "desktop", "phone", "tablet"]);
        self.add(part, &page, Dimension::Device, device);
        if self.numbers.below(3) == 0 {
            let host = format!("site-{}.example.com", self.numbers.small(200));
            self.add(part, &page, Dimension::Referrer, &host);
        }
        if self.numbers.below(2) == 0 {
            self.add(part, &page, Dimension::Entry, &page);
        }
        if self.numbers.below(30) == 0 {
            let campaign = format!("campaign-{}", self.numbers.small(20));
            self.add(part, &page, Dimension::Campaign, &campaign);
        }
    }
}
