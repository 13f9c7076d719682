//! The flow `answer`: question → retrieval → model, or none → cited answer.
//!
//! [`answer`] is the whole flow: retrieve, ask the model if there is one, check, send. A model's paragraph is held
//! back until the words that it quotes are found in the section that it names; what was sent is never taken back.
//! Without a model, and whenever a model sends nothing that holds, the answer consists of passages of the pages.
//!
//! Texts of pages and readers are data: nothing in them decides what is sent. This crate knows neither HTTP nor a
//! database. Callers provide the [`Pages`] of a site and receive [`Event`]s; dropping the future ends the answer,
//! with the request to the model.

mod check;
mod flow;
mod links;
mod metered;
mod pages;
mod prompt;
mod question;
mod quotes;
mod retrieval;
mod watched;
mod writing;

pub use docwright_types::assistant::{Event, Source};
pub use flow::{Assistant, Limits, answer};
pub use metered::TokenMeter;
pub use pages::Pages;
pub use question::{Exchange, Question, is_thread};
pub use retrieval::rank;
pub use watched::ModelNotice;
