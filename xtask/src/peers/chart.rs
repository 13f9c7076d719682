//! A chart of horizontal bars as SVG, for light and dark pages.

/// A bar of a chart.
#[derive(Debug)]
pub(super) struct Bar {
    /// Its name.
    pub(super) name: String,
    /// Its length, relative to the longest bar.
    pub(super) value: f64,
    /// The value in words.
    pub(super) label: String,
    /// Whether it has the accent color.
    pub(super) accent: bool,
}

/// Width of the names.
const NAMES: u32 = 190;
/// Width of the longest bar.
const BARS: u32 = 360;
/// Width of the labels.
const LABELS: u32 = 90;
/// Height of a row.
const ROW: u32 = 26;
/// Height of the title.
const HEAD: u32 = 34;
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1f2937}\
.title{font-weight:600}.bar{fill:#9ca3af}.accent{fill:#0f766e}\
@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.bar{fill:#6b7280}.accent{fill:#2dd4bf}}";

/// Draws bars in their order.
pub(super) fn draw(title: &str, bars: &[Bar]) -> String {
    let longest = bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    let (width, mut top) = (NAMES + BARS + LABELS, HEAD);
    let mut rows = String::new();
    for bar in bars {
        let length = (bar.value / longest * f64::from(BARS)).max(1.0);
        let class = if bar.accent { "accent" } else { "bar" };
        let baseline = top + 17;
        rows += &format!(
            "<text x=\"{}\" y=\"{baseline}\" text-anchor=\"end\">{}</text>\n\
             <rect class=\"{class}\" x=\"{NAMES}\" y=\"{}\" width=\"{length:.1}\" height=\"18\" rx=\"2\"/>\n\
             <text x=\"{:.1}\" y=\"{baseline}\">{}</text>\n",
            NAMES - 10,
            escape(&bar.name),
            top + 4,
            f64::from(NAMES) + length + 8.0,
            escape(&bar.label),
        );
        top += ROW;
    }
    let (height, title) = (top + 6, escape(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>{STYLE}</style>\n\
         <text class=\"title\" x=\"{NAMES}\" y=\"20\">{title}</text>\n{rows}</svg>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{Bar, draw};

    fn bar(name: &str, value: f64, accent: bool) -> Bar {
        Bar { name: name.to_owned(), value, label: format!("{value} s"), accent }
    }

    fn widths(chart: &str) -> Vec<&str> {
        chart.lines().filter_map(|line| line.split_once(" width=\"")?.1.split('"').next()).collect()
    }

    #[test]
    fn bars_are_in_proportion() {
        let chart = draw("Time", &[bar("one", 2.0, true), bar("two", 8.0, false)]);
        assert_eq!(widths(&chart), ["640", "90.0", "360.0"]);
        assert_eq!(chart.matches("class=\"accent\"").count(), 1);
        assert_eq!(chart.matches("class=\"bar\"").count(), 1);
        assert!(chart.contains(">8 s</text>"), "{chart}");
    }

    #[test]
    fn smallest_bar_is_visible() {
        let chart = draw("Time", &[bar("one", 0.0, true), bar("two", 9000.0, false)]);
        assert_eq!(widths(&chart), ["640", "1.0", "360.0"]);
    }

    #[test]
    fn names_are_escaped() {
        let chart = draw("A & B", &[bar("<one>", 1.0, true)]);
        assert!(chart.contains(">A &amp; B</text>"), "{chart}");
        assert!(chart.contains(">&lt;one></text>"), "{chart}");
    }

    #[test]
    fn height_grows_with_bars() {
        let height = |count| {
            let bars: Vec<_> = (0..count).map(|_| bar("one", 1.0, false)).collect();
            let chart = draw("Time", &bars);
            let end = chart.split_once("viewBox=\"0 0 640 ").expect("a view box").1;
            end.split('"').next().and_then(|height| height.parse::<u32>().ok()).expect("a height")
        };
        assert_eq!(height(3) - height(1), 52);
    }
}
