//! Texts about second factors, passkeys, and providers.

pub(crate) const SECURITY: &str = "Sign-in and security";
pub(crate) const CODE: &str = "Code";
pub(crate) const CODE_TITLE: &str = "Two-factor authentication";
pub(crate) const CODE_WHY: &str =
    "Enter the current code from your authenticator app, or a recovery code.";
pub(crate) const CODE_WHY_PASSKEY: &str = "Use a passkey, or enter a recovery code.";
pub(crate) const CODE_WHY_RECOVERY: &str =
    "Enter a recovery code. Passkeys can't be used at this URL of the service.";
pub(crate) const RECOVERY_CODE: &str = "Recovery code";
pub(crate) const CODE_HINT: &str = "Six digits, or a recovery code";
pub(crate) const CONTINUE: &str = "Continue";
pub(crate) const OTHER_ACCOUNT: &str = "Sign in with another account";
pub(crate) const WRONG_CODE: &str = "The code is incorrect or was already used. Enter the current code, and check that the clock of your phone is right.";
pub(crate) const LAST_CODE: &str = "Too many incorrect codes. Sign in again with your password.";
pub(crate) const TOO_MANY_CODES: &str = "Too many incorrect codes within an hour. Use a recovery code, or wait an hour. If it wasn't you, someone knows your password: change it.";

pub(crate) const ON: &str = "On";
pub(crate) const OFF: &str = "Off";
pub(crate) const APP: &str = "Authenticator app";
pub(crate) const PASSWORD_ALONE: &str = "Your password alone signs you in. An authenticator app or a passkey protects your account if someone learns the password.";
pub(crate) const APP_OFF: &str = "No authenticator app is set up.";
pub(crate) const APP_ON: &str =
    "Signing in with your password also requires a code from your app or a passkey.";
pub(crate) const APP_SET_UP: &str = "Set up app";
pub(crate) const APP_SCAN: &str = "Scan this code with an authenticator app, or type the key into the app. Then enter the code that the app shows. All other sessions are signed out.";
pub(crate) const APP_KEY: &str = "Key";
pub(crate) const APP_QR: &str = "QR code with the key";
pub(crate) const APP_CODE: &str = "Code from the app";
pub(crate) const APP_TURN_ON: &str = "Turn on";
pub(crate) const APP_TURN_OFF: &str = "Turn off app";
pub(crate) const APP_OFF_WHY: &str =
    "Signing in with your password then requires a passkey or a recovery code.";
pub(crate) const APP_IS_ON: &str = "An authenticator app is already set up. Turn it off first.";
pub(crate) const NO_SECOND_FACTOR: &str =
    "Recovery codes need an authenticator app or a passkey. Set one up first.";
pub(crate) const APP_KEY_WRONG: &str = "The key of this form is incomplete. Open the page again.";

pub(crate) const RECOVERY: &str = "Recovery codes";
pub(crate) const RECOVERY_WHY: &str = "Store these codes where you can find them without your phone. Each one works once in place of the app or a passkey. You won't see them again.";
pub(crate) const RECOVERY_RENEW: &str = "Create new recovery codes";
pub(crate) const RECOVERY_KEPT: &str = "I saved my recovery codes";

/// The number of unused recovery codes.
pub(crate) fn recovery_left(count: i64) -> String {
    match count {
        0 => "No recovery codes left. Create new ones.".to_owned(),
        1 => "1 recovery code left.".to_owned(),
        count => format!("{count} recovery codes left."),
    }
}

pub(crate) const WRONG_PROOF: &str = "Incorrect code or password. Nothing changed.";
pub(crate) const PROOF_CODE: &str = "Code from your app, or a recovery code";

pub(crate) const SIGN_IN_OTHERWISE: &str = "Sign in with your password";
pub(crate) const PROVIDER_AWAY: &str = "The provider isn't responding correctly. Try again in a minute, or sign in with a password. The operator can find the cause in the log.";
pub(crate) const PROVIDER_REFUSED: &str =
    "The provider's response is missing or invalid. Start again at the sign-in page.";
pub(crate) const FLOW_OVER: &str = "This sign-in started in another browser or more than ten minutes ago. Start again at the sign-in page.";
pub(crate) const EMAIL_UNVERIFIED: &str =
    "The provider hasn't verified your email address. Verify it there, then sign in again.";
pub(crate) const NO_GROUP: &str = "You have no account, and none of your groups at the provider grants access. Ask an admin for an invitation.";

/// The button that leads to a provider.
pub(crate) fn sign_in_with(provider: &str) -> String {
    format!("Sign in with {provider}")
}

/// The title of the page after a failed sign-in with a provider.
pub(crate) fn not_signed_in_by(provider: &str) -> String {
    format!("Sign-in with {provider} failed")
}

/// The reason why someone whose email address has an account can't sign in to it.
pub(crate) fn account_taken(email: &str, provider: &str) -> String {
    format!(
        "The account of {email} belongs to a different user of {provider}. An email address can pass from one person to another, so docwright doesn't link a second user. If the account is yours, ask the operator to remove the identity that it has."
    )
}

pub(crate) const LINK_WHY: &str = "An account with your email address and a password exists. To link it, sign in once with that password. If you never set a password, tell the operator: someone else created the account.";

/// The title of the page that asks for the password before a provider is linked.
pub(crate) fn link_account(provider: &str) -> String {
    format!("Link your account to {provider}")
}
