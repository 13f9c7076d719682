//! Certificates of hosts, the account that orders them, and the answers to challenges of the certificate
//! authority.
//!
//! One node orders at a time, under a lease that uses the database's clock; every write of an order names the
//! lease. Private keys are encrypted.

use std::fmt;

use docwright_types::timestamp::{HOUR, Timestamp};
use sqlx::{AssertSqlSafe, Row, any::AnyRow};

use super::{Database, retention::placeholders};
use crate::{Keyring, StorageError, keyring::Encrypted};

/// Orders of an instance per hour.
const ORDERS_AN_HOUR: i64 = 60;

/// A certificate with its key, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    /// The certificate, and those of its issuers.
    pub chain: String,
    /// Its private key.
    pub private_key: String,
}

impl fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Certificate")
    }
}

/// Identifies one certificate of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateVersion {
    /// The host.
    pub host: String,
    /// When it was issued.
    pub issued_at: Timestamp,
}

/// State of the certificate of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateState {
    /// The host.
    pub host: String,
    /// When its certificate expires.
    pub expires_at: Option<Timestamp>,
    /// Consecutive failed orders.
    pub failures: i64,
    /// The error of the last order.
    pub problem: Option<String>,
}

/// The turn to order a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateOrder {
    /// The host of the order.
    pub host: String,
    /// Consecutive failed orders for it.
    pub failures: i64,
    /// The number of the turn.
    number: i64,
}

/// Condition that the turn is still held.
const HELD: &str = "EXISTS (SELECT 1 FROM certificate_turn WHERE id = 1 AND number = $1)";

impl Database {
    /// Requests certificates for every host that has a site at its root, for some requested hosts, and for the
    /// service itself. Hosts of this machine get none. Certificates of hosts without domains are removed.
    pub async fn want_certificates(
        &self,
        own: Option<&str>,
        asked: &[String],
        now: Timestamp,
    ) -> Result<(), StorageError> {
        const INSERT: &str = "INSERT INTO certificates (host, order_after, failures)";
        let sql = format!(
            "{INSERT} SELECT host, $1, 0 FROM domains WHERE name = host AND host NOT LIKE '%.localhost' \
             ON CONFLICT (host) DO NOTHING"
        );
        sqlx::query(AssertSqlSafe(sql)).bind(now).execute(&self.pool).await?;
        // Clients request any host. An unknown host costs a read, and no write.
        let known = "SELECT 1 FROM hosts WHERE name = $1 AND name NOT LIKE '%.localhost' \
             AND NOT EXISTS (SELECT 1 FROM certificates WHERE certificates.host = hosts.name)";
        let sql = format!("{INSERT} VALUES ($2, $1, 0) ON CONFLICT (host) DO NOTHING");
        for host in asked {
            if sqlx::query(known).bind(host).fetch_optional(&self.pool).await?.is_some() {
                let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(now).bind(host);
                query.execute(&self.pool).await?;
            }
        }
        if let Some(own) = own {
            let sql = format!("{INSERT} VALUES ($1, $2, 0) ON CONFLICT (host) DO NOTHING");
            let query = sqlx::query(AssertSqlSafe(sql)).bind(own).bind(now);
            query.execute(&self.pool).await?;
        }
        let sql = "DELETE FROM certificates WHERE host <> $1 \
             AND NOT EXISTS (SELECT 1 FROM hosts WHERE hosts.name = certificates.host)";
        sqlx::query(sql).bind(own.unwrap_or_default()).execute(&self.pool).await?;
        Ok(())
    }

