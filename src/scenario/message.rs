//! Errors as a person reads them: the message, the line of the file with the fault underlined, and
//! what to do.

use std::borrow::Cow;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::error::{Error, Place};

/// Errors shown at once; a long list hides the first, which often causes the others.
const MAX_SHOWN: usize = 20;

/// All errors as text for a terminal (`color`) or a file; the text ends with a newline.
pub fn render(errors: &[Error], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    for (i, error) in errors.iter().take(MAX_SHOWN).enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out += &renderer.render(&[group(error)]);
        out.push('\n');
    }
    if errors.len() > MAX_SHOWN {
        out += &format!("\n… and {} more errors\n", errors.len() - MAX_SHOWN);
    }
    out
}

fn group(error: &Error) -> Group<'_> {
    let mut elements: Vec<Element<'_>> = Vec::new();
    if let Some(place) = &error.place {
        elements.push(excerpt(place));
    }
    elements.extend(error.help.iter().map(|help| Level::HELP.message(visible(help)).into()));
    let title = Level::ERROR.primary_title(visible(&error.message));
    if elements.is_empty() { Group::with_title(title) } else { title.elements(elements) }
}

/// A text with its control characters escaped: a value from a file may hold some that a terminal obeys.
fn visible(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() && c != '\n';
    if !text.contains(harmful) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if harmful(c) { shown.extend(c.escape_debug()) } else { shown.push(c) }
    }
    shown.into()
}

/// The line that the place begins in; only the file for what no line is to blame for.
fn excerpt(place: &Place) -> Element<'_> {
    let text: &str = &place.text;
    let start = place.span.start.min(text.len());
    if start == 0 && place.span.end == 0 {
        return Origin::path(&*place.file).into();
    }
    let line_start =
        text.as_bytes()[..start].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let line_end =
        text.as_bytes()[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| start + i);
    let (line, _) = place.line_column();
    let end = place.span.end.clamp(start, line_end);
    let marked = start - line_start..end - line_start;
    Snippet::source(&text[line_start..line_end])
        .line_start(line)
        .path(&*place.file)
        .annotation(AnnotationKind::Primary.span(marked))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_underlined_in_its_line() {
        let place = Place { file: "s.toml".into(), text: "a = 1\nü = nan\n".into(), span: 11..14 };
        let error = Error::invalid("`ü` is NaN").help("allowed: a number from 0").at(place);
        let expected = "\
error: `ü` is NaN
 --> s.toml:2:5
  |
2 | ü = nan
  |     ^^^
  |
  = help: allowed: a number from 0
";
        assert_eq!(render(&[error], false), expected);
    }

    #[test]
    fn control_characters_of_a_value_are_shown_not_obeyed() {
        let error = Error::invalid("no node `\u{1b}[2J`").help("known: \u{7}a");
        let text = render(&[error], false);
        assert!(text.contains(r"no node `\u{1b}[2J`") && text.contains(r"known: \u{7}a"), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }

    #[test]
    fn errors_without_a_place_and_long_lists_are_shown_too() {
        let errors = vec![Error::invalid("wrong").help("mend it"); 22];
        let text = render(&errors, false);
        assert!(text.starts_with("error: wrong\n |\n = help: mend it\n\nerror: wrong"), "{text}");
        assert!(text.ends_with("\n… and 2 more errors\n"));
    }
}
