//! Maps groups at a provider to roles, at each sign-in.

use std::collections::BTreeMap;

use docwright_storage::database::{Account, PageRequest, Sort};
use docwright_types::account::Role;

use super::{Person, Provider};
use crate::{OperationError, Operations, audit::Change, callers::Client};

/// The highest role that the groups grant, by organization.
pub(super) async fn wanted_roles(
    operations: &Operations,
    provider: &Provider,
    person: &Person,
) -> Result<BTreeMap<String, Role>, OperationError> {
    let database = &operations.database;
    let mut wanted = BTreeMap::new();
    for given in provider.roles_of(&person.groups) {
        let mut found = database.organization(&given.organization).await?;
        if found.is_none() {
            let (name, sort) = (Some(given.organization.as_str()), Sort::default());
            found = database.organizations_page(name, sort, PageRequest::first(1)).await?.pop();
        }
        let Some(organization) = found else {
            tracing::warn!(
                organization = given.organization,
                "--oidc-role names an unknown organization"
            );
            continue;
        };
        let role = wanted.entry(organization.id).or_insert(given.role);
        *role = given.role.max(*role);
    }
    Ok(wanted)
}

/// Gives an account the roles of its groups. Roles that a person assigned stay.
pub(super) async fn follow(
    operations: &Operations,
    provider: &Provider,
    client: &Client,
    (account, person): (&Account, &Person),
) -> Result<(), OperationError> {
    let wanted = wanted_roles(operations, provider, person).await?;
    let before = operations.database.provided_roles(provider.issuer(), &account.id).await?;
    let over = before.into_iter().filter(|(organization, _)| !wanted.contains_key(organization));
    let over: Vec<_> = over.map(|(organization, _)| (organization, None)).collect();
    let actor = (account.id.as_str(), account.email.as_str());
    let wanted = wanted.into_iter().map(|(organization, role)| (organization, Some(role)));
    for (organization, role) in over.into_iter().chain(wanted) {
        let change = Change::of("member.provided", Some(&organization));
        let database = client.recording(operations, actor, change);
        let who = (provider.issuer(), account.id.as_str());
        database.provide_role(who, &organization, role, operations.now()).await?;
    }
    Ok(())
}
