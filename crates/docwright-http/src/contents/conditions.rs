//! Conditions and ranges of a request (RFC 9110, sections 13 and 14). Dates aren't supported, since files have a
//! hash but no age.

use std::ops::Range;

use axum::http::{HeaderMap, HeaderName, header};

/// Result of the conditions of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Answer the request.
    Met,
    /// The client already has the file.
    NotModified,
    /// The client wants a different version of the file.
    Failed,
}

/// Evaluates the conditions of a GET or HEAD for a file with a strong tag.
pub fn evaluate(headers: &HeaderMap, tag: &str) -> Condition {
    if headers.contains_key(header::IF_MATCH) && !names(headers, &header::IF_MATCH, tag, false) {
        return Condition::Failed;
    }
    if names(headers, &header::IF_NONE_MATCH, tag, true) {
        return Condition::NotModified;
    }
    Condition::Met
}

/// Whether a header with a list of tags names a strong one; `weak` also accepts weak tags.
fn names(headers: &HeaderMap, name: &HeaderName, tag: &str, weak: bool) -> bool {
    headers.get_all(name).iter().filter_map(|line| line.to_str().ok()).any(|line| {
        if line.trim() == "*" {
            return true;
        }
        let mut rest = line;
        while let Some((is_weak, each, after)) = first_tag(rest) {
            if each == tag && (weak || !is_weak) {
                return true;
            }
            rest = after;
        }
        false
    })
}

/// The first tag of a list with its quotes, whether it is weak, and what follows. A tag can hold
/// commas.
fn first_tag(list: &str) -> Option<(bool, &str, &str)> {
    let list = list.trim_start_matches([' ', '\t', ',']);
    let opaque = list.strip_prefix("W/");
    let (is_weak, opaque) = (opaque.is_some(), opaque.unwrap_or(list));
    let end = opaque.strip_prefix('"')?.find('"')? + 2;
    Some((is_weak, &opaque[..end], &opaque[end..]))
}

/// The requested part of a file's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestedRange {
    /// All of it.
    Whole,
    /// Some of it.
    Part(Range<u64>),
    /// Several parts of the file, in the requested order.
    Parts(Vec<Range<u64>>),
    /// A range beyond the end of the file.
    Beyond,
}

/// Ranges that a request can have: more of them cost more than the whole file.
const MOST_RANGES: usize = 16;

/// Reads the ranges of a GET for a file with a strong tag. If there are too many ranges, if they add up to more
/// than the file, or if they are invalid, the whole file is sent, as section 14.2 allows.
pub(super) fn wanted(headers: &HeaderMap, tag: &str, size: u64) -> RequestedRange {
    let mut lines = headers.get_all(header::RANGE).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return RequestedRange::Whole };
    if let Some(condition) = headers.get(header::IF_RANGE)
        && condition.to_str().ok().map(str::trim) != Some(tag)
    {
        return RequestedRange::Whole;
    }
    line.to_str().ok().and_then(|line| parse(line, size)).unwrap_or(RequestedRange::Whole)
}

fn parse(line: &str, size: u64) -> Option<RequestedRange> {
    let (unit, ranges) = line.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let ranges = ranges.split(',').map(|range| range.trim_matches([' ', '\t']));
    let ranges: Vec<_> = ranges.filter(|range| !range.is_empty()).take(MOST_RANGES + 1).collect();
    if ranges.is_empty() || ranges.len() > MOST_RANGES {
        return None;
    }
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        parts.extend(part(range, size).ok()?);
    }
    let sum: u64 = parts.iter().map(|part| part.end - part.start).sum();
    match parts.len() {
        0 => Some(RequestedRange::Beyond),
        1 => parts.pop().map(RequestedRange::Part),
        _ => (sum <= size).then_some(RequestedRange::Parts(parts)),
    }
}

/// The text is not a range.
struct Malformed;

/// Reads one range; `None` if it is beyond the end of the file.
fn part(range: &str, size: u64) -> Result<Option<Range<u64>>, Malformed> {
    let (first, last) = range.split_once('-').ok_or(Malformed)?;
    if first.is_empty() {
        let length = number(last).ok_or(Malformed)?.min(size);
        return match (length, size) {
            (_, 0) => Err(Malformed),
            (0, _) => Ok(None),
            _ => Ok(Some(size - length..size)),
        };
    }
    let first = number(first).ok_or(Malformed)?;
    let last = if last.is_empty() { u64::MAX } else { number(last).ok_or(Malformed)? };
    if last < first {
        return Err(Malformed);
    }
    Ok((first < size).then(|| first..last.saturating_add(1).min(size)))
}

