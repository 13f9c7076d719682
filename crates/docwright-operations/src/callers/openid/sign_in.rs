//! The account of a person whom a provider identified.

use docwright_storage::{
    StorageError,
    database::{Account, IdentityLink, NewAccount},
};
use docwright_types::account::{Email, is_name};

use super::{
    OpenIdError, Person, Provider, SignInFlow,
    groups::{self, wanted_roles},
};
use crate::{
    OperationError, Operations,
    audit::Change,
    callers::{Client, sessions},
};

/// What the provider sent back with a browser.
#[derive(Debug, Clone, Copy)]
pub struct ProviderAnswer<'a> {
    /// The code for the provider's tokens.
    pub code: &'a str,
    /// The provider's error, if it didn't identify anyone.
    pub error: Option<&'a str>,
}

/// Why a sign-in with a provider failed.
#[derive(Debug)]
pub enum OpenIdRefusal {
    /// The provider didn't identify anyone, or can't be trusted.
    Provider(OpenIdError),
    /// The provider hasn't verified the email address.
    EmailUnverified,
    /// The person has no account, and none of their groups grants a role.
    NoGroup,
    /// The account of the email address belongs to another person at the provider.
    AccountTaken(Email),
    /// The account of this email address has a password, which its owner must enter once before it is linked.
    PasswordFirst(Email),
    /// Other sign-ins changed the account at the same time, again and again.
    Changing,
}

/// The account of the person who comes back from a provider, with the roles of their groups.
pub async fn sign_in(
    operations: &Operations,
    provider: &Provider,
    client: &Client,
    (flow, answer): (&SignInFlow, ProviderAnswer<'_>),
) -> Result<Result<Account, OpenIdRefusal>, OperationError> {
    if let Some(error) = answer.error {
        let error = OpenIdError::Unproven(provider.name(), format!("it answered {error}"));
        return Ok(Err(OpenIdRefusal::Provider(error)));
    }
    let person = match provider.person(answer.code, flow.secrets()).await {
        Ok(person) => person,
        Err(error) => return Ok(Err(OpenIdRefusal::Provider(error))),
    };
    let account = match account(operations, provider, client, &person).await? {
        Ok(account) => account,
        Err(why) => return Ok(Err(why)),
    };
    groups::follow(operations, provider, client, (&account, &person)).await?;
    Ok(Ok(account))
}

/// The account of a person: the account linked to the identity, else the account with the person's verified email
/// address, else a new one if the groups grant a role.
async fn account(
    operations: &Operations,
    provider: &Provider,
    client: &Client,
    person: &Person,
) -> Result<Result<Account, OpenIdRefusal>, OperationError> {
    let identity = (provider.issuer(), person.subject.as_str());
    // Another sign-in at the same time can create or link the account. Then everything is read again.
    for _ in 0..2 {
        if let Some(known) = operations.database.account_of_identity(identity.0, identity.1).await?
        {
            return Ok(Ok(known));
        }
        let Some(email) = &person.verified_email else {
            return Ok(Err(OpenIdRefusal::EmailUnverified));
        };
        let linked = match operations.database.account_of_email(email).await? {
            Some((account, password)) => {
                let known = (&account, password.is_some());
                match link(operations, client, identity, known).await? {
                    Some(link) => link,
                    None => return Ok(Err(OpenIdRefusal::PasswordFirst(email.clone()))),
                }
            }
            None if wanted_roles(operations, provider, person).await?.is_empty() => {
                return Ok(Err(OpenIdRefusal::NoGroup));
            }
            None => {
                let name = person.name.clone().filter(|name| is_name(name.trim()));
                let name = name.unwrap_or_else(|| email.to_string());
                let new = NewAccount { email: email.clone(), name, password: None };
                let change = Change::of("account.create", None);
                let database = client.recording(operations, ("", email.as_str()), change);
                match database.link_identity(identity, Err(&new), operations.now()).await {
                    Err(StorageError::Exists(_)) => continue,
                    link => link?,
                }
            }
        };
        match linked {
            IdentityLink::Linked(account) => return Ok(Ok(account)),
            IdentityLink::AlreadyLinked => {}
            IdentityLink::AccountTaken => {
                return Ok(Err(OpenIdRefusal::AccountTaken(email.clone())));
            }
        }
    }
    Ok(Err(OpenIdRefusal::Changing))
}

/// Links the account of an email address to the current user of the address. An account that already has an
/// identity of the provider keeps it: a mailbox can pass to another person, a subject can't. If the account has a
/// password, the user must enter it once, since someone else might have used the invitation; then it is `None`.
async fn link(
    operations: &Operations,
    client: &Client,
    identity: (&str, &str),
    (account, has_password): (&Account, bool),
) -> Result<Option<IdentityLink>, OperationError> {
    if operations.database.has_identity(&account.id, identity.0).await? {
        return Ok(Some(IdentityLink::AccountTaken));
    }
    let here = sessions::find(operations, client).await?.filter(|(session, _)| session.complete);
    let is_here = here.is_some_and(|(_, here)| here.id == account.id);
    if has_password && !is_here {
        return Ok(None);
    }
    let actor = (account.id.as_str(), account.email.as_str());
    let database = client.recording(operations, actor, Change::of("account.identity", None));
    Ok(Some(database.link_identity(identity, Ok(account), operations.now()).await?))
}
