//! The audit log.

use docwright_operations::{
    Listed,
    audit_log::{self, AuditEntry, AuditLog, ListAuditEntries},
};

use super::{Client, command_error, read_list};

impl Client {
    pub(in crate::commands::admin) async fn list_audit_entries(
        &self,
        filter: &ListAuditEntries,
        length: usize,
    ) -> anyhow::Result<Vec<AuditEntry>> {
        read_list(length, async |page| {
            let AuditLog { entries, next_cursor } = match self {
                Self::Local(local) => {
                    let (caller, page) = (local.caller()?, page.page()?);
                    let listed = audit_log::list(&local.operations, &caller, filter, &page).await;
                    listed.map_err(command_error)?
                }
                Self::Remote(remote) => remote.list("/v1/audit", filter, page).await?,
            };
            Ok(Listed { items: entries, next_cursor })
        })
        .await
    }
}
