//! Go, Java, Kotlin, C#, Swift, Rust, C and C++.

use std::fmt::Write as _;

use super::super::request::Request;
use super::text::{body_line, body_text, quoted};

pub(super) fn go(request: &Request) -> String {
    let body = body_text(request);
    let (import, payload, argument) = match &body {
        Some(body) if !body.contains('`') => {
            ("\t\"strings\"\n", format!("\tpayload := strings.NewReader(`{body}`)\n\n"), "payload")
        }
        Some(body) => (
            "\t\"strings\"\n",
            format!("\tpayload := strings.NewReader({})\n\n", quoted(body)),
            "payload",
        ),
        None => ("", String::new(), "nil"),
    };
    let mut code = format!(
        "package main\n\nimport (\n\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n{import})\n\nfunc main() {{\n\turl := {}\n\n\
         {payload}\treq, _ := http.NewRequest({}, url, {argument})\n\n",
        quoted(&request.url),
        quoted(&request.method)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "\treq.Header.Add({}, {})", quoted(name), quoted(value));
    }
    code.push_str(
        "\n\tres, _ := http.DefaultClient.Do(req)\n\tdefer res.Body.Close()\n\tbody, _ := \
         io.ReadAll(res.Body)\n\n\tfmt.Println(string(body))\n}",
    );
    code
}

pub(super) fn java(request: &Request) -> String {
    let publisher = match body_line(request) {
        Some(body) => format!("HttpRequest.BodyPublishers.ofString({})", quoted(&body)),
        None => "HttpRequest.BodyPublishers.noBody()".to_owned(),
    };
    let mut code = format!(
        "HttpRequest request = HttpRequest.newBuilder()\n  .uri(URI.create({}))\n",
        quoted(&request.url)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "  .header({}, {})", quoted(name), quoted(value));
    }
    let _ = write!(
        code,
        "  .method({}, {publisher})\n  .build();\n\nHttpResponse<String> response = \
         HttpClient.newHttpClient()\n  .send(request, HttpResponse.BodyHandlers.ofString());\n\n\
         System.out.println(response.body());",
        quoted(&request.method)
    );
    code
}

pub(super) fn kotlin(request: &Request) -> String {
    let dollar = |text: &str| quoted(text).replace('$', "\\$");
    let mut code = String::from("val client = OkHttpClient()\n\n");
    let body = match body_line(request) {
        Some(body) => {
            let _ = writeln!(code, "val body = {}.toRequestBody()", dollar(&body));
            "body"
        }
        None => "null",
    };
    let _ = writeln!(code, "val request = Request.Builder()\n  .url({})", dollar(&request.url));
    let _ = writeln!(code, "  .method({}, {body})", quoted(&request.method));
    for (name, value) in &request.headers {
        let _ = writeln!(code, "  .addHeader({}, {})", quoted(name), dollar(value));
    }
    code.push_str("  .build()\n\nval response = client.newCall(request).execute()\nprintln(response.body?.string())");
    code
}

pub(super) fn csharp(request: &Request) -> String {
    let method = request.method.to_lowercase();
    let method = method[..1].to_uppercase() + &method[1..];
    let mut code = format!(
        "using var client = new HttpClient();\nvar request = new HttpRequestMessage(HttpMethod.{method}, {});\n",
        quoted(&request.url)
    );
    let (own, rest): (Vec<_>, Vec<_>) =
        request.headers.iter().partition(|(name, _)| name == "Content-Type");
    for (name, value) in rest {
        let _ = writeln!(code, "request.Headers.Add({}, {});", quoted(name), quoted(value));
    }
    if let Some(body) = body_line(request) {
        let kind = own.first().map_or("text/plain", |(_, kind)| kind.as_str());
        let _ = writeln!(
            code,
            "request.Content = new StringContent({}, Encoding.UTF8, {});",
            quoted(&body),
            quoted(kind)
        );
    }
    code.push_str(
        "\nvar response = await client.SendAsync(request);\nConsole.WriteLine(await response.Content.ReadAsStringAsync());",
    );
    code
}

pub(super) fn swift(request: &Request) -> String {
    let mut code = format!(
        "import Foundation\n\nvar request = URLRequest(url: URL(string: {})!)\nrequest.httpMethod = {}\n",
        quoted(&request.url),
        quoted(&request.method)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(
            code,
            "request.setValue({}, forHTTPHeaderField: {})",
            quoted(value),
            quoted(name)
        );
    }
    if let Some(body) = body_line(request) {
        let _ = writeln!(code, "request.httpBody = {}.data(using: .utf8)", quoted(&body));
    }
    code.push_str(
        "\nlet (data, _) = try await URLSession.shared.data(for: request)\nprint(String(decoding: data, as: UTF8.self))",
    );
    code
}

pub(super) fn rust(request: &Request) -> String {
    let method = request.method.to_uppercase();
    let mut code = format!(
        "let response = reqwest::Client::new()\n    .request(reqwest::Method::{method}, {})\n",
        quoted(&request.url)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "    .header({}, {})", quoted(name), quoted(value));
    }
    if let Some(body) = body_text(request) {
        let _ = writeln!(code, "    .body(r##\"{body}\"##)");
    }
    code.push_str("    .send()\n    .await?;\n\nprintln!(\"{}\", response.text().await?);");
    code
}

pub(super) fn c(request: &Request) -> String {
    let mut code = format!(
        "CURL *curl = curl_easy_init();\n\ncurl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, {});\n\
         curl_easy_setopt(curl, CURLOPT_URL, {});\n\nstruct curl_slist *headers = NULL;\n",
        quoted(&request.method),
        quoted(&request.url)
    );
    for (name, value) in &request.headers {
        let line = quoted(&format!("{name}: {value}"));
        let _ = writeln!(code, "headers = curl_slist_append(headers, {line});");
    }
    code.push_str("curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);\n");
    if let Some(body) = body_line(request) {
        let _ = writeln!(code, "curl_easy_setopt(curl, CURLOPT_POSTFIELDS, {});", quoted(&body));
    }
    code.push_str("\nCURLcode result = curl_easy_perform(curl);\ncurl_slist_free_all(headers);\ncurl_easy_cleanup(curl);");
    code
}

pub(super) fn cpp(request: &Request) -> String {
    format!("#include <curl/curl.h>\n\n{}", c(request).replace("NULL", "nullptr"))
}
