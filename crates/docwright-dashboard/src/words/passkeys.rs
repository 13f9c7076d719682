//! Texts about passkeys.

pub(crate) const PASSKEYS: &str = "Passkeys";
pub(crate) const PASSKEYS_WHY: &str = "Your phone, computer, or security key stores a passkey. It signs you in without a password, or is a second factor after it.";
pub(crate) const NO_PASSKEYS: &str = "No passkeys yet";
pub(crate) const PASSKEYS_FULL: &str =
    "You have ten passkeys, the limit. Remove one before you add another.";
pub(crate) const ADD_PASSKEY: &str = "Add passkey";
pub(crate) const PASSKEY_NAME: &str = "Passkey name";
pub(crate) const PASSKEY_NAME_HINT: &str =
    "The device that stores it, such as “Phone” or “Blue security key”";
pub(crate) const FIRST_PASSKEY: &str = "This is your first second factor. Signing in with your password then also requires it, you get recovery codes, and all other sessions are signed out.";
pub(crate) const MAKE_PASSKEY: &str = "Create passkey";
pub(crate) const MAKE_PASSKEY_WHY: &str =
    "Your browser asks where to store it and verifies that it is you.";
pub(crate) const PASSKEY_KNOWN: &str =
    "This passkey already belongs to an account. Nothing was added.";
pub(crate) const REMOVE_PASSKEY: &str = "Remove passkey";
pub(crate) const REMOVE_PASSKEY_WHY: &str = "It no longer signs you in. Your device offers it until you remove it there too. Sessions stay signed in.";
pub(crate) const REMOVE_LAST_FACTOR: &str =
    "This is your last second factor. Your password alone then signs you in.";

pub(crate) const USE_PASSKEY: &str = "Use passkey";
pub(crate) const SIGN_IN_WITH_PASSKEY: &str = "Sign in with a passkey";
pub(crate) const USE_PASSKEY_WHY: &str = "Your browser asks for it.";
pub(crate) const USE_CODE: &str = "Enter a code instead";

pub(crate) const PASSKEY_WRONG: &str = "This passkey doesn't sign you in here. It was removed or belongs to another account. Sign in another way.";
pub(crate) const PASSKEY_LATE: &str =
    "This took more than five minutes, started in another browser, or was sent twice. Try again.";
pub(crate) const PASSKEY_COPIED: &str = "This passkey seems to exist twice, so docwright doesn't trust it. Sign in another way, remove it under “Sign-in and security”, and add a new one.";
pub(crate) const PASSKEY_UNVERIFIED: &str = "Your device didn't verify that it is you. Turn on its screen lock, or set a PIN for the security key, then try again.";
pub(crate) const PASSKEY_ELSEWHERE: &str =
    "This passkey is for another URL than this one. Open the service at its public URL.";
pub(crate) const PASSKEY_SECOND_ONLY: &str = "Your account has no password. Sign in with your organization's provider, then use your passkey.";
pub(crate) const PASSKEY_NO_SCRIPT: &str =
    "Passkeys need JavaScript, which is off in this browser. Everything else works without it.";

/// Errors in the browser, by the script's name for them.
pub(crate) const PASSKEY_PROBLEMS: [(&str, &str); 5] = [
    ("cancelled", "Canceled, or took too long. Try again when you are ready."),
    ("known", "This device already has a passkey of your account."),
    ("elsewhere", PASSKEY_ELSEWHERE),
    (
        "unsupported",
        "This browser doesn't support passkeys. Sign in another way, or use a newer browser.",
    ),
    ("failed", "The browser couldn't do that. Try again, or use another device."),
];

/// The text if browsers don't support passkeys.
pub(crate) fn no_passkeys_here(address: &str) -> String {
    format!(
        "Passkeys need HTTPS or localhost, but the URL of this service is {address}. The operator sets it with --public-url."
    )
}

/// The label of the link that removes a passkey.
pub(crate) fn remove_passkey(name: &str) -> String {
    format!("Remove {name}")
}
