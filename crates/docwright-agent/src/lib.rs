//! docwright's agent: changes documentation according to a prompt.
//!
//! [`run::Run`] is the loop as a pure state machine: events in, effects out. [`driver`] performs the effects and
//! saves the run after each, so that another process can continue. [`tools`] are all that a model can use,
//! [`policy`] forbids what no model can do, [`workspace`] holds the files and the changes. [`models`] are
//! third-party language models, [`external`] third-party coding agents; [`edits`] is a backend that needs neither.
//! This crate knows neither the compiler nor a database: callers provide a [`checker::Checker`] and a
//! [`driver::Journal`].

pub mod checker;
pub mod driver;
pub mod edits;
pub mod external;
pub mod instructions;
pub mod models;
pub mod policy;
pub mod run;
pub mod tools;
pub mod workspace;
