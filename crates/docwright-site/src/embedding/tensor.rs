//! Reads the matrix of a model out of a file in the format of `safetensors`: the length of a header as eight bytes,
//! the header as JSON, and the numbers. <https://github.com/huggingface/safetensors#format>

use std::collections::BTreeMap;

use serde::Deserialize;

/// Longest header, in bytes. That of one matrix has some hundred.
const MAXIMUM_HEADER: u64 = 1024 * 1024;
/// The name of the matrix.
const NAME: &str = "embeddings";

/// A matrix of finite numbers.
#[derive(Debug)]
pub(super) struct Matrix {
    /// The length of a row.
    pub(super) columns: usize,
    /// The rows, one after the other.
    pub(super) numbers: Vec<f32>,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl Matrix {
    /// Reads the only matrix of a file. An error says what is wrong with it.
    pub(super) fn read(file: &[u8], most_columns: usize) -> Result<Self, String> {
        let (start, rest) = file.split_first_chunk::<8>().ok_or("it is empty or cut off")?;
        let length = u64::from_le_bytes(*start);
        if length > MAXIMUM_HEADER {
            return Err(format!("its header has {length} bytes; {MAXIMUM_HEADER} are allowed"));
        }
        let header = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let (header, data) = header.ok_or("its header is cut off")?;
        let mut header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)
            .map_err(|error| format!("its header can't be read: {error}"))?;
        header.remove("__metadata__");
        let tensor = header.remove(NAME).ok_or("it has no matrix `embeddings`")?;
        if let Some(other) = header.keys().next() {
            return Err(format!("it has `{other}`, but only models with one matrix work"));
        }
        let tensor: Tensor = serde_json::from_value(tensor)
            .map_err(|error| format!("its matrix can't be read: {error}"))?;
        Self::of(&tensor, data, most_columns)
    }

    fn of(tensor: &Tensor, data: &[u8], most_columns: usize) -> Result<Self, String> {
        let width: u64 = match tensor.dtype.as_str() {
            "F32" => 4,
            "F16" => 2,
            other => return Err(format!("its numbers are `{other}`; F32 and F16 work")),
        };
        let [rows, columns] = tensor.shape[..] else {
            return Err(format!("its matrix has {} dimensions instead of 2", tensor.shape.len()));
        };
        let wanted = rows.checked_mul(columns).and_then(|numbers| numbers.checked_mul(width));
        let (from, to) = tensor.data_offsets;
        let columns = usize::try_from(columns).ok();
        let columns = columns.filter(|columns| rows > 0 && (1..=most_columns).contains(columns));
        let Some(columns) = columns else {
            let shape = &tensor.shape;
            return Err(format!("its matrix is {} × {}, which can't be used", shape[0], shape[1]));
        };
        if to.checked_sub(from).is_none_or(|length| Some(length) != wanted) {
            return Err("the size of its matrix differs from its shape".to_owned());
        }
        let place = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let bytes = place.and_then(|(from, to)| data.get(from..to));
        let bytes = bytes.ok_or("its matrix is cut off")?;
        let numbers: Vec<f32> = if width == 4 {
            bytes
                .chunks_exact(4)
                .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect()
        } else {
            bytes.chunks_exact(2).map(|two| half(u16::from_le_bytes([two[0], two[1]]))).collect()
        };
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err("its matrix has a number that isn't finite".to_owned());
        }
        Ok(Self { columns, numbers })
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.numbers.len() / self.columns
    }

    /// A row; `None` beyond the last one.
    pub(super) fn row(&self, number: u32) -> Option<&[f32]> {
        let start = usize::try_from(number).ok()?.checked_mul(self.columns)?;
        self.numbers.get(start..start.checked_add(self.columns)?)
    }
}

/// A number of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        31 if bits.trailing_zeros() >= 10 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn file(header: &Value, data: &[u8]) -> Vec<u8> {
        let header = header.to_string();
        [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat()
    }

    fn header(dtype: &str, shape: Value, offsets: [u64; 2]) -> Value {
        json!({ "embeddings": { "dtype": dtype, "shape": shape, "data_offsets": offsets } })
    }

    #[test]
    fn numbers_of_both_kinds_are_read() {
        let data: Vec<u8> =
            [1.5_f32, -2.0, 0.25, 3.0].iter().flat_map(|each| each.to_le_bytes()).collect();
        let matrix = Matrix::read(&file(&header("F32", json!([2, 2]), [0, 16]), &data), 8).unwrap();
        assert_eq!((matrix.rows(), matrix.row(1)), (2, Some(&[0.25, 3.0][..])));
        assert_eq!(matrix.row(2), None);
        let data: Vec<u8> = [0x3e00_u16, 0xc000, 0x0001, 0x7bff]
            .iter()
            .flat_map(|each| each.to_le_bytes())
            .collect();
        let mut with_metadata = header("F16", json!([1, 4]), [0, 8]);
        with_metadata["__metadata__"] = json!({ "format": "pt" });
        let matrix = Matrix::read(&file(&with_metadata, &data), 8).unwrap();
        assert_eq!(matrix.row(0), Some(&[1.5, -2.0, 5.960_464_5e-8, 65504.0][..]));
    }

    #[test]
    fn hostile_file_is_refused() {
        let good = [0; 16];
        let huge = [u64::MAX.to_le_bytes().to_vec(), vec![b'{'; 100]].concat();
        let claims = [9_000_u64.to_le_bytes().to_vec(), vec![b'{'; 100]].concat();
        let mut second = header("F32", json!([2, 2]), [0, 16]);
        second["weights"] = second["embeddings"].clone();
        let nan = f32::NAN.to_le_bytes().repeat(4);
        for (contents, expected) in [
            (Vec::new(), "it is empty or cut off"),
            (huge, "its header has 18446744073709551615 bytes"),
            (claims, "its header is cut off"),
            (file(&json!([1]), &good), "its header can't be read"),
            (file(&json!({}), &good), "it has no matrix `embeddings`"),
            (file(&second, &good), "it has `weights`"),
            (file(&json!({ "embeddings": 1 }), &good), "its matrix can't be read"),
            (file(&header("I64", json!([2, 2]), [0, 16]), &good), "its numbers are `I64`"),
            (file(&header("F32", json!([4]), [0, 16]), &good), "1 dimensions instead of 2"),
            (file(&header("F32", json!([4, 0]), [0, 0]), &good), "its matrix is 4 × 0"),
            (file(&header("F32", json!([0, 4]), [0, 0]), &good), "its matrix is 0 × 4"),
            (file(&header("F32", json!([1, 9]), [0, 36]), &good), "its matrix is 1 × 9"),
            (file(&header("F32", json!([3, 2]), [0, 16]), &good), "differs from its shape"),
            (file(&header("F32", json!([2, 2]), [16, 0]), &good), "differs from its shape"),
            (
                file(&header("F32", json!([u64::MAX / 2, 2]), [0, 16]), &good),
                "differs from its shape",
            ),
            (
                file(&header("F32", json!([1_250_000_000_u64, 2]), [0, 10_000_000_000]), &good),
                "its matrix is cut off",
            ),
            (file(&header("F32", json!([2, 2]), [8, 24]), &good), "its matrix is cut off"),
            (file(&header("F32", json!([2, 2]), [0, 16]), &nan), "isn't finite"),
        ] {
            let error = Matrix::read(&contents, 8).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
