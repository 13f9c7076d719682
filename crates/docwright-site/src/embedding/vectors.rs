//! The vectors of the sections of a site in one language, and the nearest ones to a question.

use super::{MAXIMUM_DIMENSIONS, section_texts::SectionText};

/// What a file starts with.
const START: &[u8] = b"docwright vectors 1\n";
/// Hexadecimal digits of a model's identity.
const DIGITS: usize = 64;
/// The number of the top of a page.
const TOP: u32 = u32::MAX;

/// The vectors of sections, each number in eight bits.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionVectors {
    model: String,
    dimensions: usize,
    sections: Vec<Quantized>,
    numbers: Vec<i8>,
}

/// A section, and what its numbers are multiplied by.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Quantized {
    page: u32,
    section: u32,
    scale: f32,
}

/// A section that is near to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearSection {
    /// Number of its page in the index of its language.
    pub page: usize,
    /// Number of its heading among those of the page; `None` for the top of the page.
    pub section: Option<usize>,
    /// The cosine of the angle between both vectors: above 0, at most 1.
    pub likeness: f32,
}

impl SectionVectors {
    /// No vectors of a model.
    pub(super) fn new(model: &str, dimensions: usize) -> Self {
        Self { model: model.to_owned(), dimensions, sections: Vec::new(), numbers: Vec::new() }
    }

    /// Adds the vector of a section, unless it is only zeros.
    pub(super) fn add(&mut self, text: &SectionText, vector: &[f32]) {
        let mut vector = vector.to_vec();
        normalize(&mut vector);
        let largest = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let (page, section) = (u32::try_from(text.page), text.section.map(u32::try_from));
        let section = section.unwrap_or(Ok(TOP));
        let (true, Ok(page), Ok(section)) = (largest > 0.0, page, section) else { return };
        let scale = largest / 127.0;
        self.sections.push(Quantized { page, section, scale });
        #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
        self.numbers.extend(vector.iter().map(|number| (number / scale).round() as i8));
    }

    /// The number of sections.
    pub fn len(&self) -> usize {
        self.sections.len()
    }

    /// Whether there is no section.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// The identity of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The sections with the most similar vectors, best first, this many at most. A vector of another length is near to
    /// nothing.
    pub fn nearest(&self, question: &[f32], most: usize) -> Vec<NearSection> {
        if question.len() != self.dimensions {
            return Vec::new();
        }
        let mut question = question.to_vec();
        normalize(&mut question);
        let rows = self.numbers.chunks_exact(self.dimensions);
        let near = self.sections.iter().zip(rows).map(|(place, row)| {
            let sum: f32 =
                question.iter().zip(row).map(|(one, other)| one * f32::from(*other)).sum();
            let section = usize::try_from(place.section).ok().filter(|_| place.section != TOP);
            let page = usize::try_from(place.page).unwrap_or(usize::MAX);
            NearSection { page, section, likeness: (sum * place.scale).min(1.0) }
        });
        let mut near: Vec<_> = near.filter(|near| near.likeness > 0.0).collect();
        near.sort_by(|one, other| {
            let order = other.likeness.total_cmp(&one.likeness);
            order.then((one.page, one.section).cmp(&(other.page, other.section)))
        });
        near.truncate(most);
        near
    }

    /// The contents of its file: a start with the model and the sizes, the places of sections, and the numbers.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [START, self.model.as_bytes()].concat();
        for size in [self.dimensions, self.sections.len()] {
            bytes.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
        }
        for Quantized { page, section, scale } in &self.sections {
            bytes.extend(page.to_le_bytes());
            bytes.extend(section.to_le_bytes());
            bytes.extend(scale.to_le_bytes());
        }
        bytes.extend(self.numbers.iter().map(|number| number.cast_unsigned()));
        bytes
    }

    /// Reads the contents of a file; `None` if it isn't one of this version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(START)?;
        let (model, rest) = rest.split_at_checked(DIGITS)?;
        let model = std::str::from_utf8(model).ok()?.to_owned();
        let (dimensions, rest) = number(rest)?;
        let (count, rest) = number(rest)?;
        let (dimensions, count) = (usize::try_from(dimensions).ok()?, usize::try_from(count).ok()?);
        let size = count.checked_mul(12)?.checked_add(count.checked_mul(dimensions)?)?;
        if !(1..=MAXIMUM_DIMENSIONS).contains(&dimensions) || rest.len() != size {
            return None;
        }
        let (places, numbers) = rest.split_at(count * 12);
        let sections = places.chunks_exact(12).map(|place| {
            let (page, rest) = number(place)?;
            let (section, rest) = number(rest)?;
            let scale = f32::from_bits(number(rest)?.0);
            (scale.is_finite() && scale > 0.0).then_some(Quantized { page, section, scale })
        });
        let sections = sections.collect::<Option<Vec<_>>>()?;
        let numbers = numbers.iter().map(|byte| byte.cast_signed()).collect();
        Some(Self { model, dimensions, sections, numbers })
    }
}

