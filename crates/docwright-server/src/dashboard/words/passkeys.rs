//! Of passkeys.

pub(in crate::dashboard) const PASSKEYS: &str = "Passkeys";
pub(in crate::dashboard) const PASSKEYS_WHY: &str = "A passkey is kept by your phone, computer or security key. It signs you in without a password, and it is a second factor besides the password.";
pub(in crate::dashboard) const NO_PASSKEYS: &str = "You have no passkey.";
pub(in crate::dashboard) const PASSKEYS_FULL: &str =
    "You have ten passkeys, the limit. Remove one before you add another.";
pub(in crate::dashboard) const ADD_PASSKEY: &str = "Add a passkey";
pub(in crate::dashboard) const PASSKEY_NAME: &str = "Name of the passkey";
pub(in crate::dashboard) const PASSKEY_NAME_HINT: &str =
    "Where it is kept, such as “Phone” or “Blue security key”";
pub(in crate::dashboard) const FIRST_PASSKEY: &str = "It is your first second factor: from then on a sign-in with your password asks for it, you get recovery codes, and every other browser is signed out.";
pub(in crate::dashboard) const MAKE_PASSKEY: &str = "Create the passkey";
pub(in crate::dashboard) const MAKE_PASSKEY_WHY: &str =
    "Your browser asks where to keep it, and makes sure that it is you.";
pub(in crate::dashboard) const PASSKEY_KNOWN: &str =
    "This passkey belongs to an account here already. Nothing was added.";
pub(in crate::dashboard) const REMOVE_PASSKEY: &str = "Remove a passkey";
pub(in crate::dashboard) const REMOVE_PASSKEY_WHY: &str = "It will no longer sign you in. Your device goes on offering it until you remove it there too. Browsers that are signed in stay so.";
pub(in crate::dashboard) const REMOVE_LAST_FACTOR: &str =
    "This is your last second factor: your password alone signs you in then.";

pub(in crate::dashboard) const USE_PASSKEY: &str = "Use a passkey";
pub(in crate::dashboard) const SIGN_IN_WITH_PASSKEY: &str = "Sign in with a passkey";
pub(in crate::dashboard) const USE_PASSKEY_WHY: &str = "Your browser asks for it.";
pub(in crate::dashboard) const USE_CODE: &str = "Type a code instead";

pub(in crate::dashboard) const PASSKEY_WRONG: &str = "This passkey does not sign you in here. It may have been removed, or belong to somebody else. Sign in in another way.";
pub(in crate::dashboard) const PASSKEY_LATE: &str = "This took more than five minutes, or did not begin in this browser, or was sent twice. Try again.";
pub(in crate::dashboard) const PASSKEY_COPIED: &str = "There seem to be two copies of this passkey, so it is not trusted. Sign in in another way, remove it under “Sign-in and security”, and add a new one.";
pub(in crate::dashboard) const PASSKEY_UNVERIFIED: &str = "Your device did not make sure that it is you. Turn on its screen lock, or give the security key a PIN, then try again.";
pub(in crate::dashboard) const PASSKEY_ELSEWHERE: &str = "This passkey is for another address than that of this service. Open the service at its own address.";
pub(in crate::dashboard) const PASSKEY_SECOND_ONLY: &str = "Your account has no password: the provider of your organisation signs you in. Your passkey is asked for after that.";
pub(in crate::dashboard) const PASSKEY_NO_SCRIPT: &str =
    "Passkeys need JavaScript, which is off in this browser. All else works without it.";

/// What can go wrong in the browser, by the name that the script has for it.
pub(in crate::dashboard) const PASSKEY_PROBLEMS: [(&str, &str); 5] = [
    ("cancelled", "It was cancelled, or took too long. Try again when you are ready."),
    ("known", "This device has a passkey of your account already."),
    ("elsewhere", PASSKEY_ELSEWHERE),
    ("unsupported", "This browser has no passkeys. Sign in in another way, or take a newer one."),
    ("failed", "The browser could not do that. Try again, or with another device."),
];

/// What is said where browsers have no passkeys.
pub(in crate::dashboard) fn no_passkeys_here(address: &str) -> String {
    format!(
        "Passkeys can't be used here: browsers have them only at a name over HTTPS, or at localhost, and the address of this service is {address}. The operator sets it with --public-url."
    )
}

/// The label of the link that removes a passkey.
pub(in crate::dashboard) fn remove_passkey(name: &str) -> String {
    format!("Remove {name}")
}
