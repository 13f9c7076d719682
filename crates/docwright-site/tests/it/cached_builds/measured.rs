//! Measures builds with results of earlier ones.
#![cfg(target_os = "linux")]

use super::*;

/// Processor seconds of this process so far.
fn processor_seconds() -> f64 {
    let status = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = status.rsplit_once(')').unwrap();
    let ticks: Vec<f64> =
        fields.split_whitespace().skip(11).take(2).map(|field| field.parse().unwrap()).collect();
    (ticks[0] + ticks[1]) / 100.0
}

/// Alternates builds with and without results, and prints the share of the processor time that a change costs.
#[test]
#[ignore = "needs DOCWRIGHT_MEASURED_DOCS, a docs root, which it changes"]
fn measure_changes() {
    let root = PathBuf::from(std::env::var_os("DOCWRIGHT_MEASURED_DOCS").expect("a docs root"));
    let change = |text: &str| {
        if text == "navigation" {
            let path = root.join("docs.json");
            let old = fs::read_to_string(&path).unwrap();
            let new = old.replacen("\"group\": \"", "\"group\": \"New ", 1);
            assert!(old != new, "there is no group");
            return fs::write(path, new).unwrap();
        }
        let page = Source::read(&root).unwrap().0;
        let is_page = |path: &&str| {
            path.ends_with(".mdx") && page.text(path).is_some_and(|text| text.contains("\ntitle: "))
        };
        let path = root.join(page.paths().find(is_page).unwrap());
        let old = fs::read_to_string(&path).unwrap();
        let new =
            if text.is_empty() { old.replacen("title: ", "title: New ", 1) } else { old + text };
        fs::write(path, new).unwrap();
    };
    let measured = |cache: Option<&Cache>| {
        let (start, wall) = (processor_seconds(), std::time::Instant::now());
        let (source, _) = Source::read(&root).unwrap();
        let opened = cache.map(Cache::open);
        let bundled = bundle(&source, &options(), opened.clone());
        if let Some(cache) = &opened {
            cache.save().unwrap();
        }
        (processor_seconds() - start, wall.elapsed().as_secs_f64(), bundled)
    };
    let cache = Cache::new();
    for (what, rounds) in
        [("empty", 1), ("nothing", 3), ("text", 3), ("title", 2), ("navigation", 2)]
    {
        for _ in 0..rounds {
            match what {
                "text" => change("\n\nMore words.\n"),
                "title" => change(""),
                "navigation" => change(what),
                _ => {}
            }
            let (cold, cold_wall, first) = measured(None);
            let (warm, warm_wall, second) = measured(Some(&cache));
            same(&first, &second, what);
            println!(
                "{what}: {warm:.2} of {cold:.2} s of processor time ({:.3}), {warm_wall:.2} of {cold_wall:.2} s, {} pages and {} bodies of {} reused, cache {} kB, bundle {} kB",
                warm / cold,
                second.report.reused_pages,
                second.report.reused_bodies,
                second.report.pages,
                fs::metadata(cache.path()).unwrap().len() / 1000,
                second.bytes.len() / 1000,
            );
        }
    }
}
