//! What an agent can't do, whatever its model says. It is enforced here, outside the model.

pub mod documentation;
mod look_alikes;
mod named;
mod never;
pub mod paths;
pub mod patterns;
pub mod secrets;
