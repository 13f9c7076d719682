//! The comment on a pull request: the address of its preview, the changed pages, and the new diagnostics. Text of
//! authors is always escaped.

use docwright_site::comparison::{Fate, PageChange};
use docwright_types::{
    counted::{counted, grouped},
    preview::{Preview, PreviewState},
    question_check::{QuestionChange, QuestionCheck},
    release::{Release, ReleaseStatus},
    stored_diagnostic::NewDiagnostics,
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Pages and diagnostics that are listed.
const LISTED: usize = 30;
/// Longest title or message. Characters.
const LONGEST: usize = 160;
/// Characters that could end a link in Markdown, or have a meaning in an address.
const PATH_SIGNS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'\'')
    .add(b'(')
    .add(b')')
    .add(b'*')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'_')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'~');

/// Contents of the comment.
pub(super) struct PreviewComment<'a> {
    pub(super) preview: &'a Preview,
    /// Its address, without a slash at its end.
    pub(super) url: &'a str,
    /// Its newest release.
    pub(super) release: Option<&'a Release>,
    /// Pages that it changes; `None` if that is not known.
    pub(super) changes: Option<&'a [PageChange]>,
    /// Diagnostics that the published release does not have; `None` if they are not known.
    pub(super) new: Option<&'a NewDiagnostics>,
    /// What its golden questions showed; `None` if they were not asked.
    pub(super) questions: Option<&'a QuestionCheck>,
}

impl PreviewComment<'_> {
    /// The comment, in Markdown.
    pub(super) fn markdown(&self) -> String {
        if self.preview.state == PreviewState::Closed {
            let reason = self.preview.end.map_or("", |end| end.sentence());
            return format!("**Preview:** closed. {reason}\n");
        }
        let commit = self.release.and_then(|release| release.commit.sha.as_deref());
        let commit = commit.and_then(|sha| sha.get(..7)).map(|sha| format!(" of `{sha}`"));
        let commit = commit.unwrap_or_default();
        let url = self.url;
        let Some(release) = self.release else {
            return "**Preview:** queued.\n".to_string();
        };
        match release.status {
            ReleaseStatus::Failed => {
                let error = release.error.as_deref().unwrap_or("no reason is known");
                format!("**Preview**{commit}: build failed.\n\n> {}\n", escaped(error))
            }
            ReleaseStatus::Queued | ReleaseStatus::Building => {
                format!("**Preview**: [{url}]({url}) is building.\n")
            }
            _ => {
                let mut text = format!("**Preview**{commit}: [{url}]({url})\n");
                self.pages(&mut text);
                self.questions(&mut text);
                self.diagnostics(&mut text);
                text
            }
        }
    }

    fn pages(&self, text: &mut String) {
        let Some(changes) = self.changes else { return };
        if changes.is_empty() {
            text.push_str("\nNo pages changed.\n");
            return;
        }
        let url = self.url;
        let count = counted(changes.len(), "page");
        text.push_str(&format!(
            "\n{count} changed: [compare side by side]({url}/_docwright/changes)\n\n"
        ));
        for change in changes.iter().take(LISTED) {
            text.push_str(&line(url, change));
        }
        if changes.len() > LISTED {
            text.push_str(&format!("- and {} more\n", grouped(changes.len() - LISTED)));
        }
    }

    fn questions(&self, text: &mut String) {
        let Some(check) = self.questions else { return };
        let figure = check.figure();
        if check.changed() == 0 {
            let compared = if check.is_compared { "none changed" } else { "not compared" };
            text.push_str(&format!("\nGolden questions: {figure}, {compared}.\n"));
            return;
        }
        text.push_str(&format!("\n{}. {figure}.\n", check.summary()));
        let shown = &check.changes[..check.changes.len().min(LISTED)];
        for (title, is_loss) in [("Lost", true), ("Gained", false)] {
            let mut lines =
                shown.iter().filter(|change| change.fate.is_loss() == is_loss).peekable();
            if lines.peek().is_some() {
                text.push_str(&format!("\n{title}:\n\n"));
                lines.for_each(|change| text.push_str(&question_line(self.url, change)));
            }
        }
        let left = check.changed().saturating_sub(shown.len());
        if left > 0 {
            text.push_str(&format!("\nAnd {} more.\n", counted(left, "question")));
        }
    }

    fn diagnostics(&self, text: &mut String) {
        let Some(new) = self.new.filter(|new| new.count > 0) else { return };
        text.push_str(&format!("\n{}:\n\n", new.counted()));
        let mut left = new.count;
        for diagnostic in new.first.iter().take(LISTED) {
            let place = match diagnostic.line {
                0 => format!("{}: ", escaped(&diagnostic.path)),
                line => format!("{}, line {line}: ", escaped(&diagnostic.path)),
            };
            text.push_str(&format!("- {place}{}\n", escaped(&diagnostic.message)));
            left -= 1;
        }
        if left > 0 {
            text.push_str(&format!("- and {} more\n", grouped(left)));
        }
    }
}

