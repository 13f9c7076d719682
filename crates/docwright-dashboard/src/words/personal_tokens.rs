//! Of personal access tokens.

pub(crate) const PERSONAL_TOKENS: &str = "Personal access tokens";
pub(crate) const PERSONAL_TOKENS_WHY: &str = "Use a token as the password of git, such as to push to the built-in git host, and for programs that act for you. The audit log shows your email address. A token belongs to one organization. It never has more permissions than your role there, and it ends with your membership.";
pub(crate) const NO_PERSONAL_TOKENS: &str = "No personal access tokens yet";
pub(crate) const NO_ORGANIZATION_FOR_TOKENS: &str =
    "You aren't a member of an organization. Tokens need one.";
pub(crate) const NEW_PERSONAL_TOKEN: &str = "New token";
pub(crate) const CREATE_PERSONAL_TOKEN: &str = "Create token";
pub(crate) const CREATE_A_PERSONAL_TOKEN: &str = "Create a personal access token";
pub(crate) const PERSONAL_TOKEN_NAME_HINT: &str = "What uses the token, such as laptop.";
pub(crate) const PERSONAL_TOKEN_ORGANIZATION: &str = "Organization";
pub(crate) const PERSONAL_TOKEN_MADE: &str = "Personal access token created";
pub(crate) const PERSONAL_TOKEN_MADE_WHY: &str = "Copy this token now. You won't see it again. When git asks for a username, enter any name. As the password, use the token.";
pub(crate) const REVOKE_PERSONAL_TOKEN: &str = "Revoke token";
pub(crate) const REVOKE_PERSONAL_TOKEN_WHY: &str =
    "Everything that uses this token stops working immediately. This can't be undone.";

/// The organization of a token and its scope, below its name.
pub(crate) fn token_of(organization: &str, scope: &str) -> String {
    format!("{organization} · {scope}")
}

/// The owner of a personal access token, in the list of keys.
pub(crate) fn token_of_person(email: &str) -> String {
    format!("Personal access token of {email}")
}
