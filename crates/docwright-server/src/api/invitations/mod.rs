//! Invitations to organisations.

pub(super) mod create;
pub(super) mod delete;
mod email;
pub(super) mod list;

use docwright_domain::timestamp::iso;
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::members::Role;

/// Somebody who is asked to join an organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invitation {
    /// Identifier of the invitation.
    #[schema(example = "inv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Who is asked.
    #[schema(example = "ada@example.com")]
    email: String,
    /// What they will be.
    role: Role,
    /// Who asks: an e-mail address, the name of a key, or the shell of the install.
    #[schema(example = "grace@example.com")]
    invited_by: String,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// Until when it can be accepted.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// An invitation.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct InvitationPath {
    /// Identifier of the organisation.
    #[param(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    organization_id: String,
    /// Identifier of the invitation.
    #[param(example = "inv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    invitation_id: String,
}

impl From<database::Invitation> for Invitation {
    fn from(row: database::Invitation) -> Self {
        Self {
            id: row.id,
            email: row.email,
            role: row.role.into(),
            invited_by: row.invited_by,
            created_at: iso(row.created_at),
            expires_at: iso(row.expires_at),
        }
    }
}
