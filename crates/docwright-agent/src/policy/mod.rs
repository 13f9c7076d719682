//! Limits of agents that no model can change. They are enforced here, outside the model.

pub mod documentation;
mod look_alikes;
mod named;
mod never;
pub mod paths;
pub mod patterns;
pub mod secrets;
