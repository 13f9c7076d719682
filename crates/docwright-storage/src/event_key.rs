//! Keys of the objects with readers' events: `events/PROJECT/DOMAIN/DAY/HOUR-NAME.parquet`, with day and hour in UTC.
//! All events of a project or of a domain have one prefix, so they can be removed together.

use docwright_types::timestamp::{Timestamp, iso, parse_iso};

/// Start of all keys.
pub const EVENTS: &str = "events";
const ENDING: &str = ".parquet";

/// The key of the events of a domain in an hour. `name` is different for each object.
pub fn event_key(project: &str, domain: &str, hour: Timestamp, name: &str) -> String {
    let time = iso(hour);
    let (day, hour) = (time.get(..10).unwrap_or("none"), time.get(11..13).unwrap_or("none"));
    format!("{}/{day}/{hour}-{name}{ENDING}", events_of_domain(project, domain))
}

/// The prefix of the keys of a project.
pub fn events_of_project(project: &str) -> String {
    format!("{EVENTS}/{project}")
}

/// The prefix of the keys of a domain.
pub fn events_of_domain(project: &str, domain: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let name = domain.bytes().map(|byte| match byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("_{byte:02x}"),
    });
    format!("{}/{}", events_of_project(project), name.collect::<String>())
}

/// The project, the prefix of the domain, and the start of the day of a key. `None` if it isn't one of events.
pub fn parse_event_key(key: &str) -> Option<(&str, &str, Timestamp)> {
    let (prefix, name) = key.rsplit_once('/')?;
    let (domain, day) = prefix.rsplit_once('/')?;
    let (project, _) = domain.strip_prefix(EVENTS)?.strip_prefix('/')?.split_once('/')?;
    name.strip_suffix(ENDING)?;
    Some((project, domain, parse_iso(&format!("{day}T00:00:00.000Z"))?))
}

#[cfg(test)]
mod tests {
    use docwright_types::timestamp::{DAY, HOUR};

    use super::*;

    #[test]
    fn key_is_read_back() {
        let hour = 20_000 * DAY + 7 * HOUR;
        let key = event_key("prj_1", "docs.example.com/a_b", hour, "0001-ff");
        assert_eq!(key, "events/prj_1/docs.example.com_2fa_5fb/2024-10-04/07-0001-ff.parquet");
        let domain = events_of_domain("prj_1", "docs.example.com/a_b");
        assert_eq!(parse_event_key(&key), Some(("prj_1", domain.as_str(), 20_000 * DAY)));
        for other in [
            "rel_1/2/bundle.tar.gz",
            "events/x",
            "events/prj_1/a/2024-10-04/07.txt",
            "events/prj_1/a/yesterday/07-1.parquet",
            "probe/1",
        ] {
            assert_eq!(parse_event_key(other), None, "{other}");
        }
    }
}
