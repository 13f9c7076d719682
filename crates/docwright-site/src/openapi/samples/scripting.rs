//! Python, JavaScript and its kin, PHP, Ruby, Dart.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::request::{Body, Request};
use super::text::{body_line, body_text, indented, quoted};

pub(super) fn python(request: &Request) -> String {
    let mut code = format!("import requests\n\nurl = {}\n", quoted(&request.url));
    let mut arguments = String::new();
    match &request.body {
        Some(Body::Json(value)) => {
            let _ = write!(code, "\npayload = {}\n", python_value(value, 0));
            arguments.push_str(", json=payload");
        }
        Some(Body::Text(text)) => {
            let _ = write!(code, "\npayload = {}\n", quoted(text));
            arguments.push_str(", data=payload");
        }
        Some(Body::Form { fields, .. }) => {
            let (files, rest): (Vec<_>, Vec<_>) =
                fields.iter().partition(|(_, value)| value.starts_with('@'));
            if !files.is_empty() {
                let file = |(name, value): &&(String, String)| {
                    format!("{}: open({}, \"rb\")", quoted(name), quoted(&value[1..]))
                };
                let files: Vec<_> = files.iter().map(file).collect();
                let _ = write!(code, "\nfiles = {{ {} }}\n", files.join(", "));
                arguments.push_str(", files=files");
            }
            let pair = |(name, value): &&(String, String)| {
                format!("    {}: {}", quoted(name), quoted(value))
            };
            let rest: Vec<_> = rest.iter().map(pair).collect();
            let _ = write!(code, "\npayload = {{\n{}\n}}\n", rest.join(",\n"));
            arguments.push_str(", data=payload");
        }
        None => {}
    }
    if !request.headers.is_empty() {
        let pair =
            |(name, value): &(String, String)| format!("    {}: {}", quoted(name), quoted(value));
        let headers: Vec<_> = request.headers.iter().map(pair).collect();
        let _ = write!(code, "\nheaders = {{\n{}\n}}\n", headers.join(",\n"));
        arguments.push_str(", headers=headers");
    }
    let method = request.method.to_lowercase();
    let _ = write!(code, "\nresponse = requests.{method}(url{arguments})\n\nprint(response.text)");
    code
}

fn python_value(value: &Value, depth: usize) -> String {
    let (outer, inner) = ("    ".repeat(depth), "    ".repeat(depth + 1));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(flag) => if *flag { "True" } else { "False" }.to_owned(),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| format!("{inner}{}", python_value(item, depth + 1)))
                .collect();
            format!("[\n{}\n{outer}]", items.join(",\n"))
        }
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("{inner}{}: {}", quoted(name), python_value(value, depth + 1))
            };
            let entries: Vec<_> = entries.iter().map(entry).collect();
            format!("{{\n{}\n{outer}}}", entries.join(",\n"))
        }
        other => other.to_string(),
    }
}

pub(super) fn javascript(request: &Request) -> String {
    let mut code = String::new();
    let mut options = vec![format!("method: {}", quoted(&request.method))];
    if !request.headers.is_empty() {
        let pair =
            |(name, value): &(String, String)| format!("    {}: {}", quoted(name), quoted(value));
        let headers: Vec<_> = request.headers.iter().map(pair).collect();
        options.push(format!("headers: {{\n{}\n  }}", headers.join(",\n")));
    }
    match &request.body {
        Some(Body::Json(value)) => {
            let json = serde_json::to_string_pretty(value).unwrap_or_default();
            options.push(format!("body: JSON.stringify({})", indented(&json, 2)));
        }
        Some(Body::Text(text)) => options.push(format!("body: {}", quoted(text))),
        Some(Body::Form { fields, multipart }) => {
            let kind = if *multipart { "FormData" } else { "URLSearchParams" };
            let _ = writeln!(code, "const form = new {kind}();");
            for (name, value) in fields {
                let _ = writeln!(code, "form.append({}, {});", quoted(name), quoted(value));
            }
            code.push('\n');
            options.push("body: form".to_owned());
        }
        None => {}
    }
    let _ = write!(
        code,
        "const response = await fetch({}, {{\n  {}\n}});\n\nconsole.log(await response.json());",
        quoted(&request.url),
        options.join(",\n  ")
    );
    code
}

pub(super) fn typescript(request: &Request) -> String {
    let code = javascript(request);
    code.replace("const response = await", "const response: Response = await")
}

pub(super) fn php(request: &Request) -> String {
    let single = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut options = vec![
        format!("CURLOPT_URL => {}", single(&request.url)),
        "CURLOPT_RETURNTRANSFER => true".to_owned(),
        format!("CURLOPT_CUSTOMREQUEST => {}", single(&request.method)),
    ];
    if let Some(body) = body_text(request) {
        options.push(format!("CURLOPT_POSTFIELDS => {}", single(&body)));
    }
    if !request.headers.is_empty() {
        let line = |(name, value): &(String, String)| {
            format!("    {}", single(&format!("{name}: {value}")))
        };
        let headers: Vec<_> = request.headers.iter().map(line).collect();
        options.push(format!("CURLOPT_HTTPHEADER => [\n{}\n  ]", headers.join(",\n")));
    }
    format!(
        "<?php\n\n$curl = curl_init();\n\ncurl_setopt_array($curl, [\n  {}\n]);\n\n$response = \
         curl_exec($curl);\n\ncurl_close($curl);\n\necho $response;",
        options.join(",\n  ")
    )
}

pub(super) fn ruby(request: &Request) -> String {
    let single = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let method = request.method.to_lowercase();
    let class = method[..1].to_uppercase() + &method[1..];
    let mut code = format!(
        "require 'uri'\nrequire 'net/http'\n\nurl = URI({})\n\nhttp = Net::HTTP.new(url.host, \
         url.port)\nhttp.use_ssl = true\n\nrequest = Net::HTTP::{class}.new(url)\n",
        single(&request.url)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "request[{}] = {}", single(name), single(value));
    }
    if let Some(body) = body_text(request) {
        let _ = writeln!(code, "request.body = {}", single(&body));
    }
    code.push_str("\nresponse = http.request(request)\nputs response.read_body");
    code
}

pub(super) fn dart(request: &Request) -> String {
    let mut code = format!(
        "import 'package:http/http.dart' as http;\n\nvoid main() async {{\n  final request = \
         http.Request({}, Uri.parse({}));\n",
        quoted(&request.method),
        quoted(&request.url)
    );
    for (name, value) in &request.headers {
        let _ = writeln!(code, "  request.headers[{}] = {};", quoted(name), quoted(value));
    }
    if let Some(body) = body_line(request) {
        let _ = writeln!(code, "  request.body = {};", quoted(&body));
    }
    code.push_str("\n  final response = await request.send();\n  print(await response.stream.bytesToString());\n}");
    code
}
