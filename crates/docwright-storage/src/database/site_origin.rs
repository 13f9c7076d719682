//! Where readers open the sites of the instance, and the addresses of releases.

use docwright_types::site_origin::SiteOrigin;
use sqlx::{Any, Row, Transaction, any::AnyRow};

use super::Database;
use crate::StorageError;

const READ: &str = "SELECT scheme, port FROM site_origin";

impl Database {
    /// Records the origin of sites from now on. Releases requested before the first service start get their
    /// addresses. Writes only changes: a service can start while another holds the write lock of SQLite.
    pub async fn record_site_origin(&self, origin: SiteOrigin) -> Result<(), StorageError> {
        if self.site_origin().await? == Some(origin) {
            return Ok(());
        }
        let mut transaction = self.pool.begin().await?;
        sqlx::query(
            "INSERT INTO site_origin (id, scheme, port) VALUES (1, $1, $2) \
             ON CONFLICT (id) DO UPDATE SET scheme = excluded.scheme, port = excluded.port",
        )
        .bind(origin.scheme())
        .bind(origin.port().map(i32::from))
        .execute(&mut *transaction)
        .await?;
        let sql = "SELECT releases.id, domain FROM releases JOIN sites ON sites.id = site_id \
             WHERE releases.status = 'queued' AND releases.address IS NULL";
        for row in sqlx::query(sql).fetch_all(&mut *transaction).await? {
            let (id, domain): (String, String) = (row.try_get("id")?, row.try_get("domain")?);
            sqlx::query("UPDATE releases SET address = $1 WHERE id = $2")
                .bind(origin.address(&domain))
                .bind(id)
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The origin of sites; `None` if no service has started yet.
    pub async fn site_origin(&self) -> Result<Option<SiteOrigin>, StorageError> {
        sqlx::query(READ).fetch_optional(&self.pool).await?.as_ref().map(read).transpose()
    }
}

/// The address of a new release of a site.
pub(super) async fn address_of_site(
    transaction: &mut Transaction<'_, Any>,
    site_id: &str,
) -> Result<Option<String>, StorageError> {
    let Some(origin) = origin(transaction).await? else { return Ok(None) };
    let query = sqlx::query("SELECT domain FROM sites WHERE id = $1").bind(site_id);
    let domain: String = query.fetch_one(&mut **transaction).await?.try_get("domain")?;
    Ok(Some(origin.address(&domain)))
}

/// The origin of sites, within a transaction.
pub(super) async fn origin(
    transaction: &mut Transaction<'_, Any>,
) -> Result<Option<SiteOrigin>, StorageError> {
    sqlx::query(READ).fetch_optional(&mut **transaction).await?.as_ref().map(read).transpose()
}

fn read(row: &AnyRow) -> Result<SiteOrigin, StorageError> {
    let scheme: String = row.try_get("scheme")?;
    let port: Option<i32> = row.try_get("port")?;
    let port = port.map(u16::try_from).transpose();
    Ok(SiteOrigin::new(&scheme, port.map_err(|error| StorageError::Value(error.to_string()))?))
}
