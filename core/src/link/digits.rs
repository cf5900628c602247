//! Numbers as base-64 digits in the URL-safe alphabet (RFC 4648, section 5).

use base64::alphabet::URL_SAFE;

/// Formats a number with a fixed number of digits, most significant first.
pub fn write(n: usize, digits: usize) -> String {
    let alphabet = URL_SAFE.as_str().as_bytes();
    (0..digits).rev().map(|i| char::from(alphabet[n >> (6 * i) & 63])).collect()
}

/// Parses digits.
pub fn read(text: &str) -> Option<usize> {
    text.chars().try_fold(0, |n: usize, c| Some(n << 6 | URL_SAFE.as_str().find(c)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(write(0xfbff, 3), "Pv_");
        assert_eq!(read(&write(123_456, 4)), Some(123_456));
        assert_eq!(read("A="), None);
    }
}
