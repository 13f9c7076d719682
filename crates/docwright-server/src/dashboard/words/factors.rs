//! Of second factors, passkeys, and signing in elsewhere.

pub(in crate::dashboard) const SECURITY: &str = "Sign-in and security";
pub(in crate::dashboard) const CODE: &str = "Code";
pub(in crate::dashboard) const CODE_TITLE: &str = "Two-factor authentication";
pub(in crate::dashboard) const CODE_WHY: &str =
    "Type the code that your app shows now, or one of your recovery codes.";
pub(in crate::dashboard) const CODE_WHY_PASSKEY: &str =
    "Use one of your passkeys, or type one of your recovery codes.";
pub(in crate::dashboard) const CODE_WHY_RECOVERY: &str =
    "Type one of your recovery codes. Passkeys can't be used at this address of the service.";
pub(in crate::dashboard) const RECOVERY_CODE: &str = "Recovery code";
pub(in crate::dashboard) const CODE_HINT: &str = "Six digits, or a recovery code";
pub(in crate::dashboard) const CONTINUE: &str = "Continue";
pub(in crate::dashboard) const OTHER_ACCOUNT: &str = "Sign in as somebody else";
pub(in crate::dashboard) const WRONG_CODE: &str = "This code is wrong, or was used before. Type the one that the app shows now; the clock of your phone must be right.";
pub(in crate::dashboard) const LAST_CODE: &str =
    "Too many codes were wrong. Sign in again with your password.";
pub(in crate::dashboard) const TOO_MANY_CODES: &str = "Too many codes were wrong within an hour. Use a recovery code, or wait for an hour. If it wasn't you, somebody knows your password: change it.";

pub(in crate::dashboard) const ON: &str = "On";
pub(in crate::dashboard) const OFF: &str = "Off";
pub(in crate::dashboard) const APP: &str = "Authenticator app";
pub(in crate::dashboard) const PASSWORD_ALONE: &str = "Your password alone signs you in. With an app or a passkey, somebody who knows the password needs more.";
pub(in crate::dashboard) const APP_OFF: &str = "No app is set up.";
pub(in crate::dashboard) const APP_ON: &str =
    "Signing in takes a code of your app or a passkey besides the password.";
pub(in crate::dashboard) const APP_SET_UP: &str = "Set up an app";
pub(in crate::dashboard) const APP_SCAN: &str = "Read this code with an authenticator app on your phone, or type the key into it. Then type what it shows, so that nobody is locked out by a mistake. Every other browser is signed out.";
pub(in crate::dashboard) const APP_KEY: &str = "Key";
pub(in crate::dashboard) const APP_QR: &str = "QR code with the key, for the app";
pub(in crate::dashboard) const APP_CODE: &str = "Code that the app shows";
pub(in crate::dashboard) const APP_TURN_ON: &str = "Turn on";
pub(in crate::dashboard) const APP_TURN_OFF: &str = "Turn the app off";
pub(in crate::dashboard) const APP_OFF_WHY: &str =
    "A sign-in with your password asks for a passkey then, or for a recovery code.";
pub(in crate::dashboard) const APP_IS_ON: &str = "An app is set up already. Turn it off first.";
pub(in crate::dashboard) const NO_SECOND_FACTOR: &str =
    "Neither an app nor a passkey is set up, so there is nothing to recover.";
pub(in crate::dashboard) const APP_KEY_WRONG: &str =
    "The key of this form is not whole. Open the page again.";

pub(in crate::dashboard) const RECOVERY: &str = "Recovery codes";
pub(in crate::dashboard) const RECOVERY_WHY: &str = "Keep them where you find them without your phone. Each signs you in once in place of the app or a passkey. They are not shown again.";
pub(in crate::dashboard) const RECOVERY_RENEW: &str = "Make new recovery codes";
pub(in crate::dashboard) const RECOVERY_KEPT: &str = "I saved my recovery codes";

/// How many recovery codes are left.
pub(in crate::dashboard) fn recovery_left(count: i64) -> String {
    match count {
        0 => "No recovery code is left. Make new ones before you need one.".to_owned(),
        1 => "One recovery code is left.".to_owned(),
        count => format!("{count} recovery codes are left."),
    }
}

pub(in crate::dashboard) const WRONG_PROOF: &str = "Incorrect code or password. Nothing changed.";
pub(in crate::dashboard) const PROOF_CODE: &str = "Code of your app, or a recovery code";

pub(in crate::dashboard) const SIGN_IN_OTHERWISE: &str = "Sign in with your password";
pub(in crate::dashboard) const PROVIDER_AWAY: &str = "It does not answer as it should. Try again in a minute; with a password you can sign in all the same. The operator finds the cause in the log.";
pub(in crate::dashboard) const PROVIDER_REFUSED: &str =
    "It did not say who you are, or what it said can't be believed. Try again from the beginning.";
pub(in crate::dashboard) const JOURNEY_OVER: &str = "This sign-in did not begin in this browser, or more than ten minutes ago. Begin again at the sign-in.";
pub(in crate::dashboard) const EMAIL_UNVERIFIED: &str = "The provider does not say that it has verified your e-mail address, so nobody knows whether an account here is yours. Verify the address there, then sign in again.";
pub(in crate::dashboard) const NO_GROUP: &str = "You have no account here, and none of your groups at the provider gives you access. Ask an admin for an invitation.";

/// The button that leads to a provider.
pub(in crate::dashboard) fn sign_in_with(provider: &str) -> String {
    format!("Sign in with {provider}")
}

/// The title of a page that says that the provider was no help.
pub(in crate::dashboard) fn not_signed_in_by(provider: &str) -> String {
    format!("{provider} did not sign you in")
}

/// Why someone whose address has an account isn't let into it.
pub(in crate::dashboard) fn account_taken(email: &str, provider: &str) -> String {
    format!(
        "The account of {email} belongs to a different user of {provider}. An email address can pass from one person to another, so docwright doesn't link a second user. If the account is yours, ask the operator to remove the identity that it has."
    )
}

pub(in crate::dashboard) const LINK_WHY: &str = "There is an account with your address already, and it has a password. Sign in with that once, which shows that the account is yours. If you never set one, somebody else did: tell the operator.";

/// The title of a page that asks for the password before a provider is believed.
pub(in crate::dashboard) fn link_account(provider: &str) -> String {
    format!("Link your account to {provider}")
}
