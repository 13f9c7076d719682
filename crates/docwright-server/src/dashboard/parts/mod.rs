//! What pages are made of.

mod browser_name;
mod empty;
mod field;
mod pager;
mod qr;
mod state;
mod time;

pub(super) use browser_name::browser_name;
pub(super) use empty::empty;
pub(super) use field::{Field, copied, problem};
pub(super) use pager::pager;
pub(super) use qr::qr;
pub(super) use state::{Tone, state};
pub(super) use time::ago;
