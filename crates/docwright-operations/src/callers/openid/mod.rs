//! Callers that a provider of OpenID Connect identifies. It is trusted for what it signed for this browser's sign-in.
//!
//! The face sends the browser to the provider, keeps the text of the [`SignInFlow`] there, and reads what the
//! provider sends back.

mod answers;
mod claims;
mod discovery;
mod flow;
mod groups;
mod provider;
mod sign_in;

pub use claims::Person;
pub use flow::SignInFlow;
pub use provider::{GroupRole, OpenIdError, Provider, Secrets};
pub use sign_in::{OpenIdRefusal, ProviderAnswer, sign_in};
