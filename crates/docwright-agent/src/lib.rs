//! docwright's agent: it changes documentation as a prompt asks for.
//!
//! [`run::Run`] is the loop as a pure state machine: events in, effects out. [`driver`] performs the
//! effects and saves the run after each, so that another process can go on. [`tools`] are the only
//! reach of a model, [`policy`] is what none can do, [`workspace`] holds the files and the changes.
//! [`models`] are third-party language models, [`external`] third-party coding agents; [`edits`] is a
//! backend that needs neither. This crate knows neither the compiler nor a database: callers bring a
//! [`checker::Checker`] and a [`driver::Journal`].

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