    /// Takes the turn to order for a time, with the host that has waited longest. `None` if no host waits, another
    /// node has the turn, or the hourly limit of orders is reached.
    pub async fn order_certificate(
        &self,
        milliseconds: i64,
        now: Timestamp,
    ) -> Result<Option<CertificateOrder>, StorageError> {
        let sql = "SELECT host, failures FROM certificates WHERE order_after <= $1 \
             AND (SELECT COUNT(*) FROM certificates WHERE ordered_at > $2) < $3 ORDER BY order_after LIMIT 1";
        let waiting = sqlx::query(sql).bind(now).bind(now - HOUR).bind(ORDERS_AN_HOUR);
        let Some(waiting) = waiting.fetch_optional(&self.pool).await? else { return Ok(None) };
        let host: String = waiting.try_get("host")?;
        let clock = self.clock();
        let sql = format!(
            "UPDATE certificate_turn SET number = number + 1, expires_at = {clock} + $1 \
             WHERE id = 1 AND expires_at <= {clock} RETURNING number"
        );
        let mut transaction = self.begin().await?;
        let turn = sqlx::query(AssertSqlSafe(sql)).bind(milliseconds);
        let Some(turn) = turn.fetch_optional(&mut *transaction).await? else { return Ok(None) };
        // The previous holder of the turn might have ordered for this host by now.
        let sql = "UPDATE certificates SET ordered_at = $1 WHERE host = $2 AND order_after <= $1";
        let ordered = sqlx::query(sql).bind(now).bind(&host).execute(&mut *transaction).await?;
        if ordered.rows_affected() == 0 {
            transaction.rollback().await?;
            return Ok(None);
        }
        transaction.commit().await?;
        let (number, failures) = (turn.try_get("number")?, waiting.try_get("failures")?);
        Ok(Some(CertificateOrder { host, failures, number }))
    }

