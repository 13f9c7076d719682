//! Passkeys: each challenge works once, counters only grow, and recovery codes exist as long as a second
//! factor does.

use docwright_storage::{
    Keyring,
    database::{AddedPasskey, NewPasskey, PASSKEYS, PasskeyChallenge},
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    timestamp::MINUTE,
    totp::{RecoveryCode, TotpSecret},
};

use crate::factors::{account, session};

pub(crate) async fn conform(place: &TestDatabase) {
    added(place).await;
    used(place).await;
    factors(place).await;
}

const fn new<'a>(account_id: &'a str, credential_id: &'a str) -> NewPasskey<'a> {
    let (name, public_key) = ("Phone", "a2V5");
    let (sign_count, is_backup_eligible) = (3, true);
    NewPasskey { account_id, name, credential_id, public_key, sign_count, is_backup_eligible }
}

const fn challenge(text: &str) -> PasskeyChallenge<'_> {
    PasskeyChallenge { text, expires_at: 5 * MINUTE }
}

async fn added(place: &TestDatabase) {
    let database = &place.database;
    let ada = account(place, "passkeys-ada@example.com").await;
    let bob = account(place, "passkeys-bob@example.com").await;
    let (own, kept) = session(place, &ada, true, 1).await;
    let (other, _) = session(place, &ada, true, 1).await;
    let (bobs, _) = session(place, &bob, true, 1).await;
    let codes = [RecoveryCode::generate().unwrap()];
    let at = (kept.id.as_str(), 2);
    let add = async |id: &str, text: &str| {
        database.add_passkey(new(&ada.id, id), &codes, challenge(text), at).await.unwrap()
    };
    assert!(!database.has_second_factor(&ada.id).await.unwrap());
    assert_eq!(add("add-1", "add-1").await, AddedPasskey::First);
    assert!(database.has_second_factor(&ada.id).await.unwrap());
    assert!(!database.has_totp(&ada.id).await.unwrap());
    assert!(!database.has_second_factor(&bob.id).await.unwrap());
    assert_eq!(database.recovery_codes(&ada.id).await.unwrap(), 1);
    assert!(database.session(&own, 2).await.unwrap().is_some());
    assert!(database.session(&bobs, 2).await.unwrap().is_some());
    assert!(
        database.session(&other, 2).await.unwrap().is_none(),
        "the session started with a password alone"
    );
    assert_eq!(add("add-2", "add-1").await, AddedPasskey::Replayed);
    assert_eq!(add("add-1", "add-2").await, AddedPasskey::Known);
    let taken = new(&bob.id, "add-1");
    let taken = database.add_passkey(taken, &codes, challenge("add-3"), at).await.unwrap();
    assert_eq!(taken, AddedPasskey::Known, "the passkey belongs to another account");
    let (passkey, owner) = database.passkey_of_credential("add-1").await.unwrap().unwrap();
    assert_eq!((owner.id.as_str(), passkey.name.as_str()), (ada.id.as_str(), "Phone"));
    assert_eq!((passkey.sign_count, passkey.is_backup_eligible), (3, true));
    assert_eq!((passkey.created_at, passkey.used_at), (2, None));
    assert!(database.passkey_of_credential("add-2").await.unwrap().is_none());
    // Parallel additions respect the limit, too.
    let ids: Vec<_> = (0..PASSKEYS + 5).map(|number| format!("many-{number}")).collect();
    let many = futures::future::join_all(ids.iter().map(|id| add(id, id))).await;
    let more = many.iter().filter(|added| **added == AddedPasskey::Another).count();
    assert_eq!(i64::try_from(more).unwrap(), PASSKEYS - 1, "{many:?}");
    assert!(
        many.iter().all(|added| matches!(added, AddedPasskey::Another | AddedPasskey::TooMany))
    );
    assert_eq!(database.passkeys(&ada.id).await.unwrap().len(), more + 1);
    assert_eq!(database.recovery_codes(&ada.id).await.unwrap(), 1, "recovery codes stay");
}

