//! Renders the pages of a small site like the compiler, on a thread with the same stack size.

use docwright_site::{
    content::{Content, navigation::NavigationIndex},
    render::{RenderContext, markdown_version, render_page},
    source::Source,
};

/// The configuration of sites whose fuzzed input is elsewhere.
pub const CONFIG: &str = r##"{"theme":"mint","name":"S","colors":{"primary":"#000000"},
    "navigation":{"groups":[{"group":"G","openapi":"api.json","pages":["index","snippets/x"]}]}}"##;

/// Stack size of the compiler's threads in bytes.
const STACK: usize = 64 * 1024 * 1024;

/// Renders all pages and discards them. A panic that the compiler catches isn't a diagnostic.
pub fn render(files: &[(&str, &[u8])]) {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()));
    let source = Source::from_files(files);
    let work = move || {
        let Ok((content, _)) = Content::load(&source) else { return };
        let (mut context, _) = RenderContext::new(&source, &content);
        context.highlighter.turn_off();
        let navigation = NavigationIndex::new(&content);
        for page in content.pages.values() {
            let _ = navigation.view(&page.slug);
            let _ = render_page(&context, page);
            let _ = markdown_version(&context, page);
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    if thread.join().is_err() {
        eprintln!("a panic left the compiler");
        std::process::abort();
    }
}
