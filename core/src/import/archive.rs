//! Compressed files: gzip, the zip archive with KAI's snapshot, and zip archives of several files.
//!
//! Archives are read in memory and never extracted to disk, so paths inside them are harmless. The unpacked size is
//! bounded regardless of the sizes that the archive declares.

use std::io::{Error, Read, Result as IoResult};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};
use rawzip::{CompressionMethod, ZipArchive};

/// Name of the file in KAI's snapshot archive.
const SNAPSHOT: &str = "snapshot.json";
/// Maximum number of entries in an archive.
const ENTRIES_MAX: u64 = 1000;
/// Maximum size of an unpacked snapshot, in bytes.
pub const SNAPSHOT_MAX: u64 = 1_000_000_000;

/// Reader that inflates deflated bytes.
pub struct Inflater<'a> {
    packed: &'a [u8],
    state: Box<InflateState>,
    /// Remaining number of inflated bytes before the limit.
    left: u64,
    most: u64,
    is_at_end: bool,
}

impl<'a> Inflater<'a> {
    fn new(packed: &'a [u8], size_max: u64) -> Inflater<'a> {
        let state = InflateState::new_boxed(DataFormat::Raw);
        Inflater { packed, state, left: size_max, most: size_max, is_at_end: false }
    }
}

impl Read for Inflater<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        while !self.is_at_end && !buffer.is_empty() {
            let step = inflate(&mut self.state, self.packed, buffer, MZFlush::None);
            self.packed = &self.packed[step.bytes_consumed..];
            match step.status {
                Ok(MZStatus::StreamEnd) => self.is_at_end = true,
                Ok(_) if step.bytes_written > 0 || step.bytes_consumed > 0 => {}
                _ => return Err(Error::other("the compressed data is damaged or cut off")),
            }
            let n = step.bytes_written as u64;
            if n > self.left {
                let megabytes = self.most / 1_000_000;
                return Err(Error::other(format!("it unpacks to more than {megabytes} MB; split it")));
            }
            self.left -= n;
            if n > 0 {
                return Ok(step.bytes_written);
            }
        }
        Ok(0)
    }
}

/// Whether bytes are a gzip file.
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Whether bytes are a zip archive.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Unpacks a gzip file. Fails if the result exceeds `size_max` bytes.
pub fn gunzip(bytes: &[u8], size_max: u64) -> Result<Vec<u8>, String> {
    let packed = behind_gzip_head(bytes).ok_or("the gzip header is damaged; compress it again")?;
    let mut unpacked = Vec::new();
    match Inflater::new(packed, size_max).read_to_end(&mut unpacked) {
        Ok(_) => Ok(unpacked),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the bytes after the header of a gzip file (RFC 1952).
fn behind_gzip_head(bytes: &[u8]) -> Option<&[u8]> {
    let (flags, mut rest) = (*bytes.get(3)?, bytes.get(10..)?);
    if bytes.get(2) != Some(&8) {
        return None;
    }
    if flags & 4 != 0 {
        let n = usize::from(u16::from_le_bytes([*rest.first()?, *rest.get(1)?]));
        rest = rest.get(2 + n..)?;
    }
    // Zero-terminated file name and comment.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = &rest[end + 1..];
        }
    }
    rest.get(if flags & 2 != 0 { 2 } else { 0 }..)
}

/// A file of an archive.
pub struct ArchivedFile {
    /// Path in the archive, for messages only.
    pub name: String,
    /// Unpacked content.
    pub bytes: Vec<u8>,
}

