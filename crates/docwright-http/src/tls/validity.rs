//! The validity period of a certificate: the two times in it (RFC 5280, section 4.1.2.5). Nothing else of a
//! certificate is read here.

use docwright_types::timestamp::Timestamp;
use time::{Date, Month, PrimitiveDateTime, Time};

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The validity period of a certificate in DER, in milliseconds; `None` if it isn't a certificate.
pub(super) fn validity(certificate: &[u8]) -> Option<(Timestamp, Timestamp)> {
    let (_, certificate, _) = element(certificate, SEQUENCE)?;
    let (_, mut rest, _) = element(certificate, SEQUENCE)?;
    if let Some((_, _, behind)) = element(rest, VERSION) {
        rest = behind;
    }
    // Serial number, algorithm, issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        rest = element(rest, tag)?.2;
    }
    let (_, times, _) = element(rest, SEQUENCE)?;
    let (begin, times) = moment(times)?;
    let (end, _) = moment(times)?;
    Some((begin, end))
}

/// The first element of DER with a tag: the tag, its contents, and the rest.
fn element(bytes: &[u8], wanted: u8) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = length.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    (*tag == wanted).then_some((*tag, contents, rest))
}

fn moment(bytes: &[u8]) -> Option<(Timestamp, &[u8])> {
    let found = element(bytes, UTC_TIME).or_else(|| element(bytes, GENERALIZED_TIME))?;
    let (tag, text, rest) = found;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, text) = text.split_at_checked(if tag == UTC_TIME { 2 } else { 4 })?;
    let mut year: i32 = year.parse().ok()?;
    if tag == UTC_TIME {
        year += if year < 50 { 2000 } else { 1900 };
    }
    let two = |place: usize| text.get(place..place + 2)?.parse::<u8>().ok();
    let date = Date::from_calendar_date(year, Month::try_from(two(0)?).ok()?, two(2)?).ok()?;
    let time = Time::from_hms(two(4)?, two(6)?, two(8)?).ok()?;
    let seconds = PrimitiveDateTime::new(date, time).assume_utc().unix_timestamp();
    Some((seconds * 1000, rest))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn both_times_are_read() {
        for (begin, end) in [((1999, 12, 31), (2026, 2, 28)), ((2026, 11, 22), (2150, 1, 1))] {
            let mut params = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
            params.not_before = date_time_ymd(begin.0, begin.1, begin.2);
            params.not_after = date_time_ymd(end.0, end.1, end.2);
            let expected = (
                params.not_before.unix_timestamp() * 1000,
                params.not_after.unix_timestamp() * 1000,
            );
            let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
            let der = certificate.der();
            assert_eq!(validity(der), Some(expected));
            // Truncated or altered bytes return `None` and never panic.
            for length in 0..der.len() {
                assert_eq!(validity(&der[..length]), None);
            }
            for place in 0..der.len() {
                let mut altered = der.to_vec();
                altered[place] ^= 0xff;
                let _any = validity(&altered);
            }
        }
    }
}
