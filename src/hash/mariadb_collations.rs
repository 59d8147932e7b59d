//! `mariadb-key` under collations that fold letters: what `PARTITION BY KEY` divides for their columns.
//!
//! Both drop spaces at the end (code 20, hexadecimal) before they fold; so numbers, which MariaDB hashes as
//! their bytes, low byte first, under latin1_swedish_ci, lose high bytes of that code.

use super::databases::mariadb_key;
use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

const SOURCE: &str = "MariaDB 10.11, collations of latin1 and utf8mb4, https://mariadb.com/kb/en/supported-character-sets-and-collations/";

/// `mariadb-key-latin1`.
pub static INFO_LATIN1: HasherInfo = HasherInfo {
    name: "mariadb-key-latin1",
    summary: "mariadb-key of latin1_swedish_ci, 32 bits: spaces at the end dropped, letters folded (views latin1 for \
              texts, i64-le for bigint, i32-le for int)",
    source: SOURCE,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| mariadb_latin1(bytes).into()),
};

/// `mariadb-key-general-ci`.
pub static INFO_GENERAL_CI: HasherInfo = HasherInfo {
    name: "mariadb-key-general-ci",
    summary: "mariadb-key of utf8mb4_general_ci, 32 bits: spaces at the end dropped, each character folded and \
              as 2 bytes, low byte first (letters that the rule does not cover: as they are)",
    source: SOURCE,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| mariadb_general_ci(bytes).into()),
};

/// What latin1_swedish_ci sorts the codes c0 to ff as: accents off, letters large, Ä and Æ as `\`, Å as `[`,
/// Ö as `]`, Ü as Y.
const SWEDISH: [u8; 64] = *b"AAAA\\[\\CEEEEIIII\
    DNOOOO]\xd7\xd8UUUYY\xde\xdf\
    AAAA\\[\\CEEEEIIII\
    DNOOOO]\xf7\xd8UUUYY\xde\xff";

/// The digest of bytes in latin1.
#[inline]
pub fn mariadb_latin1(bytes: &[u8]) -> u32 {
    mariadb_key(trimmed(bytes).iter().map(|&byte| match byte {
        0xc0.. => SWEDISH[usize::from(byte - 0xc0)],
        _ => byte.to_ascii_uppercase(),
    }))
}

/// The digest of a text. What is not UTF-8 counts as U+FFFD.
#[inline]
pub fn mariadb_general_ci(bytes: &[u8]) -> u32 {
    let bytes = trimmed(bytes);
    if bytes.is_ascii() {
        return mariadb_key(bytes.iter().flat_map(|byte| [byte.to_ascii_uppercase(), 0]));
    }
    let text = String::from_utf8_lossy(bytes);
    mariadb_key(text.chars().flat_map(|c| general_ci(c).unwrap_or(c as u32 as u16).to_le_bytes()))
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// What utf8mb4_general_ci sorts letters as: large, without the accents that Unicode 3 takes off, but Й.
/// From U+00C0:
static LATIN: [u16; 192] = units(
    "AAAAAAÆCEEEEIIIIÐNOOOOO×ØUUUUYÞSAAAAAAÆCEEEEIIIIÐNOOOOO÷ØUUUUYÞY\
     AAAAAACCCCCCCCDDĐĐEEEEEEEEEEGGGGGGGGHHĦĦIIIIIIIIIIĲĲJJKKĸLLLLLLĿ\
     ĿŁŁNNNNNNŉŊŊOOOOOOŒŒRRRRRRSSSSSSSSTTTTŦŦUUUUUUUUUUUUWWYYYZZZZZZS",
);
/// From U+0386:
static GREEK: [u16; 73] = units(
    "Α\u{387}ΕΗΙ\u{38b}Ο\u{38d}ΥΩΙΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{3a2}ΣΤΥΦΧΨΩΙΥΑΕΗΙΥΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΣΤΥΦΧΨΩΙΥΟΥΩ",
);
/// From U+0400:
static CYRILLIC: [u16; 96] = units(
    "ЕЕЂГЄЅІІЈЉЊЋКИУЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ\
     АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЕЕЂГЄЅІІЈЉЊЋКИУЏ",
);

/// The code points of a text of N characters below U+0800.
const fn units<const N: usize>(text: &str) -> [u16; N] {
    let (bytes, mut out) = (text.as_bytes(), [0; N]);
    let (mut at, mut i) = (0, 0);
    while i < N {
        let first = bytes[at] as u16;
        if first < 0x80 {
            out[i] = first;
            at += 1;
        } else {
            out[i] = (first & 0x1f) << 6 | bytes[at + 1] as u16 & 0x3f;
            at += 2;
        }
        i += 1;
    }
    assert!(at == bytes.len());
    out
}

/// What utf8mb4_general_ci sorts a character as; characters beyond U+FFFF all alike. None for blocks
/// with letters that are not covered here: Latin beyond U+017F, rare Greek, Cyrillic beyond U+045F,
/// Armenian, letterlike symbols.
pub fn general_ci(c: char) -> Option<u16> {
    let code = c as u32;
    let unit = code as u16;
    Some(match code {
        0x0000..0x0080 => c.to_ascii_uppercase() as u16,
        // The micro sign is a small mu.
        0x00b5 => 0x039c,
        0x0080..0x00c0 | 0x0300..0x0345 | 0x0346..0x0370 => unit,
        0x00c0..0x0180 => LATIN[code as usize - 0xc0],
        0x0386..0x03cf => GREEK[code as usize - 0x386],
        0x0400..0x0460 => CYRILLIC[code as usize - 0x400],
        0x0180..0x0600 | 0x1e00..0x2000 | 0x2100..0x2200 => return None,
        // Circled and fullwidth letters.
        0x24d0..0x24ea => unit - 0x1a,
        0xff41..0xff5b => unit - 0x20,
        0x1_0000.. => 0xfffd,
        _ => unit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_texts_have_one_digest() {
        let ci = |text: &str| mariadb_general_ci(text.as_bytes());
        for (one, other) in [
            ("Straße", "STRASE"),
            ("Élan vital ", "elan VITAL"),
            ("ключ", "КЛЮЧ"),
            ("ёж", "ЕЖ"),
            ("Žižkov", "ZIZKOV"),
            ("ΐός", "ΙΟΣ"),
            ("😀", "🙂"),
            ("", "   "),
            ("ａｚ", "ＡＺ"),
        ] {
            assert_eq!(ci(one), ci(other), "{one} {other}");
        }
        assert_eq!(general_ci('Ἀ'), None);
        for (one, other) in
            [("й", "и"), ("æ", "ae"), (" a", "a"), ("中", "文"), ("ø", "o"), ("Ł", "L")]
        {
            assert_ne!(ci(one), ci(other), "{one} {other}");
        }
    }

    #[test]
    fn swedish_letters_come_after_z() {
        assert_eq!(mariadb_latin1(b"\xe5\xe4\xf6"), mariadb_latin1(b"[\\]"));
        assert_eq!(mariadb_latin1(b"\xfc\xdc\xe9"), mariadb_latin1(b"yYe"));
        assert_eq!(mariadb_latin1(&[1, 0x20, 0x20]), mariadb_latin1(&[1]));
        assert_ne!(mariadb_latin1(&[1, 0x20, 0]), mariadb_latin1(&[1]));
    }
}
