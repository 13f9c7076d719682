//! Callers who are signed in.

use std::net::IpAddr;

use docwright_storage::database::{Account, Organization};
use docwright_types::{account::Role, key::Scope};

use super::{Caller, Principal};

/// Someone who is signed in to the dashboard, in an organization that they belong to.
#[derive(Debug, Clone)]
pub struct Member {
    /// Their account.
    pub account: Account,
    /// The organization; `None` for operators.
    pub organization: Option<Organization>,
    /// The scope of their role.
    pub scope: Scope,
    /// Where their browser is.
    pub address: Option<IpAddr>,
}

impl Member {
    /// Someone who is signed in, by their role in an organization. Operators are operators wherever they are;
    /// `None` for others without an organization.
    pub fn new(
        account: Account,
        membership: Option<(Organization, Role)>,
        address: Option<IpAddr>,
    ) -> Option<Self> {
        if account.is_operator {
            return Some(Self { account, organization: None, scope: Scope::Operator, address });
        }
        let (organization, role) = membership?;
        Some(Self { account, organization: Some(organization), scope: role.scope(), address })
    }

    /// The member as the caller of a request.
    pub fn caller(&self, request_id: &str) -> Caller {
        Caller {
            organization: self.organization.clone(),
            principal: Principal::Member(Box::new(self.clone())),
            address: self.address,
            request_id: request_id.to_owned(),
        }
    }
}
