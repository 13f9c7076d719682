//! Texts about sign-in, accounts, members, and keys.

use docwright_types::account::Role;

pub(crate) const SIGN_IN: &str = "Sign in";
pub(crate) const SIGNED_OUT: &str = "You are signed out";
pub(crate) const FORM_KEPT: &str = "The form wasn't sent, because your session ended. This page keeps what you typed. Sign in, then come back and send the form again.";
pub(crate) const SIGN_IN_ELSEWHERE: &str = "Sign in (opens a new tab)";
pub(crate) const SEND_FORM_AGAIN: &str = "Send form again";
pub(crate) const SIGN_OUT: &str = "Sign out";
pub(crate) const FIND_BY_EMAIL: &str = "Email";
pub(crate) const FIND_MEMBER: &str = "Name or email";
pub(crate) const EMAIL: &str = "Email";
pub(crate) const PASSWORD: &str = "Password";
pub(crate) const NAME: &str = "Name";
pub(crate) const WRONG_SIGN_IN: &str = "Incorrect email or password.";
pub(crate) const TOO_MANY_SIGN_INS: &str =
    "Too many failed attempts. Wait ten minutes, then try again.";

pub(crate) const SETUP: &str = "Set up docwright";
pub(crate) const SETUP_WHY: &str =
    "Create the operator account. It has access to everything in this instance.";
pub(crate) const SETUP_ORGANIZATION: &str = "Organization";
pub(crate) const SETUP_ORGANIZATION_HINT: &str =
    "It owns projects, members, and API keys. You can rename it later.";
pub(crate) const SETUP_BEGIN: &str = "Create account";
pub(crate) const SETUP_NEEDS_TOKEN: &str = "This setup URL has no token. Copy the whole URL from the output of the service. Or run `docwright admin setup-link` on its machine, with the same `--data`.";
pub(crate) const SETUP_IS_OVER: &str =
    "This instance is already set up. Sign in, or ask an admin for an invitation.";
pub(crate) const PASSWORD_HINT: &str = "At least 12 characters, such as a few words.";
pub(crate) const PASSWORD_SHORT: &str = "Use at least 12 characters.";
pub(crate) const PASSWORD_LONG: &str = "Use at most 256 characters.";
pub(crate) const NAME_WRONG: &str = "Enter a name of 1 to 200 characters on one line.";

pub(crate) const ACCOUNT: &str = "Your account";
pub(crate) const SESSIONS: &str = "Sessions";
pub(crate) const THIS_SESSION: &str = "This session";
pub(crate) const END_SESSION: &str = "End session";
pub(crate) const END_OTHERS: &str = "End other sessions";

pub(crate) const SAVE_NAME: &str = "Save name";
pub(crate) const OLD_PASSWORD: &str = "Current password";
pub(crate) const LINK_PASSWORD_HINT: &str = "Set a new password if you forgot yours: at least 12 characters. Leave empty to keep the current one.";
pub(crate) const FORGOT_PASSWORD: &str = "Forgot your password?";
pub(crate) const RESET_PASSWORD: &str = "Reset your password";
pub(crate) const RESET_PASSWORD_HINT: &str =
    "docwright emails you a link that signs you in once and lets you set a new password.";
pub(crate) const EMAIL_WRONG: &str = "Enter an email address, such as ada@example.com.";
pub(crate) const SEND_LINK: &str = "Send link";
pub(crate) const LINK_SENT: &str = "If an account with a password has this email address, a link is on its way. It works for 15 minutes. If it doesn't arrive, look in your spam folder.";
pub(crate) const TOO_MANY_LINKS: &str =
    "Too many links were requested. Wait ten minutes, then try again.";
pub(crate) const NO_EMAIL: &str = "This instance sends no email. Ask its operator for a sign-in link. On its machine, the operator runs:";
pub(crate) const BACK_TO_SIGN_IN: &str = "Back to sign-in";
pub(crate) const CHANGE_PASSWORD: &str = "Change password";
pub(crate) const PASSWORD_CHANGED: &str = "Password changed. All other sessions are signed out.";
pub(crate) const OLD_PASSWORD_WRONG: &str = "The current password is incorrect. Nothing changed.";
pub(crate) const NO_PASSWORD: &str =
    "This account has no password. You sign in with your organization's provider.";

pub(crate) const DELETE_ACCOUNT: &str = "Delete account";
pub(crate) const DELETE_OWN_ACCOUNT: &str = "Delete your account";
pub(crate) const DELETE_OWN_ACCOUNT_WHY: &str = "This permanently deletes your account and signs you out everywhere. Your memberships, your personal access tokens, and the API keys that you created are deleted too. Releases, jobs, and the audit log stay; the audit log then shows \"deleted account\" and an ID instead of you. This can't be undone.";
pub(crate) const ACCOUNT_DELETED: &str = "Account deleted";
pub(crate) const ACCOUNT_DELETED_WHY: &str =
    "Your account is deleted, and you are signed out everywhere.";
