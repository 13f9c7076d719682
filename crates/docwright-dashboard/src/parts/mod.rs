//! Components of pages.

mod action;
mod browser_name;
mod choice;
mod diff;
mod empty;
mod field;
mod form_error;
mod list;
mod live;
mod pager;
mod passkey_form;
mod qr;
mod state;
mod time;
mod tree;

pub(super) use action::Action;
pub(super) use browser_name::browser_name;
pub(super) use choice::{lines, select, select_checked};
pub(super) use diff::diff;
pub(super) use empty::empty;
pub(super) use field::{Field, copied, copied_lines, problem, revision, stored};
pub(super) use form_error::{FormError, NamedField};
pub(super) use list::{ListQuery, filter, nothing_found, search, sortable, sorts};
pub(super) use live::live;
pub(super) use pager::pager;
pub(super) use passkey_form::PasskeyForm;
pub(super) use qr::qr;
pub(super) use state::{Tone, state};
pub(super) use time::{ago, at, span};
