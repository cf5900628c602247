//! File operations with failures that name the file.

use std::path::{Path, PathBuf};

use crate::step::Failure;

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::file(path, error))
}

/// Writes a file. Creates its folder if it is missing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    std::fs::write(path, bytes).map_err(|error| Failure::file(path, error))
}

/// Returns all files below `folder`, sorted.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| Failure::file(folder, error))? {
        let path = entry.map_err(|error| Failure::file(folder, error))?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Deletes a folder and creates it empty.
pub fn clear(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))
}
