//! A placeholder for a part whose spec is on another host and unavailable.

use super::nodes::{component, inline_code, node, paragraph, text};
use crate::mdx::{Node, NodeKind};

/// Maximum number of listed URLs.
const SHOWN: usize = 3;

/// A part of a spec that couldn't be read.
#[derive(Debug, Clone)]
pub struct Unavailable<'a> {
    /// The part, as on its page: `GET /pets`.
    pub part: String,
    /// Possible URLs of its spec.
    pub addresses: &'a [String],
}

impl Unavailable<'_> {
    /// A callout for readers.
    pub fn nodes(&self) -> Vec<Node> {
        let mut reason =
            vec![text("The API spec of "), inline_code(&self.part), text(self.reason())];
        for (number, address) in self.shown().enumerate() {
            reason.push(text(if number == 0 { " " } else { ", " }));
            let url = address.to_owned();
            reason.push(node(NodeKind::Link { url, title: None }, vec![text(address)]));
        }
        let remedy = vec![
            text("To show it here, allow it to be fetched with "),
            inline_code("--remote-specs DIR"),
            text(", or put a copy into the repository."),
        ];
        vec![component("Warning", vec![], vec![paragraph(reason), paragraph(remedy)])]
    }

    const fn reason(&self) -> &'static str {
        if self.addresses.len() == 1 {
            " is on another host and wasn't available when this site was built:"
        } else {
            " can be on one of these hosts, which weren't available when this site was built:"
        }
    }

    fn shown(&self) -> impl Iterator<Item = &str> {
        self.addresses.iter().take(SHOWN).map(String::as_str)
    }
}
