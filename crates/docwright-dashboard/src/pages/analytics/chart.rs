//! A line chart as SVG. Lines differ in their pattern, not only in color, and stretch with the window; the texts
//! around them are HTML, which keeps its size. The way to a step that isn't over is dotted: its views still grow.

use std::fmt::Write;

use maud::{Markup, html};

use super::data::{Mark, Step};
use crate::words;

/// Size of the drawing in its own units.
const WIDTH: i64 = 1_000;
const HEIGHT: i64 = 200;

/// Steps with marks, the last ones of the range.
const MARKED: usize = 12;

/// The views of people and AI agents over time, with a numbered line where a release became active. The list below
/// names the releases of each number.
pub(super) fn chart(steps: &[Step], marks: &[Mark]) -> Markup {
    let largest = steps.iter().map(|step| step.human.max(step.ai)).max().unwrap_or_default();
    let top = ceiling(largest);
    let sum = |of: fn(&Step) -> i64| steps.iter().map(of).sum::<i64>();
    let [from, to] =
        [steps.first(), steps.last()].map(|step| step.map_or_else(String::new, Step::title));
    let is_over = steps.last().is_none_or(|step| step.is_over);
    let marked: Vec<_> = marks.chunk_by(|one, other| one.step == other.step).collect();
    let marked = &marked[marked.len().saturating_sub(MARKED)..];
    let label = words::chart(sum(|step| step.human), sum(|step| step.ai), (&from, &to));
    html! {
        figure.chart {
            ul.legend {
                li { (swatch("people")) (words::PEOPLE) }
                li { (swatch("agents")) (words::AI_AGENTS) }
                @if !is_over { li { (swatch("unfinished")) (words::NOT_OVER) } }
                @if !marked.is_empty() { li { (release_swatch()) (words::RELEASE_ACTIVE) } }
            }
            div.plot {
                span.top aria-hidden="true" { (words::number(top)) }
                span.bottom aria-hidden="true" { "0" }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label=(label) {
                    @for part in 0..=2 {
                        @let y = part * HEIGHT / 2;
                        line.grid x1="0" x2=(WIDTH) y1=(y) y2=(y) {}
                    }
                    @for (class, of) in [("people", (|step| step.human) as fn(&Step) -> i64), ("agents", |step| step.ai)] {
                        @let [over, unfinished] = line(steps, top, of);
                        path class=(class) d=(over) {}
                        @if !is_over { path class={ (class) " unfinished" } d=(unfinished) {} }
                    }
                }
                @if !marked.is_empty() { (lines(steps, marked)) }
            }
            p.ends aria-hidden="true" { span { (from) } span { (to) } }
            @if !marked.is_empty() {
                ol.marks aria-label=(words::RELEASES_ACTIVE) {
                    @for releases in marked {
                        li { @for mark in *releases { a href=(mark.link) { (mark.label) } } }
                    }
                }
            }
        }
    }
}

/// The numbered lines of releases. They have no view box, so the numbers keep their form.
fn lines(steps: &[Step], marked: &[&[Mark]]) -> Markup {
    let last = steps.len().saturating_sub(1).max(1);
    html! {
        svg.releases aria-hidden="true" {
            @for (place, releases) in marked.iter().enumerate() {
                @let x = format!("{}%", releases[0].step * 100 / last);
                line x1=(x) x2=(x) y1="0" y2="100%" {}
                text x=(x) y="-6" { (place + 1) }
            }
        }
    }
}

fn release_swatch() -> Markup {
    html! { svg.swatch viewBox="0 0 32 8" aria-hidden="true" { path class="release" d="M16 0V8" {} } }
}

fn swatch(class: &str) -> Markup {
    html! {
        svg.swatch viewBox="0 0 32 8" aria-hidden="true" { path class=(class) d="M0 4H32" {} }
    }
}

