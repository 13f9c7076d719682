//! Second factors: each code works once, and wrong codes count.

use docwright_storage::{
    Keyring,
    database::{
        ATTEMPTS, Account, CODES_AN_HOUR, CodeUse, Invited, NewAccount, NewInvitation, NewSession,
        Session,
    },
};
use docwright_types::{
    account::Email,
    timestamp::{HOUR, MINUTE},
    token::Token,
    totp::{RecoveryCode, TotpSecret},
};

use docwright_testing::database::TestDatabase;

/// Codes of this secret at 59 and 1,111,111,109 seconds, from appendix B of RFC 6238.
const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const FIRST: (i64, &str) = (59_000, "287082");
const LATER: (i64, &str) = (1_111_111_109_000, "081804");

pub(crate) async fn conform(place: &TestDatabase) {
    codes(place).await;
    recovery(place).await;
    sessions(place).await;
}

pub(crate) async fn account(place: &TestDatabase, email: &str) -> Account {
    let database = &place.database;
    let organization = database.create_organization(email, docwright_types::plan::Plan::Free, 1);
    let organization = organization.await.unwrap();
    let email: Email = email.parse().unwrap();
    let invitation = NewInvitation {
        organization_id: &organization.id,
        email: &email,
        role: docwright_types::account::Role::Viewer,
        invited_by: "T",
        expires_at: 1000,
    };
    let Invited::Asked(_, token) = database.invite(&invitation, 1).await.unwrap() else {
        panic!("expected an invitation");
    };
    let new = NewAccount { email: email.clone(), name: "A".to_owned(), password: None };
    database.accept_invitation(&token, Err(&new), 2).await.unwrap().unwrap().1
}

pub(crate) async fn session(
    place: &TestDatabase,
    account: &Account,
    complete: bool,
    now: i64,
) -> (Token, Session) {
    let database = &place.database;
    let new = NewSession {
        account_id: &account.id,
        complete,
        address: None,
        user_agent: "T",
        lifetime: HOUR,
    };
    let token = database.create_session(&new, now).await.unwrap();
    let (session, _) = database.session(&token, now).await.unwrap().unwrap();
    (token, session)
}

async fn codes(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let ada = account(place, "factors-ada@example.com").await;
    let bob = account(place, "factors-bob@example.com").await;
    let (own, _) = session(place, &ada, true, 1).await;
    let (other, _) = session(place, &ada, true, 1).await;
    let (waiting, _) = session(place, &ada, false, 1).await;
    let (bobs, _) = session(place, &bob, true, 1).await;
    let (kept, _) = database.session(&own, 2).await.unwrap().unwrap();
    let secret = TotpSecret::parse(SECRET).unwrap();
    let new = (&secret, 0, [].as_slice());
    assert!(!database.has_second_factor(&ada.id).await.unwrap());
    assert!(database.turn_on_totp(&ada.id, new, &keyring, (&kept.id, 2)).await.unwrap());
    assert!(!database.turn_on_totp(&ada.id, new, &keyring, (&kept.id, 2)).await.unwrap());
    assert!(database.has_second_factor(&ada.id).await.unwrap());
    assert!(!database.has_second_factor(&bob.id).await.unwrap());
    assert!(database.session(&own, 2).await.unwrap().is_some());
    assert!(database.session(&bobs, 2).await.unwrap().is_some());
    for ended in [other, waiting] {
        assert!(
            database.session(&ended, 2).await.unwrap().is_none(),
            "the session had no second factor"
        );
    }
    let plain = format!("SELECT COUNT(*) FROM totp_factors WHERE secret LIKE '%{SECRET}%'");
    assert_eq!(place.number(&plain).await, 0, "the table holds no plain secret");

    // Of parallel sign-ins with the same code, one succeeds.
    let tries = (0..8).map(|_| database.use_code(&ada.id, FIRST.1, &keyring, FIRST.0));
    let used = futures::future::join_all(tries).await;
    let right = used.iter().filter(|used| *used.as_ref().unwrap() == CodeUse::Right).count();
    assert_eq!(right, 1, "{used:?}");
    let spaced = database.use_code(&ada.id, "081 804", &keyring, LATER.0).await.unwrap();
    assert_eq!(spaced, CodeUse::Right);
    let earlier = database.use_code(&ada.id, FIRST.1, &keyring, FIRST.0).await.unwrap();
    assert_eq!(earlier, CodeUse::Wrong, "a clock that goes back restores no code");

    // Wrong codes count exactly, also in parallel.
    let now = LATER.0 + HOUR;
    let tries =
        (0..CODES_AN_HOUR + 10).map(|_| database.use_code(&ada.id, "000000", &keyring, now));
    let used = futures::future::join_all(tries).await;
    let heard = used.iter().filter(|used| *used.as_ref().unwrap() == CodeUse::Wrong).count();
    assert_eq!(heard, usize::try_from(CODES_AN_HOUR - 1).unwrap(), "the earlier code counts, too");
    let at = |now: i64| database.use_code(&ada.id, "000000", &keyring, now);
    assert_eq!(at(now).await.unwrap(), CodeUse::TooMany);
    assert_eq!(at(now + 1).await.unwrap(), CodeUse::Wrong, "an hour after the first code");

    // The secret is bound to its account and still works after a change of the root secret.
    let both = format!("{},{}", "0b".repeat(32), "0a".repeat(32));
    database.reencrypt(&Keyring::parse(&both).unwrap()).await.unwrap();
    let new = Keyring::parse(&"0b".repeat(32)).unwrap();
    assert!(database.use_code(&ada.id, "000000", &keyring, now).await.is_err());
    assert_eq!(database.use_code(&ada.id, "000000", &new, now).await.unwrap(), CodeUse::Wrong);
    place.execute(&format!("UPDATE totp_factors SET account_id = '{}'", bob.id)).await;
    assert!(database.use_code(&bob.id, "000000", &new, now).await.is_err());
    assert!(database.turn_off_totp(&bob.id).await.unwrap());
    assert!(!database.turn_off_totp(&bob.id).await.unwrap());
}

