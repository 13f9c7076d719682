//! The store of an instance: the common settings of `serve` and `admin`.

use std::{fmt, path::PathBuf, str::FromStr};

use anyhow::Context;
use docwright_storage::{Database, Keyring, Objects};

use super::{ObjectSettings, SecretSettings, data_folder};

/// Settings of the store of an instance. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreSettings {
    /// Folder of the database, bundles, and repositories
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "DOCWRIGHT_DATA",
        default_value = Self::DEFAULT_FOLDER
    )]
    pub(crate) data: PathBuf,
    /// PostgreSQL database, such as `postgres://USER:PASSWORD@HOST/NAME`
    ///
    /// The default is an SQLite file in the data folder.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "DOCWRIGHT_DATABASE_URL",
        hide_env_values = true
    )]
    pub(crate) database_url: Option<DatabaseUrl>,
    #[command(flatten)]
    pub(crate) objects: ObjectSettings,
    #[command(flatten)]
    pub(crate) secret: SecretSettings,
}

/// The address of a database. It can contain a password, so nothing shows it, and any text is accepted here: an
/// error of clap would repeat it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct DatabaseUrl(String);

impl FromStr for DatabaseUrl {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("DatabaseUrl(…)")
    }
}

impl StoreSettings {
    /// The data folder, if none is named.
    pub(crate) const DEFAULT_FOLDER: &str = "docwright-data";

    /// A store in a single folder.
    pub(crate) fn in_folder(data: PathBuf) -> Self {
        let (objects, secret) = (ObjectSettings::default(), SecretSettings::default());
        Self { data, database_url: None, objects, secret }
    }

    /// Whether opening the database creates it.
    pub(crate) fn is_new(&self) -> bool {
        self.database_url.is_none() && !self.data.join(Database::FILE).exists()
    }

    /// The folder for work in progress, as an absolute path.
    pub(crate) fn work_folder(&self) -> anyhow::Result<PathBuf> {
        data_folder::make(&self.data)?;
        let folder = self.data.join("work");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder.canonicalize()?)
    }

    /// The keys of the root secret, whatever its source.
    pub(crate) fn given_keyring(&self) -> anyhow::Result<Keyring> {
        let shared = self.database_url.as_ref().is_some_and(|url| url.0.starts_with("postgres"));
        self.secret.keyring(&self.data, shared)
    }

    /// The database.
    pub(crate) async fn database(&self) -> anyhow::Result<Database> {
        if let Some(url) = &self.database_url {
            let opened = Database::open(&url.0).await;
            return opened.context("cannot open the database of --database-url");
        }
        data_folder::make(&self.data)?;
        self.refuse_without_database()?;
        match Database::open_folder(&self.data).await {
            Ok(database) => Ok(database),
            Err(error) => Err(data_folder::explain(&self.data, error.into())
                .context(format!("cannot open the database in {}", self.data.display()))),
        }
    }

    /// The store of bundles. Wrong settings are an error; an outage is not.
    pub(crate) async fn any_objects(&self, keyring: Keyring) -> anyhow::Result<Objects> {
        self.objects.open(&self.data, keyring).await
    }
}
