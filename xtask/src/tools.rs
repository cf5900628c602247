//! Finds or installs the pinned tools of a build.
//!
//! Uses a tool of the right version on the search path; otherwise installs it into `target/tools` (Node packages into
//! `tests/e2e/node_modules`), never into folders of the user.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::root;
use crate::step::{Failure, cargo, output, run, step};

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Minimum major version of Node for the pinned packages.
const NODE: u32 = 20;

/// Installs the WASM target of the pinned toolchain if it is missing. Returns its name.
pub fn wasm_target() -> Result<&'static str, Failure> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()))
        .ok_or_else(|| Failure::new("rustc did not start", "install Rust with rustup"))?;
    if !Path::new(&sysroot).join("lib/rustlib").join(WASM_TARGET).exists() {
        step("Add the WASM target to the Rust toolchain", || {
            run(
                Command::new("rustup").args(["target", "add", WASM_TARGET]).current_dir(root()),
                "run `rustup target add wasm32-unknown-unknown` in this folder",
            )
        })?;
    }
    Ok(WASM_TARGET)
}

/// A program of a crate, in a pinned version.
struct Tool {
    package: &'static str,
    version: &'static str,
    /// Arguments that print name and version.
    version_args: &'static [&'static str],
    program: &'static str,
}

impl Tool {
    /// Returns the path of the program if it is installed for this project or on the search path.
    fn find(&self) -> Option<PathBuf> {
        let is_right = |program: &PathBuf| {
            output(Command::new(program).args(self.version_args))
                .is_some_and(|printed| printed.ends_with(&format!(" {}", self.version)))
        };
        [bin().join(self.program), PathBuf::from(self.program)].into_iter().find(is_right)
    }

    /// Returns the path of the program, which is installed if it is missing.
    fn path(&self) -> Result<PathBuf, Failure> {
        if let Some(found) = self.find() {
            return Ok(found);
        }
        let Tool { package, version, .. } = self;
        step(&format!("Install {package} {version} (once, one to three minutes)"), || {
            let mut install = cargo();
            install
                .args(["install", "--quiet", "--locked", "--force", package, "--version"])
                .arg(format!("={version}"))
                .arg("--root")
                .arg(tools())
                // The tools run for a second or so; their own release profiles would take minutes to compile.
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "256");
            run(&mut install, &format!("run `cargo install {package} --version {version} --root target/tools`"))
        })?;
        Ok(bin().join(self.program))
    }
}

/// Returns the path of `cargo-mutants`.
pub fn cargo_mutants() -> Result<PathBuf, Failure> {
    let mutants = Tool {
        package: "cargo-mutants",
        version: "27.1.0",
        version_args: &["mutants", "--version"],
        program: "cargo-mutants",
    };
    mutants.path()
}

/// Returns the path of `cargo-deny`.
pub fn cargo_deny() -> Result<PathBuf, Failure> {
    let deny = Tool { package: "cargo-deny", version: "0.20.2", version_args: &["--version"], program: "cargo-deny" };
    deny.path()
}

/// Returns the folder of installed tools.
fn tools() -> PathBuf {
    root().join("target/tools")
}

/// Returns the folder of their executables.
fn bin() -> PathBuf {
    tools().join("bin")
}

/// Installs Playwright, axe, binaryen, esbuild and CodeMirror as pinned by the Node package of the browser tests.
/// Returns the folder of the package.
pub fn node_packages() -> Result<PathBuf, Failure> {
    let by_hand = format!("install Node {NODE} or newer, with npm");
    let version = output(Command::new("node").arg("--version"))
        .ok_or_else(|| Failure::new("Node is not installed", by_hand.clone()))?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|text| text.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE) {
        return Err(Failure::new(format!("Node {version} is too old"), by_hand));
    }
    let folder = root().join("tests/e2e");
    let lock_path = folder.join("package-lock.json");
    let lock = std::fs::read(&lock_path).map_err(|error| Failure::file(&lock_path, error))?;
    // A copy of the lock file among the installed packages records their versions.
    let stamp = folder.join("node_modules/.installed-from");
    if std::fs::read(&stamp).ok().as_ref() != Some(&lock) {
        step("Install the Node packages of the browser tests", || {
            let mut install = Command::new("npm");
            install.args(["ci", "--loglevel=error"]).current_dir(&folder);
            run(&mut install, "run `npm ci` in tests/e2e")
        })?;
        std::fs::write(&stamp, lock).map_err(|error| Failure::file(&stamp, error))?;
    }
    Ok(folder)
}

/// Returns a command for a program of the Node packages.
pub fn node_program(name: &str) -> Result<Command, Failure> {
    Ok(Command::new(node_packages()?.join("node_modules/.bin").join(name)))
}

/// A browser for the tests.
pub struct Browser {
    name: &'static str,
    /// Environment variable with the path of another one.
    variable: &'static str,
    programs: &'static [&'static str],
    /// Debian's packages. A bare machine has no fonts and would show no text.
    packages: &'static [&'static str],
}

pub const CHROMIUM: Browser = Browser {
    name: "Chromium",
    variable: "FAIRGROUND_CHROMIUM",
    // The shell without windows takes two thirds of the time.
    programs: &["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"],
    packages: &["chromium-headless-shell", "fonts-liberation"],
};

pub const FIREFOX: Browser = Browser {
    name: "Firefox",
    variable: "FAIRGROUND_FIREFOX",
    programs: &["firefox-esr", "firefox"],
    packages: &["firefox-esr", "fonts-liberation"],
};

/// The driver of WebKitGTK, which needs a display.
pub const WEBKIT: Browser = Browser {
    name: "WebKitGTK",
    variable: "FAIRGROUND_WEBKIT",
    programs: &["WebKitWebDriver"],
    packages: &["webkit2gtk-driver", "xvfb", "xauth", "fonts-liberation"],
};

impl Browser {
    /// Returns the path of the browser: the configured, an installed or a newly installed one.
    pub fn path(&self) -> Result<PathBuf, Failure> {
        let Browser { name, variable, packages, .. } = self;
        let by_hand = &format!("install {name}, or name one in the environment variable {variable}");
        if let Some(named) = std::env::var_os(variable) {
            let named = PathBuf::from(named);
            return if named.exists() {
                Ok(named)
            } else {
                Err(Failure::new(format!("{} is not there", named.display()), by_hand))
            };
        }
        if let Some(found) = self.installed() {
            return Ok(found);
        }
        if on_path("apt-get").is_none() {
            return Err(Failure::new(format!("no {name} found"), by_hand));
        }
        step(&format!("Install {name} with apt-get"), || {
            run(&mut apt_get(&["update", "-qq"]), by_hand)?;
            let install = ["install", "-y", "-qq", "--no-install-recommends"];
            run(apt_get(&install).args(*packages), by_hand)
        })?;
        self.installed().ok_or_else(|| Failure::new(format!("no {name} found after its installation"), by_hand))
    }

    fn installed(&self) -> Option<PathBuf> {
        self.programs.iter().find_map(|program| on_path(program))
    }
}

/// Returns an `apt-get` command, through `sudo` if the user is not root and `sudo` exists.
fn apt_get(args: &[&str]) -> Command {
    let root = output(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
    let mut command = if root || on_path("sudo").is_none() {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    };
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn on_path(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|p| p.is_file())
}
