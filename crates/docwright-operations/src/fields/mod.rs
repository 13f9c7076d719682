//! Validated fields of inputs. Each error continues the name of the field.

mod id;
mod name;
mod number;
mod revision;
mod site_domain;
mod text;

pub use id::Id;
pub use name::Name;
pub use number::Number;
pub use revision::Revision;
pub(crate) use revision::require_current;
pub use site_domain::SiteDomain;
pub use text::{Label, Text};

use std::fmt::Display;

use crate::OperationError;

/// Reads a field of an input from text. The error names the field.
pub fn field<T: TryFrom<String, Error: Display>>(
    name: &str,
    text: impl Into<String>,
) -> Result<T, OperationError> {
    let read = T::try_from(text.into());
    read.map_err(|what| OperationError::Invalid(format!("`{name}` {what}.")))
}