/// A changed question, with links to its pages of the preview and the reason.
fn question_line(url: &str, change: &QuestionChange) -> String {
    let question = escaped(&change.question);
    let pages = change.pages.iter().map(|page| {
        let path = utf8_percent_encode(page, PATH_SIGNS);
        format!("[{}]({url}/{path})", escaped(page))
    });
    let pages: Vec<_> = pages.collect();
    let pages = if pages.is_empty() { String::new() } else { format!(": {}", pages.join(" or ")) };
    if change.reason.is_empty() {
        return format!("- {question}{pages}\n");
    }
    format!("- {question}{pages}. {}\n", escaped(&change.reason))
}

fn line(url: &str, change: &PageChange) -> String {
    let title = escaped(&change.title);
    let path = utf8_percent_encode(&change.path, PATH_SIGNS);
    let compared = format!("[compare]({url}/_docwright/changes/{path})");
    match &change.fate {
        Fate::Changed => format!("- [{title}]({url}/{path}): changed, {compared}\n"),
        Fate::Added => format!("- [{title}]({url}/{path}): new\n"),
        Fate::Moved { from } => {
            format!("- [{title}]({url}/{path}): moved from {}, {compared}\n", escaped(from))
        }
        Fate::Removed => format!("- {title}: removed, {compared}\n"),
    }
}

