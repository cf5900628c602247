//! Base64 with the alphabet for addresses, without padding (RFC 4648, section 5).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - chunk.len()));
        for i in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * i) & 63) as usize]));
        }
    }
    text
}

/// Text as bytes; `None` if it is not what [`encode`] writes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for &c in chunk {
            bits = bits << 6 | digit(c)?;
        }
        bits <<= 6 * (4 - chunk.len());
        let n = chunk.len().checked_sub(1).filter(|&n| n > 0)?;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=n]);
    }
    Some(bytes)
}

fn digit(c: u8) -> Option<u32> {
    Some(match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

/// A number as digits of base 64, most significant first.
pub fn number(n: usize, digits: usize) -> String {
    (0..digits).rev().map(|i| char::from(ALPHABET[n >> (6 * i) & 63])).collect()
}

/// The number of some digits of base 64.
pub fn read_number(text: &str) -> Option<usize> {
    text.bytes().try_fold(0, |n: usize, c| Some(n << 6 | digit(c)? as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_of_the_standard_hold() {
        for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Zm=="), None);
        assert_eq!(read_number(&number(123_456, 4)), Some(123_456));
    }
}
