//! What an agent may not do, whatever its model says. It is enforced here, outside the model.

pub mod paths;
pub mod secrets;