/// A text as one line without Markdown, mentions, or links.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let flat = text.chars().map(|letter| if letter.is_whitespace() { ' ' } else { letter });
    let mut letters = flat.filter(|letter| !letter.is_control());
    for letter in letters.by_ref().take(LONGEST) {
        if letter.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(letter);
        // Hosts detect people, pull requests, and addresses in any text.
        if "@#/:.".contains(letter) {
            escaped.push('\u{200b}');
        }
    }
    if letters.next().is_some() {
        escaped.push('…');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use docwright_types::{
        preview::{PreviewEnd, PreviewSource},
        question_check::QuestionFate,
        stored_diagnostic::StoredDiagnostic,
    };

    use super::*;

    fn preview(state: PreviewState) -> Preview {
        Preview {
            id: "prv_1".into(),
            project_id: "prj_1".into(),
            site_id: "site_1".into(),
            pull_request: Some(7),
            title: None,
            branch: "b".into(),
            base: "main".into(),
            source: PreviewSource { git_ref: "b".into(), fork: None, is_fork: false },
            head: None,
            host: "x.localhost".into(),
            comment_id: None,
            state,
            end: (state == PreviewState::Closed).then_some(PreviewEnd::PullRequest),
            created_at: 0,
            changed_at: 0,
            closed_at: None,
        }
    }

    fn diagnostic(path: &str, message: &str) -> StoredDiagnostic {
        let (path, message) = (path.into(), message.into());
        StoredDiagnostic { path, line: 3, is_error: true, code: "broken-link".into(), message }
    }

    fn release(status: ReleaseStatus) -> Release {
        Release {
            id: "rel_1".into(),
            number: 1,
            site_id: "site_1".into(),
            project_id: "prj_1".into(),
            organization_id: "org_1".into(),
            address: None,
            update_id: None,
            trigger: docwright_types::release::Trigger::Preview,
            servable: true,
            version: None,
            paths: None,
            deployment_id: None,
            features: None,
            commit: docwright_types::release::ReleaseCommit {
                sha: Some("0123456789".into()),
                ..Default::default()
            },
            head_sequence: None,
            status,
            progress: 0,
            page_count: 0,
            warning_count: 0,
            warnings: Vec::new(),
            error: Some("no `docs.json`".into()),
            replaced_by: None,
            bundle: None,
            failures: 0,
            created_at: 0,
            updated_at: 0,
            ended_at: None,
            bundle_lost_at: None,
            without_cache: false,
            held_errors: None,
            base_id: None,
        }
    }

    fn said(
        state: PreviewState,
        release: Option<&Release>,
        changes: Option<&[PageChange]>,
        new: Option<&NewDiagnostics>,
    ) -> String {
        let url = "https://x.example.net";
        let preview = preview(state);
        PreviewComment { preview: &preview, url, release, changes, new, questions: None }.markdown()
    }

    fn asked(check: QuestionCheck) -> String {
        let ready = release(ReleaseStatus::Ready);
        let comment = PreviewComment {
            preview: &preview(PreviewState::Open),
            url: "https://x.example.net",
            release: Some(&ready),
            changes: None,
            new: None,
            questions: Some(&check),
        };
        comment.markdown()
    }

    fn question(question: &str, fate: QuestionFate) -> QuestionChange {
        let reason = if fate.is_loss() { "refused" } else { "" };
        let pages = vec!["guides/a (b)".to_owned(), "c".to_owned()];
        QuestionChange { question: question.to_owned(), fate, pages, reason: reason.to_owned() }
    }

    #[test]
    fn changed_questions_are_listed_with_their_pages() {
        let check = QuestionCheck {
            total: 90,
            asked: 90,
            passed: 88,
            is_compared: true,
            ..QuestionCheck::default()
        };
        let text = asked(check.clone());
        assert!(
            text.contains("\nGolden questions: 88 of 90 questions pass, none changed.\n"),
            "{text}"
        );
        let alone = QuestionCheck { is_compared: false, ..check.clone() };
        assert!(asked(alone).contains("pass, not compared."));
        let mut changes = vec![question("How do I start", QuestionFate::FoundPage)];
        changes.extend(vec![question("Where", QuestionFate::LostPage); 40]);
        let text = asked(check.with_changes(changes));
        for part in [
            "40 questions lost their page, 1 question found its page. 88 of 90 questions pass.",
            "Lost:\n\n- Where: [guides\\/\u{200b}a \\(b\\)](https://x.example.net/guides/a%20%28b%29) or [c](https://x.example.net/c). refused\n",
            "And 11 questions more.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn comment_links_preview_and_lists_changes() {
        let changes = [
            PageChange {
                path: "guides/a (b)".into(),
                title: "Install".into(),
                fate: Fate::Changed,
            },
            PageChange { path: "n".into(), title: "New".into(), fate: Fate::Added },
            PageChange {
                path: "m".into(),
                title: "M".into(),
                fate: Fate::Moved { from: "old/m".into() },
            },
            PageChange { path: "r".into(), title: "R".into(), fate: Fate::Removed },
        ];
        let ready = release(ReleaseStatus::Ready);
        let new = NewDiagnostics { count: 1, first: vec![diagnostic("b.mdx", "new")] };
        let text = said(PreviewState::Open, Some(&ready), Some(&changes), Some(&new));
        for part in [
            "of `0123456`: [https://x.example.net](https://x.example.net)",
            "4 pages changed: [compare side by side](https://x.example.net/_docwright/changes)",
            "- [Install](https://x.example.net/guides/a%20%28b%29): changed, [compare](https://x.example.net/_docwright/changes/guides/a%20%28b%29)",
            "- [New](https://x.example.net/n): new\n",
            "moved from old",
            "- R: removed",
            "1 new error:",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("line 3: new"), "{text}");
        let many = NewDiagnostics { count: 70, first: vec![diagnostic("b.mdx", "new"); 50] };
        let text = said(PreviewState::Open, Some(&ready), None, Some(&many));
        assert!(text.contains("70 new diagnostics") && text.contains("- and 40 more\n"), "{text}");
        for new in [None, Some(&NewDiagnostics::default())] {
            let text = said(PreviewState::Open, Some(&ready), None, new);
            assert!(!text.contains("new error") && !text.contains("new diagnostic"), "{text}");
        }
        let failed = said(PreviewState::Open, Some(&release(ReleaseStatus::Failed)), None, None);
        assert!(failed.contains("build failed") && failed.contains("docs"), "{failed}");
        let closed = said(PreviewState::Closed, None, None, None);
        assert_eq!(closed, "**Preview:** closed. Its pull request was merged or closed.\n");
    }

    #[test]
    fn text_of_authors_never_becomes_markup() {
        for hostile in [
            "](https://evil.example) [x",
            "</a><script>alert(1)</script>",
            "@everyone look at #1",
            "x\n\n# Merge this\n/approve",
            "`code` **bold** ~~x~~ | a | b |",
            "![](https://evil.example/x.png)",
            "https://evil.example",
            "&lt;b&gt; <!-- x -->",
            "\\](x",
        ] {
            let shown = escaped(hostile);
            assert!(!shown.contains('\n'), "{shown}");
            let mut letters = shown.chars().peekable();
            while let Some(letter) = letters.next() {
                if letter == '\\' {
                    let next = letters.next().unwrap();
                    assert!(next.is_ascii_punctuation(), "{shown}");
                    if "@#/:.".contains(next) {
                        assert_eq!(letters.peek(), Some(&'\u{200b}'), "{shown}");
                    }
                } else {
                    assert!(!letter.is_ascii_punctuation(), "{letter} in {shown}");
                }
            }
            let changes =
                [PageChange { path: hostile.into(), title: hostile.into(), fate: Fate::Added }];
            let ready = release(ReleaseStatus::Ready);
            let new = NewDiagnostics { count: 1, first: vec![diagnostic(hostile, hostile)] };
            let text = said(PreviewState::Open, Some(&ready), Some(&changes), Some(&new));
            assert_eq!(text.lines().filter(|line| line.starts_with("- ")).count(), 2, "{text}");
            let change = QuestionChange {
                pages: vec![hostile.into()],
                reason: hostile.into(),
                ..question(hostile, QuestionFate::LostPage)
            };
            let check = QuestionCheck::default().with_changes(vec![change]);
            let text = format!("{text}{}", asked(check));
            assert_eq!(text.lines().filter(|line| line.starts_with("- ")).count(), 3, "{text}");
            let unescaped = text.replace("\\<", "");
            assert!(!text.contains("](https://evil") && !unescaped.contains("<script"), "{text}");
        }
        assert_eq!(escaped(&"x".repeat(1000)).chars().count(), LONGEST + 1);
    }
}
