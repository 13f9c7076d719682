//! Files that agents never change, whatever the settings of a project: rules of review, code that runs elsewhere,
//! and instructions to agents.

use super::look_alikes::{folded, is_unseen};

/// Files that name reviewers, in any folder.
const REVIEW: &[&str] = &["codeowners", "owners", "owners_aliases"];

/// Instructions to agents and the assistant, without extension. With `.md` or none they are never a page; as
/// `.mdx` they are.
const INSTRUCTIONS: &[&str] = &[
    "agent",
    "agents",
    "assistant",
    "claude",
    "copilot-instructions",
    "gemini",
    "jules",
    "qwen",
    "skill",
    "warp",
];

/// Files that build a project or run on its git host. Some have extensions of documentation.
const TOOLS: &[&str] = &[
    "action.yaml",
    "action.yml",
    "angular.json",
    "app.json",
    "appveyor.yml",
    "azure-pipelines.yaml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "bower.json",
    "build.xml",
    "buildspec.yml",
    "cloudbuild.json",
    "cloudbuild.yaml",
    "cmakelists.txt",
    "codemagic.yaml",
    "compose.yaml",
    "compose.yml",
    "composer.json",
    "conanfile.txt",
    "deno.json",
    "docker-compose.yaml",
    "docker-compose.yml",
    "environment.yml",
    "firebase.json",
    "ivy.xml",
    "lerna.json",
    "manifest.xml",
    "meson_options.txt",
    "mkdocs.yml",
    "netlify.json",
    "now.json",
    "npm-shrinkwrap.json",
    "nx.json",
    "package-lock.json",
    "package.json",
    "phpunit.xml",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pubspec.yaml",
    "render.yaml",
    "renovate.json",
    "runtime.txt",
    "serverless.yml",
    "settings.xml",
    "taskfile.yaml",
    "taskfile.yml",
    "tsconfig.json",
    "turbo.json",
    "vercel.json",
    "wercker.yml",
    "wrangler.json",
];

/// Why agents never change a file, if they don't.
pub(super) fn reason(path: &str) -> Option<&'static str> {
    if path.chars().any(is_unseen) {
        return Some("contains invisible characters");
    }
    let path = folded(path);
    if path.split('/').any(|part| part.starts_with('.')) {
        return Some("is a hidden file");
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    if REVIEW.contains(&stem) && !matches!(ending, Some("md" | "mdx")) {
        return Some("says who reviews changes");
    }
    if INSTRUCTIONS.contains(&stem) && matches!(ending, None | Some("md" | "txt")) {
        return Some("has instructions to agents");
    }
    None
}

/// Whether a file belongs to tools that build or check a project. A pattern of a project can allow it.
pub(super) fn is_for_tools(path: &str) -> bool {
    let path = folded(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_list_of_packages = name.ends_with(".txt")
        && path
            .split('/')
            .any(|part| part.contains("requirements") || part.contains("constraints"));
    is_list_of_packages || TOOLS.contains(&name)
}