    /// Ends a failed order; the next one for this host starts at a time. Returns `false` if the turn had ended.
    pub async fn fail_certificate(
        &self,
        order: &CertificateOrder,
        problem: &str,
        next: Timestamp,
    ) -> Result<bool, StorageError> {
        let sql = format!(
            "UPDATE certificates SET failures = failures + 1, problem = $2, order_after = $3, problem_since = COALESCE(problem_since, ordered_at) \
             WHERE host = $4 AND {HELD}"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(order.number).bind(problem);
        let ended = query.bind(next).bind(&order.host).execute(&self.pool).await?;
        self.end_turn(order).await?;
        Ok(ended.rows_affected() == 1)
    }

    /// Ends an order with a certificate that was just issued. `false` if the turn was over.
    pub async fn store_certificate(
        &self,
        order: &CertificateOrder,
        (certificate, keyring): (&Certificate, &Keyring),
        (expires_at, order_after): (Timestamp, Timestamp),
        now: Timestamp,
    ) -> Result<bool, StorageError> {
        let key = keyring.encrypt(&context(&order.host), &certificate.private_key)?;
        let sql = format!(
            "UPDATE certificates SET chain = $2, private_key = $3, key_id = $4, issued_at = $5, expires_at = $6, \
             order_after = $7, failures = 0, problem = NULL, problem_since = NULL WHERE host = $8 AND {HELD}"
        );
        let stored = sqlx::query(AssertSqlSafe(sql))
            .bind(order.number)
            .bind(&certificate.chain)
            .bind(&key.text)
            .bind(&key.key_id)
            .bind(now)
            .bind(expires_at)
            .bind(order_after)
            .bind(&order.host)
            .execute(&self.pool)
            .await?;
        self.end_turn(order).await?;
        Ok(stored.rows_affected() == 1)
    }

    /// Ends an order that was not placed; the next one for this host starts at a time.
    pub async fn skip_certificate(
        &self,
        order: &CertificateOrder,
        next: Timestamp,
    ) -> Result<(), StorageError> {
        let sql = format!("UPDATE certificates SET order_after = $2 WHERE host = $3 AND {HELD}");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(order.number).bind(next);
        query.bind(&order.host).execute(&self.pool).await?;
        self.end_turn(order).await
    }

    async fn end_turn(&self, order: &CertificateOrder) -> Result<(), StorageError> {
        let sql = "UPDATE certificate_turn SET expires_at = 0 WHERE id = 1 AND number = $1";
        sqlx::query(sql).bind(order.number).execute(&self.pool).await?;
        Ok(())
    }

    /// All certificates.
    pub async fn certificate_versions(&self) -> Result<Vec<CertificateVersion>, StorageError> {
        let sql = "SELECT host, issued_at FROM certificates WHERE chain IS NOT NULL";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| {
            Ok(CertificateVersion {
                host: row.try_get("host")?,
                issued_at: row.try_get("issued_at")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// The certificate of a host.
    pub async fn certificate(
        &self,
        host: &str,
        keyring: &Keyring,
    ) -> Result<Option<Certificate>, StorageError> {
        let sql = "SELECT chain, private_key, key_id FROM certificates WHERE host = $1 AND chain IS NOT NULL";
        let row = sqlx::query(sql).bind(host).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        let key = Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("private_key")? };
        let private_key = keyring.decrypt(&context(host), &key)?;
        Ok(Some(Certificate { chain: row.try_get("chain")?, private_key }))
    }

    /// States of some or all hosts that have a certificate or wait for one.
    pub async fn certificate_states(
        &self,
        hosts: Option<&[&str]>,
    ) -> Result<Vec<CertificateState>, StorageError> {
        let among = match hosts {
            Some([]) => return Ok(Vec::new()),
            Some(hosts) => format!("WHERE host IN ({}) ", placeholders(1, hosts.len())),
            None => String::new(),
        };
        let sql = format!(
            "SELECT host, expires_at, failures, problem FROM certificates {among}ORDER BY host"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for host in hosts.unwrap_or_default() {
            query = query.bind(*host);
        }
        let rows = query.fetch_all(&self.pool).await?;
        let read = |row: &sqlx::any::AnyRow| {
            Ok(CertificateState {
                host: row.try_get("host")?,
                expires_at: row.try_get("expires_at")?,
                failures: row.try_get("failures")?,
                problem: row.try_get("problem")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// The account at the certificate authority, if there is one.
    pub async fn acme_account(
        &self,
        directory: &str,
        keyring: &Keyring,
    ) -> Result<Option<String>, StorageError> {
        let sql = "SELECT credentials, key_id FROM acme_accounts WHERE directory = $1";
        let row = sqlx::query(sql).bind(directory).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(None) };
        let encrypted =
            Encrypted { key_id: row.try_get("key_id")?, text: row.try_get("credentials")? };
        Ok(Some(keyring.decrypt(&account(directory), &encrypted)?))
    }

    /// Stores the account at the certificate authority. It replaces an account that the authority no longer knows.
    pub async fn set_acme_account(
        &self,
        directory: &str,
        credentials: &str,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let encrypted = keyring.encrypt(&account(directory), credentials)?;
        let sql = "INSERT INTO acme_accounts (directory, credentials, key_id, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (directory) DO UPDATE SET credentials = $2, key_id = $3, created_at = $4";
        let query = sqlx::query(sql).bind(directory).bind(&encrypted.text).bind(&encrypted.key_id);
        query.bind(now).execute(&self.pool).await?;
        Ok(())
    }

    /// Stores the answer of a host to a challenge of the certificate authority. Answers from before a time are
    /// removed.
    pub async fn add_acme_challenge(
        &self,
        (token, host, answer): (&str, &str, &str),
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let query = sqlx::query("DELETE FROM acme_challenges WHERE created_at < $1");
        query.bind(now - HOUR).execute(&self.pool).await?;
        let sql = "INSERT INTO acme_challenges (token, host, answer, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (token) DO UPDATE SET answer = $3, created_at = $4";
        let query = sqlx::query(sql).bind(token).bind(host).bind(answer).bind(now);
        query.execute(&self.pool).await?;
        Ok(())
    }

    /// The answer of a host to a challenge of the certificate authority.
    pub async fn acme_answer(
        &self,
        host: &str,
        token: &str,
    ) -> Result<Option<String>, StorageError> {
        let sql = "SELECT answer FROM acme_challenges WHERE token = $1 AND host = $2";
        let row = sqlx::query(sql).bind(token).bind(host).fetch_optional(&self.pool).await?;
        row.map(|row| Ok(row.try_get("answer")?)).transpose()
    }

    /// Encrypts private keys and accounts that don't use the newest key. Returns how many there were.
    pub async fn reencrypt_certificates(&self, keyring: &Keyring) -> Result<u64, StorageError> {
        let select =
            "SELECT host AS id, private_key AS secret, key_id FROM certificates WHERE key_id <> $1";
        let update = "UPDATE certificates SET private_key = $1, key_id = $2 WHERE host = $3 AND private_key = $4";
        let of_host = |row: &AnyRow| Ok(context(row.try_get("id")?));
        let certificates = self.reencrypt_rows(keyring, (select, update), of_host).await?;
        let select = "SELECT directory AS id, credentials AS secret, key_id FROM acme_accounts WHERE key_id <> $1";
        let update = "UPDATE acme_accounts SET credentials = $1, key_id = $2 WHERE directory = $3 AND credentials = $4";
        let of_account = |row: &AnyRow| Ok(account(row.try_get("id")?));
        let accounts = self.reencrypt_rows(keyring, (select, update), of_account).await?;
        Ok(certificates + accounts)
    }
}

fn context(host: &str) -> String {
    format!("certificate\n{host}")
}

fn account(directory: &str) -> String {
    format!("acme account\n{directory}")
}
