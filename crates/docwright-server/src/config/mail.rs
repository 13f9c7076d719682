//! Settings of e-mail.

use std::fmt;

use docwright_flows::notify::Mailer;

/// Settings of e-mail. Each flag has a variable of the same name.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "E-mail")]
pub(crate) struct MailSettings {
    /// SMTP server that takes e-mail, as `smtps://USER:PASSWORD@mail.example.com`; without it none is sent
    ///
    /// `smtps://` is encrypted from the start. `smtp://mail.example.com:587?tls=required` is encrypted after
    /// STARTTLS, and `smtp://` alone not at all. Others on the machine can read what is on a command line,
    /// so use the variable for a password.
    #[arg(
        long,
        value_name = "URL",
        env = "DOCWRIGHT_SMTP_URL",
        hide_env_values = true,
        requires = "smtp_from",
        hide_short_help = true
    )]
    smtp_url: Option<String>,
    /// Who writes the e-mails, as `docwright <docs@example.com>`
    #[arg(long, value_name = "ADDRESS", env = "DOCWRIGHT_SMTP_FROM", hide_short_help = true)]
    smtp_from: Option<String>,
}

impl fmt::Debug for MailSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MailSettings")
            .field("smtp_from", &self.smtp_from)
            .finish_non_exhaustive()
    }
}

impl MailSettings {
    /// The way to mailboxes, if there is one.
    pub(crate) fn mailer(&self) -> anyhow::Result<Option<Mailer>> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.smtp_from) else { return Ok(None) };
        Ok(Some(Mailer::new(url, from)?))
    }
}