pub(crate) const DELETE_ACCOUNT_WHY: &str = "This permanently deletes the account and signs it out everywhere. Its memberships, its personal access tokens, and the API keys that it created are deleted too. Releases, jobs, and the audit log stay; the audit log then shows \"deleted account\" and an ID instead of the person. This can't be undone.";
pub(crate) const WRITE_EMAIL: &str = "Type the email address to confirm";
pub(crate) const OTHER_EMAIL: &str = "This isn't the email address of the account. Nothing was deleted. Type the address as it is shown.";

/// The title of the page that deletes an account.
pub(crate) fn delete_account_of(email: &str) -> String {
    format!("Delete account {email}")
}

/// The label of the button that ends the session of a browser.
pub(crate) fn end_session(browser: &str) -> String {
    format!("End session of {browser}")
}

pub(crate) const INVITE: &str = "Invite people";
pub(crate) const INVITE_WHY: &str = "Creates a single-use link that expires in 7 days. Anyone who opens it joins with this email address.";
pub(crate) const MAKE_INVITATION: &str = "Create invitation";
pub(crate) const INVITE_ANOTHER: &str = "Invite someone else";
pub(crate) const INVITATIONS: &str = "Pending invitations";
pub(crate) const NO_INVITATIONS: &str = "No pending invitations";
pub(crate) const INVITED_BY: &str = "Invited by";
pub(crate) const GOOD_UNTIL: &str = "Expires";
pub(crate) const WITHDRAW: &str = "Withdraw";
pub(crate) const ROLE_HINT: &str = "Viewers read. Editors also start agent jobs, builds, exports, and activate releases. Admins also manage members, keys, domains, and settings.";
pub(crate) const INVITATION: &str = "Invitation";
pub(crate) const INVITATION_IS_OVER: &str = "This invitation has expired";
pub(crate) const INVITATION_IS_OVER_WHY: &str =
    "The invitation was used, withdrawn, or replaced, or it expired. Ask an admin for a new one.";
pub(crate) const JOIN: &str = "Join";
pub(crate) const CREATE_ACCOUNT: &str = "Create account and join";
pub(crate) const HAS_ACCOUNT: &str = "Sign in to join. You have an account with";

/// The label of the button that withdraws an invitation.
pub(crate) fn withdraw(email: &str) -> String {
    format!("Withdraw invitation of {email}")
}

/// The text about a new link.
pub(crate) fn invited(email: &str, is_sent: bool) -> String {
    if is_sent {
        format!("docwright sends this link to {email}. You won't see it again.")
    } else {
        format!("Send this link to {email}. You won't see it again.")
    }
}

/// The title of an invitation.
pub(crate) fn join(organization: &str) -> String {
    format!("Join {organization}")
}

/// The caller and its role.
pub(crate) fn invitation_by(who: &str, as_what: Role) -> String {
    format!("{who} invited you as {}.", as_what.name())
}

/// The text for a signed-in user other than the invited one.
pub(crate) fn invited_is(email: &str, own: &str) -> String {
    format!(
        "This invitation is for {email}, but you are signed in as {own}. Sign out, then open the link again."
    )
}

pub(crate) const OPENING_PREVIEW: &str = "Opening preview";

pub(crate) const NO_MEMBERS: &str = "No members yet";
pub(crate) const NO_MEMBERS_WHY: &str =
    "Members sign in and see the projects of the organization. Invite an admin first.";
pub(crate) const KEEP: &str = "Cancel";
pub(crate) const REMOVE_MEMBER_WHY: &str = "They lose access to this organization, and their personal access tokens for it are deleted. Their account and the API keys stay. Revoke keys that they know.";

/// The question before a member is removed.
pub(crate) fn remove_member(name: &str) -> String {
    format!("Remove {name}")
}

/// The label of the list of roles.
pub(crate) fn role_of(name: &str) -> String {
    format!("Role of {name}")
}

pub(crate) const MEMBERS: &str = "Members";
pub(crate) const ROLE: &str = "Role";

/// Label of a role.
pub(crate) const fn role(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer",
        Role::Editor => "Editor",
        Role::Admin => "Admin",
    }
}
pub(crate) const LINK_IS_USED: &str = "This link was used or has expired. Ask for a new one.";
pub(crate) const SINCE: &str = "Joined";
pub(crate) const FIND_ORGANIZATION: &str = "Organization name";
pub(crate) const ORGANIZATIONS: &str = "Organizations";
pub(crate) const PLAN: &str = "Plan";