/// The line of the steps that are over, and the one from there to a step that isn't.
fn line(steps: &[Step], top: i64, of: fn(&Step) -> i64) -> [String; 2] {
    let last = i64::try_from(steps.len()).unwrap_or(1).saturating_sub(1).max(1);
    let over = steps.iter().take_while(|step| step.is_over).count();
    let [mut first, mut second] = [String::new(), String::new()];
    for ((place, step), number) in (0..).zip(steps).zip(0..) {
        let (x, y) = (place * WIDTH / last, HEIGHT - of(step) * HEIGHT / top);
        for (path, is_part) in [(&mut first, number < over), (&mut second, number + 1 >= over)] {
            if is_part {
                let _infallible =
                    write!(path, "{}{x} {y}", if path.is_empty() { "M" } else { "L" });
            }
        }
    }
    [first, second]
}

/// A round number at or above a number: 1, 2, or 5 with zeros.
fn ceiling(number: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for factor in [1, 2, 5] {
            if number <= factor * power {
                return factor * power;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(human: i64, ai: i64) -> Step {
        Step { label: format!("{human}"), human, ai, is_over: true }
    }

    #[test]
    fn lines_end_at_a_round_number() {
        for (number, expected) in [(0, 1), (1, 1), (3, 5), (5, 5), (6, 10), (11, 20), (999, 1_000)]
        {
            assert_eq!(ceiling(number), expected);
        }
        let steps = [step(0, 0), step(5, 1), step(10, 2)];
        assert_eq!(line(&steps, 10, |step| step.human)[0], "M0 200L500 100L1000 0");
        assert_eq!(line(&steps[..1], 1, |step| step.ai)[0], "M0 200");
    }

    #[test]
    fn step_that_is_not_over_is_dotted_and_named() {
        let mut steps = [step(0, 0), step(5, 1), step(10, 2)];
        steps[2].is_over = false;
        let lines = line(&steps, 10, |step| step.human);
        assert_eq!(lines, ["M0 200L500 100", "M500 100L1000 0"]);
        let shown = chart(&steps, &[]).into_string();
        assert_eq!(shown.matches(" unfinished\"").count(), 2, "{shown}");
        assert!(
            shown.contains("Not over yet") && shown.contains("from 0 to 10 (so far)"),
            "{shown}"
        );
        assert!(shown.contains("<span>10 (so far)</span>"), "{shown}");
        steps[2].is_over = true;
        let shown = chart(&steps, &[]).into_string();
        assert!(!shown.contains("unfinished") && !shown.contains("so far"), "{shown}");
    }

    #[test]
    fn chart_says_what_it_shows() {
        let steps = [step(1_200, 3), step(7, 4)];
        let chart = chart(&steps, &[]).into_string();
        assert!(!chart.contains("<ol"), "{chart}");
        assert!(chart.contains("from 1200 to 7: 1,207 by people, 7 by AI agents"), "{chart}");
        assert!(!chart.contains("style="), "the policy of pages allows no inline styles");
    }

    #[test]
    fn releases_of_a_step_share_a_numbered_line() {
        let steps: Vec<_> = (0..21).map(|count| step(count, 0)).collect();
        let mark = |step: usize| Mark {
            step,
            label: format!("at {step}"),
            link: format!("/releases/{step}/effect"),
        };
        let marks: Vec<_> = [0, 5, 5].into_iter().map(mark).collect();
        let shown = chart(&steps, &marks).into_string();
        assert_eq!((shown.matches("<text").count(), shown.matches("<li><a").count()), (2, 2));
        assert!(shown.contains("x=\"25%\" y=\"-6\">2</text>"), "{shown}");
        assert_eq!(shown.matches("/releases/5/effect").count(), 2);
        let many: Vec<_> = (0..20).map(mark).collect();
        let shown = chart(&steps, &many).into_string();
        assert_eq!(shown.matches("<text").count(), MARKED);
        assert!(shown.contains("/releases/19/") && !shown.contains("/releases/7/"), "{shown}");
    }
}
