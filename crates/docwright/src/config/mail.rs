//! Settings of email.

use std::fmt;

use docwright_jobs::notify::Mailer;

/// Settings of email. Each flag has a variable of the same name.
#[derive(Clone, Default, clap::Args)]
#[command(next_help_heading = "Email")]
pub(crate) struct MailSettings {
    /// SMTP server for email, such as `smtps://USER:PASSWORD@mail.example.com`
    ///
    /// Without it, docwright sends no email. `smtps://` is always encrypted.
    /// `smtp://mail.example.com:587?tls=required` uses STARTTLS, and `smtp://` alone isn't encrypted. Other
    /// users of the machine can read a command line, so use the variable for a password.
    #[arg(
        long,
        value_name = "URL",
        env = "DOCWRIGHT_SMTP_URL",
        hide_env_values = true,
        requires = "smtp_from",
        hide_short_help = true
    )]
    smtp_url: Option<String>,
    /// Sender of emails, such as `docwright <docs@example.com>`
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
    /// The mailer, if email is set up.
    pub(crate) fn mailer(&self) -> anyhow::Result<Option<Mailer>> {
        let (Some(url), Some(from)) = (&self.smtp_url, &self.smtp_from) else { return Ok(None) };
        Ok(Some(Mailer::new(url, from)?))
    }
}
