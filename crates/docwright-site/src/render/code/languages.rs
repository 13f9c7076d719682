//! Names of languages as authors write them behind a fence.

/// The highlighter's name for an author's name; `None` for plain text.
pub(super) fn canonical(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "" | "text" | "txt" | "plaintext" | "plain" | "output" | "response" | "result" | "none" | "default" | "code" => return None,
        "curl" | "cli" | "terminal" | "zsh" | "shellscript" => "bash",
        "console" | "shell-session" => "shellsession",
        "env" | ".env" | "dotenv" => "dotenv",
        "dockerfile" => "docker",
        "golang" => "go",
        "node" | "nodejs" | "node.js" | "mjs" | "cjs" => "javascript",
        "python3" | "py3" | "pycon" => "python",
        "dotnet" | ".net" | "c#" => "csharp",
        "c++" => "cpp",
        "pwsh" => "powershell",
        "sol" => "solidity",
        "jsonl" | "ndjson" | "application/x-ndjson" => "json",
        "pgsql" | "postgres" | "postgresql" | "mysql" => "sql",
        "terraform" | "tf" => "terraform",
        "conf" => "ini",
        "gradle" => "groovy",
        "proto" | "protobuf" => "proto",
        other => other,
    };
    Some(known.to_owned())
}
