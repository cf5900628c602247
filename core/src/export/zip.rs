//! Writes deterministic zip archives.

use std::io::Write;

use rawzip::{CompressionMethod, DataDescriptorOutput, Error, ZipArchiveWriter, crc32};

use super::File;

/// Compression level, from 0 to 10.
const LEVEL: u8 = 6;

/// Packs files into an archive. `None` if a file name is too long for the format.
pub fn zip(files: &[File]) -> Option<Vec<u8>> {
    packed(files).ok()
}

fn packed(files: &[File]) -> Result<Vec<u8>, Error> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for file in files {
        let bytes = file.text.as_bytes();
        let entry = archive.new_file(&file.name).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, _) = entry.start()?;
        entry.write_all(&miniz_oxide::deflate::compress_to_vec(bytes, LEVEL))?;
        entry.finish(DataDescriptorOutput::new(crc32(bytes), bytes.len() as u64))?;
    }
    archive.finish()
}
