//! Shells: curl, PowerShell.

use std::fmt::Write as _;

use super::super::request::{Body, Request};
use super::text::body_text;

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

pub(super) fn curl(request: &Request) -> String {
    let mut code =
        format!("curl --request {} \\\n  --url {}", request.method, single(&request.url));
    for (name, value) in &request.headers {
        let _ = write!(code, " \\\n  --header {}", single(&format!("{name}: {value}")));
    }
    match &request.body {
        None => {}
        Some(Body::Form { fields, multipart }) => {
            let option = if *multipart { "--form" } else { "--data-urlencode" };
            for (name, value) in fields {
                let _ = write!(code, " \\\n  {option} {}", single(&format!("{name}={value}")));
            }
        }
        Some(_) => {
            let body = body_text(request).unwrap_or_default();
            let _ = write!(code, " \\\n  --data {}", single(&format!("\n{body}\n")));
        }
    }
    code
}

pub(super) fn powershell(request: &Request) -> String {
    let quote = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let mut code = String::from("$headers = @{}\n");
    for (name, value) in request.headers.iter().filter(|(name, _)| name != "Content-Type") {
        let _ = writeln!(code, "$headers.Add({}, {})", quote(name), quote(value));
    }
    let _ = write!(
        code,
        "$response = Invoke-WebRequest -Uri {} -Method {} -Headers $headers",
        quote(&request.url),
        request.method
    );
    let content_type = request.headers.iter().find(|(name, _)| name == "Content-Type");
    if let Some((_, kind)) = content_type {
        let _ = write!(code, " -ContentType {}", quote(kind));
    }
    if let Some(body) = body_text(request) {
        let _ = write!(code, " -Body {}", quote(&body));
    }
    code
}
