//! Orders certificates (RFC 8555).

use std::{fmt, time::Duration};

use anyhow::anyhow;
use docwright_jobs::clock::Clock;
use docwright_storage::{Database, Keyring, StorageError, database::Certificate};
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, ChallengeType, Error, Identifier, NewAccount,
    NewOrder, Order, OrderStatus, Problem, RetryPolicy,
};

use super::settings::TlsSettings;

/// How long an order can take.
pub(super) const ORDER_TIME: Duration = Duration::from_secs(90);
/// How an order is polled until then: immediately, then after longer and longer waits. Authorities check a host
/// from several places, which takes some seconds, and more when they are busy.
const POLLS: RetryPolicy =
    RetryPolicy::new().initial_delay(Duration::from_millis(500)).backoff(1.1).timeout(ORDER_TIME);
/// Longest error that is stored, in characters.
const LONGEST: usize = 500;

/// A certificate authority, and the account there.
pub(super) struct Acme {
    directory: String,
    contact: String,
    ca: Option<std::path::PathBuf>,
    database: Database,
    keyring: Keyring,
    clock: Clock,
}

impl fmt::Debug for Acme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Acme({})", self.directory)
    }
}

/// Why an order failed.
#[derive(Debug)]
pub(super) enum OrderError {
    /// The certificate authority refused, because of the host.
    Refused(String),
    /// The authority did not respond.
    Away(anyhow::Error),
}

impl From<Error> for OrderError {
    fn from(error: Error) -> Self {
        match error {
            Error::Api(problem) if problem.status != Some(500) => Self::Refused(sentence(&problem)),
            other => Self::Away(other.into()),
        }
    }
}

impl From<StorageError> for OrderError {
    fn from(error: StorageError) -> Self {
        Self::Away(error.into())
    }
}

impl Acme {
    /// From the settings.
    pub(super) fn new(
        settings: &TlsSettings,
        contact: &str,
        (database, keyring, clock): (Database, Keyring, Clock),
    ) -> Self {
        let (directory, ca) = (settings.acme_directory.to_string(), settings.acme_ca.clone());
        Self { directory, contact: format!("mailto:{contact}"), ca, database, keyring, clock }
    }

    /// Orders a certificate for a host.
    pub(super) async fn order(&self, host: &str) -> Result<Certificate, OrderError> {
        let ordered = tokio::time::timeout(ORDER_TIME, self.try_order(host)).await;
        ordered.unwrap_or_else(|_| Err(OrderError::Away(anyhow!("it took too long"))))
    }

    async fn try_order(&self, host: &str) -> Result<Certificate, OrderError> {
        let identifiers = [Identifier::Dns(host.to_owned())];
        let new = NewOrder::new(&identifiers);
        let mut order = match self.account().await?.new_order(&new).await {
            Err(Error::Api(problem)) if is_unknown(&problem) => {
                self.new_account().await?.new_order(&new).await?
            }
            other => other?,
        };
        self.answer_challenges(host, &mut order).await?;
        if order.poll_ready(&POLLS).await? != OrderStatus::Ready {
            return Err(OrderError::Refused(reason(&mut order).await?));
        }
        let private_key = order.finalize().await?;
        let chain = order.poll_certificate(&POLLS).await?;
        Ok(Certificate { chain, private_key })
    }

    async fn answer_challenges(&self, host: &str, order: &mut Order) -> Result<(), OrderError> {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let Some(mut challenge) = authorization.challenge(ChallengeType::Http01) else {
                let why = "the certificate authority offers no challenge over HTTP";
                return Err(OrderError::Refused(why.to_owned()));
            };
            let answer = challenge.key_authorization();
            let kept = (challenge.token.as_str(), host, answer.as_str());
            self.database.add_acme_challenge(kept, self.clock.now()).await?;
            challenge.set_ready().await?;
        }
        Ok(())
    }

    /// The account, created on first use, or again if the authority no longer knows it.
    async fn account(&self) -> Result<Account, OrderError> {
        let known = self.database.acme_account(&self.directory, &self.keyring).await?;
        if let Some(known) = known
            && let Ok(credentials) = serde_json::from_str(&known)
        {
            return Ok(self.builder()?.from_credentials(credentials).await?);
        }
        self.new_account().await
    }

    /// Creates an account and stores it.
    async fn new_account(&self) -> Result<Account, OrderError> {
        let contact = [self.contact.as_str()];
        let new = NewAccount {
            contact: &contact,
            terms_of_service_agreed: true,
            only_return_existing: false,
        };
        let made = self.builder()?.create(&new, self.directory.clone(), None).await;
        let (account, credentials) = made?;
        let credentials =
            serde_json::to_string(&credentials).map_err(|error| OrderError::Away(error.into()))?;
        let now = self.clock.now();
        let kept =
            self.database.set_acme_account(&self.directory, &credentials, &self.keyring, now);
        kept.await?;
        Ok(account)
    }

    fn builder(&self) -> Result<AccountBuilder, Error> {
        match &self.ca {
            Some(ca) => Account::builder_with_root(ca),
            None => Account::builder(),
        }
    }
}

/// Whether the authority no longer knows the account.
fn is_unknown(problem: &Problem) -> bool {
    problem.r#type.as_deref() == Some("urn:ietf:params:acme:error:accountDoesNotExist")
}

/// Why an order is not ready: the errors of its challenges.
async fn reason(order: &mut Order) -> Result<String, Error> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let state = authorization.refresh().await?;
        let mut problems = state.challenges.iter().filter_map(|challenge| challenge.error.as_ref());
        if let Some(problem) = problems.next() {
            return Ok(sentence(problem));
        }
    }
    Ok("the certificate authority gives no reason".to_owned())
}

fn sentence(problem: &Problem) -> String {
    let text =
        problem.detail.as_deref().or(problem.r#type.as_deref()).unwrap_or("no reason is given");
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(LONGEST)
        .collect()
}