/// Parses digits; a number that is too large becomes the largest number.
fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"a,b\"";

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn tags_are_compared_as_each_header_wants() {
        use Condition::{Failed, Met, NotModified};
        for (name, value, expected) in [
            (header::IF_NONE_MATCH, "\"a,b\"", NotModified),
            (header::IF_NONE_MATCH, "W/\"a,b\"", NotModified),
            (header::IF_NONE_MATCH, "\"x\" , \"a,b\"", NotModified),
            (header::IF_NONE_MATCH, "\"x\",,W/\"y\",\t\"a,b\",", NotModified),
            (header::IF_NONE_MATCH, "*", NotModified),
            (header::IF_NONE_MATCH, "\"x\"", Met),
            (header::IF_NONE_MATCH, "a,b", Met),
            (header::IF_NONE_MATCH, "\"a,b", Met),
            (header::IF_NONE_MATCH, "", Met),
            (header::IF_MATCH, "\"a,b\"", Met),
            (header::IF_MATCH, "*", Met),
            (header::IF_MATCH, "W/\"a,b\"", Failed),
            (header::IF_MATCH, "\"x\"", Failed),
            (header::IF_MATCH, "", Failed),
            (header::IF_MODIFIED_SINCE, "Sat, 01 Jan 2050 00:00:00 GMT", Met),
            (header::IF_UNMODIFIED_SINCE, "Sat, 01 Jan 2000 00:00:00 GMT", Met),
        ] {
            assert_eq!(evaluate(&headers(&[(name.clone(), value)]), TAG), expected, "{value}");
        }
        let both = [(header::IF_MATCH, "\"x\""), (header::IF_NONE_MATCH, TAG)];
        assert_eq!(evaluate(&headers(&both), TAG), Failed, "If-Match comes first");
        let lines = [(header::IF_NONE_MATCH, "\"x\""), (header::IF_NONE_MATCH, TAG)];
        let two: HeaderMap = {
            let mut map = HeaderMap::new();
            for (name, value) in lines {
                map.append(name, value.parse().unwrap());
            }
            map
        };
        assert_eq!(evaluate(&two, TAG), NotModified, "a list can be on several lines");
    }

    #[test]
    fn ranges_lie_within_the_file() {
        use RequestedRange::{Beyond, Part, Parts, Whole};
        for (value, size, expected) in [
            ("bytes=0-0", 10, Part(0..1)),
            ("bytes=2-4", 10, Part(2..5)),
            ("Bytes = 2-4", 10, Part(2..5)),
            ("bytes=2-", 10, Part(2..10)),
            ("bytes=2-99", 10, Part(2..10)),
            ("bytes=2-99999999999999999999999", 10, Part(2..10)),
            ("bytes=-3", 10, Part(7..10)),
            ("bytes=-30", 10, Part(0..10)),
            ("bytes=-0", 10, Beyond),
            ("bytes=10-", 10, Beyond),
            ("bytes=99999999999999999999999-", 10, Beyond),
            ("bytes=0-", 0, Beyond),
            ("bytes=-5", 0, Whole),
            ("bytes=4-2", 10, Whole),
            ("bytes=0-1,4-5", 10, Parts(vec![0..2, 4..6])),
            ("bytes=-2 ,\t0-0,, 5-", 10, Parts(vec![8..10, 0..1, 5..10])),
            ("bytes=0-1,20-30", 10, Part(0..2)),
            ("bytes=20-30,40-50", 10, Beyond),
            ("bytes=,0-1", 10, Part(0..2)),
            // They add up to more than the file.
            ("bytes=0-,0-", 10, Whole),
            ("bytes=0-8,4-5", 10, Whole),
            ("bytes=0-1,x", 10, Whole),
            ("bytes=0-1;4-5", 10, Whole),
            (
                "bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6,7-7,8-8,9-9,0-0,0-0,0-0,0-0,0-0,0-0,0-0",
                99,
                Whole,
            ),
            ("bytes=", 10, Whole),
            ("bytes=-", 10, Whole),
            ("bytes=a-b", 10, Whole),
            ("bytes=+1-2", 10, Whole),
            ("bytes 0-1", 10, Whole),
            ("items=0-1", 10, Whole),
        ] {
            assert_eq!(wanted(&headers(&[(header::RANGE, value)]), TAG, size), expected, "{value}");
        }
    }

    #[test]
    fn range_can_depend_on_tag() {
        for (condition, expected) in [
            (TAG, RequestedRange::Part(0..1)),
            ("W/\"a,b\"", RequestedRange::Whole),
            ("\"x\"", RequestedRange::Whole),
            ("Sat, 01 Jan 2050 00:00:00 GMT", RequestedRange::Whole),
        ] {
            let lines = [(header::RANGE, "bytes=0-0"), (header::IF_RANGE, condition)];
            assert_eq!(wanted(&headers(&lines), TAG, 10), expected, "{condition}");
        }
    }
}