async fn recovery(place: &TestDatabase) {
    let database = &place.database;
    let keyring = Keyring::parse(&"0a".repeat(32)).unwrap();
    let ada = account(place, "recovery-ada@example.com").await;
    let bob = account(place, "recovery-bob@example.com").await;
    let codes: Vec<_> = (0..10).map(|_| RecoveryCode::generate().unwrap()).collect();
    let secret = TotpSecret::parse(SECRET).unwrap();
    database.turn_on_totp(&ada.id, (&secret, 0, &codes), &keyring, ("", 1)).await.unwrap();
    let used = |account: &Account, code: &RecoveryCode| {
        let (id, code) = (account.id.clone(), code.reveal());
        let keyring = keyring.clone();
        async move { database.use_code(&id, &code, &keyring, 1).await.unwrap() }
    };
    assert_eq!(used(&bob, &codes[0]).await, CodeUse::Wrong, "the code belongs to another account");
    let tries = (0..8).map(|_| used(&ada, &codes[0]));
    let tried = futures::future::join_all(tries).await;
    assert_eq!(tried.iter().filter(|used| **used == CodeUse::Right).count(), 1);
    assert_eq!(database.recovery_codes(&ada.id).await.unwrap(), 9);
    for _ in 0..CODES_AN_HOUR {
        database.use_code(&ada.id, "000000", &keyring, 1).await.unwrap();
    }
    let app = database.use_code(&ada.id, "000000", &keyring, 1).await.unwrap();
    assert_eq!(app, CodeUse::TooMany);
    assert_eq!(used(&ada, &codes[1]).await, CodeUse::Right, "guessing doesn't lock the owner out");
    let new = [RecoveryCode::generate().unwrap()];
    database.replace_recovery_codes(&ada.id, &new).await.unwrap();
    assert_eq!(used(&ada, &codes[2]).await, CodeUse::Wrong);
    assert_eq!(used(&ada, &new[0]).await, CodeUse::Right);
}

async fn sessions(place: &TestDatabase) {
    let database = &place.database;
    let ada = account(place, "waiting-ada@example.com").await;
    let (token, waiting) = session(place, &ada, false, 0).await;
    assert!(!waiting.complete);
    assert_eq!(waiting.expires_at, 10 * MINUTE);
    assert!(database.session(&token, 10 * MINUTE).await.unwrap().is_none(), "sessions expire");
    assert!(database.complete_session(&waiting, 10 * MINUTE).await.unwrap().is_none());
    assert_eq!(database.count_attempt(&waiting, 10 * MINUTE).await.unwrap(), None);
    let tries = (0..20).map(|_| database.count_attempt(&waiting, 1));
    let heard = futures::future::join_all(tries).await.into_iter().filter_map(Result::unwrap);
    let mut heard: Vec<_> = heard.collect();
    heard.sort_unstable();
    assert_eq!(heard, (0..ATTEMPTS).collect::<Vec<_>>(), "each attempt counts once");
    let (token, waiting) = session(place, &ada, false, 0).await;
    let new = database.complete_session(&waiting, 5).await.unwrap().unwrap();
    assert!(database.session(&token, 6).await.unwrap().is_none(), "the token was replaced");
    let (complete, _) = database.session(&new, 6).await.unwrap().unwrap();
    assert!(complete.complete && complete.id == waiting.id && complete.expires_at == HOUR + 5);
    assert!(database.complete_session(&waiting, 7).await.unwrap().is_none(), "once");
    assert_eq!(database.count_attempt(&complete, 7).await.unwrap(), None);
}