/// Unpacks the files of an archive. Fails if they exceed `size_max` bytes in total. `None` for a snapshot, which is read as
/// a stream by [`read_snapshot`].
pub fn unzip(bytes: &[u8], size_max: u64) -> Result<Option<Vec<ArchivedFile>>, String> {
    let damaged = |error: rawzip::Error| format!("the archive is damaged ({error}); download it again");
    let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
    let n = archive.entries_hint();
    if n > ENTRIES_MAX {
        return Err(format!("the archive has {n} entries; up to {ENTRIES_MAX} are read; split it"));
    }
    let (mut files, mut remaining) = (Vec::new(), size_max);
    let mut entries = archive.entries();
    for _ in 0..ENTRIES_MAX {
        let Some(entry) = entries.next_entry().map_err(damaged)? else { break };
        let path = entry.file_path();
        if path.as_ref() == SNAPSHOT.as_bytes() {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(path.as_ref()).into_owned();
        if entry.is_dir() {
            continue;
        }
        let method = entry.compression_method();
        let entry = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
        let mut unpacked = Vec::new();
        let mut plain = Inflater::new(entry.data(), remaining);
        let mut stored = entry.data().take(remaining);
        let packed: &mut dyn Read = match method {
            CompressionMethod::DEFLATE => &mut plain,
            CompressionMethod::STORE => &mut stored,
            _ => {
                return Err(format!("{name} is not deflated; unpack the archive and choose the files inside"));
            }
        };
        let read = entry.verifying_reader(packed).read_to_end(&mut unpacked);
        read.map_err(|error| format!("{name}: {error}"))?;
        remaining -= unpacked.len() as u64;
        files.push(ArchivedFile { name, bytes: unpacked });
    }
    // The declared number of entries may be wrong.
    if entries.next_entry().is_ok_and(|entry| entry.is_some()) {
        return Err(format!("the archive has more than {ENTRIES_MAX} entries; up to {ENTRIES_MAX} are read; split it"));
    }
    if files.is_empty() {
        return Err("the archive has no files; choose another".to_string());
    }
    Ok(Some(files))
}

/// Reads the snapshot in an archive as a stream; the checksum is verified at the end.
pub fn read_snapshot<T>(bytes: &[u8], read: impl FnOnce(&mut dyn Read) -> Result<T, String>) -> Result<T, String> {
    let damaged = |error: rawzip::Error| format!("the archive is damaged ({error}); download it again");
    let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
    let n = archive.entries_hint();
    if n > ENTRIES_MAX {
        return Err(format!("the archive has {n} entries; a snapshot of KAI has one, {SNAPSHOT}"));
    }
    let mut entries = archive.entries();
    for _ in 0..ENTRIES_MAX {
        let Some(entry) = entries.next_entry().map_err(damaged)? else { break };
        if entry.file_path().as_ref() != SNAPSHOT.as_bytes() {
            continue;
        }
        if entry.compression_method() != CompressionMethod::DEFLATE {
            return Err(format!("{SNAPSHOT} is not deflated; download it again"));
        }
        let entry = archive.get_entry(entry.wayfinder()).map_err(damaged)?;
        return read(&mut entry.verifying_reader(Inflater::new(entry.data(), SNAPSHOT_MAX)));
    }
    Err(format!("the archive has no {SNAPSHOT}; unpack it and choose the files inside"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_archives_end_with_a_message() {
        for text in ["PK\x03\x04", "PK\x05\x06junk", "PK\x03\x04snapshot.json and no directory"] {
            let read = read_snapshot(text.as_bytes(), |_| Ok(()));
            assert!(read.is_err_and(|message| message.contains("damaged")), "{text}");
        }
        assert!(gunzip(&[0x1f, 0x8b, 8], 100).is_err());
        assert!(gunzip(&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0, b'n'], 100).is_err());
    }

    #[test]
    fn what_comes_out_is_bounded() {
        let packed = miniz_oxide::deflate::compress_to_vec(&vec![b'x'; 1_000_000], 6);
        let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        file.extend(packed);
        assert_eq!(gunzip(&file, 1_000_000).map(|text| text.len()), Ok(1_000_000));
        assert!(gunzip(&file, 999_999).is_err_and(|message| message.contains("more than")));
    }
}
