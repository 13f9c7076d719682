//! The client of a request before its caller is known: what the face read from the request.

use std::net::IpAddr;

use docwright_storage::{
    Database,
    database::{Actor, ActorKind},
};
use docwright_types::{network::network, token::Token};

use crate::{Operations, audit::Change};

/// The client of a request.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its address.
    pub address: Option<IpAddr>,
    /// Its program, as that names itself.
    pub user_agent: String,
    /// The ID of the request.
    pub request_id: String,
    /// The token of its session.
    pub session: Option<Token>,
}

impl Client {
    /// Its network, by which attempts are counted.
    pub fn network(&self) -> Option<IpAddr> {
        self.address.map(network)
    }

    /// The name of its network: networks take turns with password checks.
    pub fn party(&self) -> String {
        self.network().map(|network| network.to_string()).unwrap_or_default()
    }

    /// Its address as sessions and the audit log store it.
    pub fn address_text(&self) -> Option<String> {
        self.address.map(|address| address.to_canonical().to_string())
    }

    /// The database, which writes the entry of a change that a person makes to their own account, by ID and email
    /// address. The ID is empty for a person who is creating an account.
    pub fn recording(
        &self,
        operations: &Operations,
        (id, email): (&str, &str),
        change: Change,
    ) -> Database {
        let actor = Actor { kind: ActorKind::Account, id: id.to_owned(), name: email.to_owned() };
        change.recording(operations, actor, (self.address_text(), self.request_id.clone()))
    }
}
