//! Keys from texts that a person writes: in a scenario, as an argument, on a line.

use super::{Key, KeyBatch, KeyKind};

/// Appends the key of the batch's kind that a text gives. Err: what the text is not, e.g. `a UUID`.
pub fn push_text(batch: &mut KeyBatch, text: &[u8]) -> Result<(), &'static str> {
    let utf8 = || std::str::from_utf8(text).map_err(|_| "UTF-8 text");
    match batch.kind() {
        KeyKind::Text => batch.push(&Key::Text(utf8()?)),
        KeyKind::I64 => {
            let n = utf8()?.trim().parse().map_err(|_| "a signed 64-bit integer")?;
            batch.push(&Key::I64(n));
        }
        KeyKind::U64 => {
            let n = utf8()?.trim().parse().map_err(|_| "an unsigned 64-bit integer")?;
            batch.push(&Key::U64(n));
        }
        KeyKind::Bytes => {
            let bytes = hex(text.trim_ascii()).ok_or("bytes in hexadecimal")?;
            batch.push(&Key::Bytes(&bytes));
        }
        KeyKind::Uuid => {
            let n = uuid(utf8()?.trim()).ok_or("a UUID")?;
            batch.push(&Key::Uuid(n));
        }
    }
    Ok(())
}

/// Bytes in hexadecimal, perhaps after `0x`.
pub fn hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    let text = text.strip_prefix(b"0x").unwrap_or(text);
    if text.len() % 2 == 1 {
        return None;
    }
    text.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// A UUID with its hyphens in place or with none.
pub fn uuid(text: &str) -> Option<u128> {
    let hyphens: Vec<usize> = text.match_indices('-').map(|(i, _)| i).collect();
    let digits = text.replace('-', "");
    let placed = hyphens.is_empty() || hyphens == [8, 13, 18, 23];
    let plain = digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if placed && plain { u128::from_str_radix(&digits, 16).ok() } else { None }
}

/// The least UUID whose text begins so, and the number of bits that the text fixes. The hyphens stand
/// in their places, as far as the text goes.
pub fn uuid_start(text: &str) -> Option<(u128, u32)> {
    let placed = |(i, b): (usize, u8)| match i {
        8 | 13 | 18 | 23 => b == b'-',
        _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
    };
    if text.len() > 36 || !text.bytes().enumerate().all(placed) {
        return None;
    }
    let digits = text.replace('-', "");
    let bits = 4 * digits.len() as u32;
    let number = u128::from_str_radix(&digits, 16).unwrap_or(0);
    Some((number.checked_shl(128 - bits).unwrap_or(0), bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_uuid_is_the_least_one_that_begins_so() {
        let id = 0x123e_4567_e89b_12d3_a456_4266_1417_4000u128;
        assert_eq!(uuid_start("123e4567-e89b-12d3-a456-426614174000"), Some((id, 128)));
        assert_eq!(uuid_start("123e4567-e8"), Some((0x12_3e45_67e8 << 88, 40)));
        assert_eq!(uuid_start("123e4567-"), Some((0x123e_4567 << 96, 32)));
        assert_eq!(uuid_start(""), Some((0, 0)));
        for wrong in ["123e4567e", "123E", "-", "x", "123e4567-e89b-12d3-a456-4266141740000"] {
            assert_eq!(uuid_start(wrong), None, "{wrong}");
        }
    }
}
