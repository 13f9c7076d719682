//! Of signing in, accounts, members and keys.

use docwright_domain::account::Role;

pub(in crate::dashboard) const SIGN_IN: &str = "Sign in";
pub(in crate::dashboard) const SIGN_OUT: &str = "Sign out";
pub(in crate::dashboard) const EMAIL: &str = "E-mail";
pub(in crate::dashboard) const PASSWORD: &str = "Password";
pub(in crate::dashboard) const NAME: &str = "Name";
pub(in crate::dashboard) const WRONG_SIGN_IN: &str = "The e-mail or the password is wrong. Check both, or ask an admin of your organisation for a new invitation.";
pub(in crate::dashboard) const TOO_MANY_SIGN_INS: &str =
    "Too many attempts failed. Wait a minute, then try again.";

pub(in crate::dashboard) const SETUP: &str = "Set up docwright";
pub(in crate::dashboard) const SETUP_WHY: &str =
    "You make the first account. It is the operator's: it reaches everything in this install.";
pub(in crate::dashboard) const SETUP_ORGANIZATION: &str = "Organisation";
pub(in crate::dashboard) const SETUP_ORGANIZATION_HINT: &str =
    "Projects, members and API keys belong to it. You can rename it later.";
pub(in crate::dashboard) const SETUP_BEGIN: &str = "Create account";
pub(in crate::dashboard) const SETUP_NEEDS_TOKEN: &str = "The address of the set-up has a token, which this one lacks. Copy the whole address from the log of the service, or run `docwright admin setup-link`.";
pub(in crate::dashboard) const SETUP_IS_OVER: &str =
    "This install is set up. Sign in, or ask an admin for an invitation.";
pub(in crate::dashboard) const PASSWORD_HINT: &str = "12 characters or more. A few words are good.";
pub(in crate::dashboard) const PASSWORD_SHORT: &str =
    "The password is too short; take 12 characters or more.";
pub(in crate::dashboard) const PASSWORD_LONG: &str =
    "The password is too long; take 256 characters at most.";
pub(in crate::dashboard) const NAME_WRONG: &str =
    "The name must be one line of 1 to 200 characters.";

pub(in crate::dashboard) const ACCOUNT: &str = "Your account";
pub(in crate::dashboard) const SESSIONS: &str = "Where you are signed in";
pub(in crate::dashboard) const THIS_SESSION: &str = "This browser";
pub(in crate::dashboard) const END_SESSION: &str = "Sign out there";
pub(in crate::dashboard) const END_OTHERS: &str = "Sign out everywhere else";

pub(in crate::dashboard) const MEMBERS: &str = "Members";
pub(in crate::dashboard) const ROLE: &str = "Role";

/// A role, as people read it.
pub(in crate::dashboard) const fn role(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer",
        Role::Editor => "Editor",
        Role::Admin => "Admin",
    }
}
pub(in crate::dashboard) const LINK_IS_USED: &str =
    "This link was used before, or its time is over. Ask for a new one.";
pub(in crate::dashboard) const SINCE: &str = "Since";
pub(in crate::dashboard) const ORGANIZATIONS: &str = "Organisations";
pub(in crate::dashboard) const PLAN: &str = "Plan";