async fn used(place: &TestDatabase) {
    let database = &place.database;
    let ada = account(place, "passkey-use-ada@example.com").await;
    let bob = account(place, "passkey-use-bob@example.com").await;
    let add = new(&ada.id, "use");
    database.add_passkey(add, &[], challenge("use-0"), ("none", 2)).await.unwrap();
    let (passkey, _) = database.passkey_of_credential("use").await.unwrap().unwrap();
    let sign = async |count: u32, text: &str| {
        database.use_passkey(&passkey, count, challenge(text), 7).await.unwrap()
    };
    assert!(!sign(4, "use-0").await, "the challenge was used to add the passkey");
    assert!(sign(4, "use-1").await);
    assert!(!sign(5, "use-1").await, "a challenge works once");
    assert!(!sign(4, "use-2").await && !sign(0, "use-3").await, "the counter must grow");
    assert!(sign(5, "use-2").await, "refused sign-ins don't use the challenge");
    let (now, _) = database.passkey_of_credential("use").await.unwrap().unwrap();
    assert_eq!((now.sign_count, now.used_at), (5, Some(7)));
    // Of parallel sign-ins with one challenge, one succeeds.
    let tries = futures::future::join_all((0..8).map(|_| sign(9, "use-4"))).await;
    assert_eq!(tries.iter().filter(|is_good| **is_good).count(), 1);
    // A passkey without a counter.
    let still = NewPasskey { sign_count: 0, ..new(&ada.id, "still") };
    database.add_passkey(still, &[], challenge("still-0"), ("none", 2)).await.unwrap();
    let (still, _) = database.passkey_of_credential("still").await.unwrap().unwrap();
    for text in ["still-1", "still-2"] {
        assert!(database.use_passkey(&still, 0, challenge(text), 7).await.unwrap());
    }
    // Challenges are kept until they expire.
    database.remove_ended_sign_ins(5 * MINUTE).await.unwrap();
    assert!(!sign(20, "use-1").await);
    database.remove_ended_sign_ins(5 * MINUTE + 1).await.unwrap();
    assert_eq!(place.number("SELECT COUNT(*) FROM passkey_challenges").await, 0);
    // Removed passkeys can't sign in.
    assert!(
        !database.remove_passkey(&bob.id, &passkey.id).await.unwrap(),
        "the passkey belongs to another account"
    );
    assert!(database.remove_passkey(&ada.id, &passkey.id).await.unwrap());
    assert!(!database.remove_passkey(&ada.id, &passkey.id).await.unwrap());
    assert!(!sign(30, "use-9").await);
    assert!(database.passkey_of_credential("use").await.unwrap().is_none());
}

async fn factors(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let ada = account(place, "passkey-codes-ada@example.com").await;
    let (_, kept) = session(place, &ada, true, 1).await;
    let at = (kept.id.as_str(), 2);
    let codes = || async { database.recovery_codes(&ada.id).await.unwrap() };
    let code = [RecoveryCode::generate().unwrap()];
    let add = async |id: &str| {
        database.add_passkey(new(&ada.id, id), &code, challenge(id), at).await.unwrap();
        database.passkey_of_credential(id).await.unwrap().unwrap().0
    };
    // An account with a passkey has recovery codes but no authenticator app. An app code is wrong and doesn't
    // count.
    let passkey = add("codes-1").await;
    for _ in 0..30 {
        let used = database.use_code(&ada.id, "000000", &keyring, 2).await.unwrap();
        assert_eq!(used, docwright_storage::database::CodeUse::Wrong);
    }
    assert_eq!(codes().await, 1);
    assert!(database.remove_passkey(&ada.id, &passkey.id).await.unwrap());
    assert_eq!((codes().await, database.has_second_factor(&ada.id).await.unwrap()), (0, false));
    // With both factors, the codes stay until the last factor is removed.
    let secret = TotpSecret::generate().unwrap();
    let both = (&secret, 0, code.as_slice());
    let passkey = add("codes-2").await;
    assert!(database.turn_on_totp(&ada.id, both, &keyring, at).await.unwrap());
    assert!(database.turn_off_totp(&ada.id).await.unwrap());
    assert_eq!(codes().await, 1);
    assert!(database.turn_on_totp(&ada.id, both, &keyring, at).await.unwrap());
    assert!(database.remove_passkey(&ada.id, &passkey.id).await.unwrap());
    assert_eq!(codes().await, 1);
    add("codes-3").await;
    // An operator removes all factors and sessions.
    assert!(database.remove_second_factors(&ada.id).await.unwrap());
    assert!(!database.has_second_factor(&ada.id).await.unwrap() && codes().await == 0);
    assert!(database.sessions(&ada.id, 2).await.unwrap().is_empty());
    let (_, _again) = session(place, &ada, true, 3).await;
    assert!(!database.remove_second_factors(&ada.id).await.unwrap());
    assert_eq!(
        database.sessions(&ada.id, 3).await.unwrap().len(),
        1,
        "sessions stay if no factor was removed"
    );
}
