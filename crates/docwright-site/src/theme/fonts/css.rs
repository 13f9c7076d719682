//! The part of the style sheet that loads fonts and names them.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{
    AuthorFile, Font, Loaded, SiteFonts, face_path,
    families::{Fallback, Family, Kind},
};

/// Letters for which a fallback is fitted. It isn't for others: Arial has Arabic letters, but languages have better
/// fonts for them.
const FITTED: &str =
    "U+0-52F,U+1E00-1FFF,U+2000-206F,U+20A0-20CF,U+2100-2150,U+2190-21FF,U+2200-22FF,U+2500-25FF";

impl SiteFonts {
    /// The rules of the site's fonts. `address` is where the style sheet finds a file of the site.
    pub(in crate::theme) fn stylesheet(&self, address: &dyn Fn(&str) -> String) -> String {
        let mut css = String::new();
        let mut written = BTreeSet::new();
        for font in [&self.body, &self.heading, &self.code] {
            let is_new = written.insert(font.loaded.family());
            match &font.loaded {
                Loaded::Included(family) if is_new => push_family(&mut css, family, address),
                Loaded::File(file) if is_new => push_file(&mut css, file, address),
                _ => {}
            }
        }
        let (body, heading) = (stack(&self.body), stack(&self.heading));
        let heading = if heading == body { "var(--font-body)".to_owned() } else { heading };
        let code = stack(&self.code);
        let variables = [
            ("body", &body, self.is_configured.0),
            ("heading", &heading, self.is_configured.1),
            ("code", &code, false),
        ];
        // A theme can change what it has by default, not what an author chose.
        for is_configured in [false, true] {
            let values = variables.iter().filter(|(_, _, configured)| *configured == is_configured);
            let values = values.map(|(role, stack, _)| format!("--font-{role}:{stack};"));
            let values = values.collect::<Vec<_>>().concat();
            let rule = format!(":root,:where([lang]){{{values}}}");
            match is_configured {
                _ if values.is_empty() => {}
                true => css.push_str(&rule),
                false => drop(write!(css, "@layer tokens{{{rule}}}")),
            }
            css.push('\n');
        }
        for (selector, weight) in
            [("body", self.weights.0), (":is(h1,h2,h3,h4,h5,h6)", self.weights.1)]
        {
            if let Some(weight) = weight {
                let _ = writeln!(css, "@layer components{{{selector}{{font-weight:{weight}}}}}");
            }
        }
        css
    }
}

impl Loaded {
    /// Name of the family in the style sheet.
    fn family(&self) -> &str {
        match self {
            Self::Included(family) => family.name,
            Self::File(file) => &file.family,
        }
    }
}

/// The value of `font-family`. The variables are those of `styles/fonts.css`.
fn stack(font: &Font) -> String {
    let name = font.loaded.family();
    let first = font.unavailable.as_ref().map(|name| format!("\"{name}\",")).unwrap_or_default();
    let (fallback, kind) = match &font.loaded {
        Loaded::Included(family) => (format!("\"{name} Fallback\","), family.kind),
        Loaded::File(_) => (String::new(), Kind::Sans),
    };
    let rest = match kind {
        Kind::Sans => "var(--font-script),var(--font-system)",
        Kind::Serif => "var(--font-script),Georgia,serif",
        Kind::Monospaced => "var(--font-fixed),var(--font-script),monospace",
    };
    format!("{first}\"{name}\",{fallback}{rest}")
}

fn push_family(css: &mut String, family: &Family, address: &dyn Fn(&str) -> String) {
    let name = family.name;
    for face in family.faces {
        let _ = writeln!(
            css,
            "@font-face{{font-family:\"{name}\";font-style:{};font-weight:{};font-display:swap;\
             src:url(\"{}\") format(\"woff2\");unicode-range:{}}}",
            face.style,
            face.weights,
            address(&face_path(family, face)),
            face.range
        );
    }
    push_fallbacks(css, family);
}

/// The rules of `{name} Fallback`: fonts of operating systems in which text takes the same room as in an included
/// family, so that nothing moves when its file arrives. Empty for other families.
pub fn fallback_faces(name: &str) -> String {
    let mut css = String::new();
    if let Some(family) = Family::named(name) {
        push_fallbacks(&mut css, family);
    }
    css
}

fn push_fallbacks(css: &mut String, Family { name, fallbacks, .. }: &Family) {
    for Fallback { font, size, ascent, descent, gap } in *fallbacks {
        let local = font.names.iter().map(|name| format!("local(\"{name}\")"));
        let _ = writeln!(
            css,
            "@font-face{{font-family:\"{name} Fallback\";font-weight:{};src:{};size-adjust:{size}%;\
             ascent-override:{ascent}%;descent-override:{descent}%;line-gap-override:{gap}%;unicode-range:{FITTED}}}",
            font.weights,
            local.collect::<Vec<_>>().join(","),
        );
    }
}

fn push_file(css: &mut String, file: &AuthorFile, address: &dyn Fn(&str) -> String) {
    let _ = writeln!(
        css,
        "@font-face{{font-family:\"{}\";font-weight:{};font-display:swap;src:url(\"{}\") format(\"{}\")}}",
        file.family,
        file.weights,
        address(&file.path),
        file.kind.format
    );
}
