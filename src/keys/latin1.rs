//! MySQL's and MariaDB's `latin1`, which is Windows-1252: 80 to 9f (hexadecimal) are characters of their
//! own, and the five codes that Windows leaves undefined are themselves.

/// The characters of the codes 80 to 9f (Microsoft, code page 1252).
const HIGH_CONTROLS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The byte of a character; None where the character set has it not.
pub fn byte(c: char) -> Option<u8> {
    match c {
        '\0'..='\x7f' | '\u{a0}'..='\u{ff}' => Some(c as u8),
        _ => HIGH_CONTROLS.iter().position(|&high| high == c).map(|at| 0x80 + at as u8),
    }
}

/// Whether all characters of a text have bytes.
pub fn holds(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(|c| byte(c).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_windows_1252() {
        assert_eq!(
            [byte('A'), byte('é'), byte('€'), byte('Ÿ')],
            [0x41, 0xe9, 0x80, 0x9f].map(Some)
        );
        assert_eq!([byte('\u{81}'), byte('\u{80}'), byte('中')], [Some(0x81), None, None]);
        assert!(holds("naïve – “ok”".as_bytes()) && !holds("用户".as_bytes()));
    }
}
