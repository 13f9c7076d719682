//! Authors' utility classes, compiled by Tailwind's own compiler, which runs in `QuickJS` once per site.

use std::{collections::BTreeSet, fmt::Write as _};

use rquickjs::{CatchResultExt, Context, Runtime};
use serde_json::json;

/// Memory limit of the compiler in bytes.
const MEMORY: usize = 256 * 1024 * 1024;
/// Its calls go deep. Bytes.
const STACK: usize = 6 * 1024 * 1024;
/// Stack size of the compiler's own thread in bytes.
const THREAD_STACK: usize = 16 * 1024 * 1024;

/// The colors of a site, as CSS.
#[derive(Debug, Clone, Copy)]
pub struct Colors<'a> {
    /// `primary`
    pub primary: &'a str,
    /// `primary-light`
    pub light: &'a str,
    /// `primary-dark`
    pub dark: &'a str,
}

/// The style sheet for classes. Classes that Tailwind doesn't know are ignored.
pub fn tailwind(classes: &BTreeSet<String>, colors: Colors<'_>) -> Result<String, String> {
    if classes.is_empty() {
        return Ok(String::new());
    }
    let input = input(colors);
    std::thread::scope(|scope| {
        let compile = || compile(&input, classes);
        let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
        let running = thread.spawn_scoped(scope, compile).map_err(|error| error.to_string())?;
        running.join().map_err(|_| "the compiler ended early".to_owned())?
    })
}

/// Tailwind's input: its theme, with the values of version 3 that authors of the format rely on
/// (<https://tailwindcss.com/docs/upgrade-guide>), and the colors of the site.
fn input(colors: Colors<'_>) -> String {
    let mut css = String::from(include_str!(concat!(env!("OUT_DIR"), "/tailwind-theme.css")));
    let Colors { primary, light, dark } = colors;
    let _ = writeln!(
        css,
        "@theme{{--color-primary:{primary};--color-primary-light:{light};--color-primary-dark:{dark};\
         --color-background-light:var(--background);--color-background-dark:var(--background);\
         --radius-sm:0.125rem;--shadow-sm:0 1px 2px 0 rgb(0 0 0/.05);--blur-sm:4px;\
         --default-ring-width:3px;--font-sans:var(--font-body);--font-mono:var(--font-code)}}"
    );
    css.push_str(
        "@custom-variant dark{@media screen{&:where(.dark,.dark *){@slot}}@media screen and (prefers-color-scheme:dark){&:where(:root:not(.js) *){@slot}}}\n\
         @utility flex-shrink-0{flex-shrink:0}@utility flex-shrink{flex-shrink:1}\
         @utility flex-grow{flex-grow:1}@utility flex-grow-0{flex-grow:0}\
         @utility overflow-ellipsis{text-overflow:ellipsis}\
         @utility outline-none{outline:2px solid transparent;outline-offset:2px}\n\
         @layer utilities{@tailwind utilities;}\n",
    );
    css
}

fn compile(input: &str, classes: &BTreeSet<String>) -> Result<String, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    runtime.set_memory_limit(MEMORY);
    runtime.set_max_stack_size(STACK);
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    let library = include_bytes!(concat!(env!("OUT_DIR"), "/tailwind.zst"));
    let library = zstd::decode_all(library.as_slice()).map_err(|error| error.to_string())?;
    let library = String::from_utf8(library).map_err(|error| error.to_string())?;
    let code = format!(
        "globalThis.console={{warn(){{}},error(){{}},log(){{}}}};const module={{exports:{{}}}};\n{library}\n;\
         globalThis.$css='';globalThis.$error='';\
         module.exports.compile({},{{}}).then((made)=>{{$css=made.build({})}})\
         .catch((error)=>{{$error=String(error)}});",
        json!(input),
        json!(classes),
    );
    let message = |error: rquickjs::CaughtError<'_>| error.to_string();
    context.with(|ctx| {
        let mut options = rquickjs::context::EvalOptions::default();
        options.strict = false;
        ctx.eval_with_options::<(), _>(code, options).catch(&ctx).map_err(message)
    })?;
    while runtime.execute_pending_job().is_ok_and(|more| more) {}
    context.with(|ctx| {
        let error: String = ctx.globals().get("$error").catch(&ctx).map_err(message)?;
        if !error.is_empty() {
            return Err(error);
        }
        ctx.globals().get("$css").catch(&ctx).map_err(message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn css(classes: &[&str]) -> String {
        let classes = classes.iter().map(|class| (*class).to_owned()).collect();
        tailwind(&classes, Colors { primary: "#00aa00", light: "#00bb00", dark: "#009900" })
            .unwrap()
    }

    #[test]
    fn only_known_classes_are_compiled_and_dark_follows_the_reader() {
        let css = css(&["flex", "dark:text-primary-light", "mt-[3px]", "no-such-class"]);
        assert!(css.contains(".flex {\n"), "{css}");
        assert!(css.contains("margin-top: 3px"), "{css}");
        assert!(css.contains("--color-primary-light: #00bb00"), "{css}");
        assert!(
            css.contains(":where(.dark, .dark *)") || css.contains(":where(.dark,.dark *)"),
            "{css}"
        );
        assert!(!css.contains("no-such-class"));
    }

    #[test]
    fn old_names_keep_their_meaning() {
        let css = css(&["flex-shrink-0", "rounded-sm", "rounded", "shadow"]);
        assert!(css.contains("flex-shrink: 0") && css.contains("--radius-sm: 0.125rem"), "{css}");
        assert!(css.contains("border-radius: 0.25rem"), "{css}");
    }

    #[test]
    fn no_class_needs_no_compiler() {
        assert_eq!(css(&[]), "");
    }
}