/// The number at the start of bytes, and the rest.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (start, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*start), rest))
}

/// Gives a vector the length 1, unless it has none.
pub(super) fn normalize(vector: &mut [f32]) {
    // Squares of large numbers are infinite.
    let largest = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    if largest > 0.0 {
        divide(vector, largest);
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        divide(vector, length);
    }
}

fn divide(vector: &mut [f32], by: f32) {
    for number in vector {
        *number /= by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn vectors(rows: &[(usize, Option<usize>, [f32; 3])]) -> SectionVectors {
        let mut vectors = SectionVectors::new(MODEL, 3);
        for (page, section, vector) in rows {
            let text = SectionText { page: *page, section: *section, text: String::new() };
            vectors.add(&text, vector);
        }
        vectors
    }

    #[test]
    fn nearest_sections_come_first() {
        let vectors = vectors(&[
            (0, None, [1.0, 0.0, 0.0]),
            (0, Some(1), [5.0, 5.0, 0.0]),
            (1, None, [0.0, 0.0, 0.0]),
            (2, Some(4), [-1.0, 0.0, 0.0]),
            (3, None, [1e30, 0.0, 0.0]),
        ]);
        assert_eq!(vectors.len(), 4, "a vector of zeros is near to nothing");
        let near = vectors.nearest(&[2.0, 1.9, 0.0], 8);
        let places: Vec<_> = near.iter().map(|near| (near.page, near.section)).collect();
        assert_eq!(places, [(0, Some(1)), (0, None), (3, None)]);
        assert!(near[0].likeness > 0.99 && near[0].likeness <= 1.0, "{near:?}");
        assert_eq!(vectors.nearest(&[2.0, 1.9, 0.0], 1).len(), 1);
        assert!(vectors.nearest(&[1.0, 0.0], 8).is_empty());
        assert!(vectors.nearest(&[0.0; 3], 8).is_empty());
    }

    #[test]
    fn quantizing_keeps_the_angles() {
        let rows: Vec<[f32; 3]> = (1..100_u8)
            .map(|each| [f32::from(each).sin(), f32::from(each).cos(), f32::from(each) / 90.0])
            .collect();
        let places: Vec<_> =
            rows.iter().enumerate().map(|(page, row)| (page, None, *row)).collect();
        let vectors = vectors(&places);
        let question = [0.3_f32, 0.5, 0.2];
        let length = |row: &[f32]| row.iter().map(|each| each * each).sum::<f32>().sqrt();
        for near in vectors.nearest(&question, 100) {
            let row = &rows[near.page];
            let dot: f32 = row.iter().zip(question).map(|(one, other)| one * other).sum();
            let exact = dot / length(row) / length(&question);
            assert!((near.likeness - exact).abs() < 0.01, "{near:?} {exact}");
        }
    }

    #[test]
    fn file_is_read_back() {
        let vectors = vectors(&[(0, None, [1.0, 0.5, 0.0]), (7, Some(3), [0.0, -1.0, 0.25])]);
        let bytes = vectors.to_bytes();
        assert_eq!(SectionVectors::read(&bytes), Some(vectors));
        for length in 0..bytes.len() {
            assert_eq!(SectionVectors::read(&bytes[..length]), None, "{length}");
        }
        let changed = |at: usize, to: [u8; 4]| {
            let mut changed = bytes.clone();
            changed[at..at + 4].copy_from_slice(&to);
            SectionVectors::read(&changed)
        };
        let sizes = START.len() + DIGITS;
        assert_eq!(changed(0, *b"Docw"), None);
        assert_eq!(changed(sizes, [0; 4]), None);
        assert_eq!(changed(sizes, [255; 4]), None);
        assert_eq!(changed(sizes + 4, [255; 4]), None);
        assert_eq!(changed(sizes + 16, f32::NAN.to_le_bytes()), None);
    }
}
