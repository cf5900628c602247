//! Runs the browser tests, one project at a time, on a page served by this program.

use std::path::Path;
use std::process::Command;

use crate::server::Server;
use crate::step::{Failure, step, watch};
use crate::tally::Tally;
use crate::tools;

/// Advice for failed browser tests.
pub const LOOK_AT_RESULTS: &str = "read the messages above; screenshots are in tests/e2e/results";

/// Path below which the page is served; not the root, because the page must work on any path.
const MOUNT: &str = "/some/path/";

/// Runs one project of the browser tests on the files in `dist`.
pub fn browser(dist: &Path, project: &str, args: &[String]) -> Result<Tally, Failure> {
    let folder = tools::node_packages()?;
    let browser = match project {
        "firefox" => tools::FIREFOX.path()?,
        "webkit" => tools::WEBKIT.path()?,
        _ => tools::CHROMIUM.path()?,
    };
    let server = Server::bind(dist.to_owned(), MOUNT, 0)?;
    let address = server.address();
    std::thread::spawn(move || server.run());
    step("Browser tests", || {
        let mut tally = Tally::default();
        let mut playwright = Command::new(folder.join("node_modules/.bin/playwright"));
        playwright
            .args(["test", &format!("--project={project}")])
            .args(args)
            .current_dir(&folder)
            .env("FAIRGROUND_URL", address)
            .env("FAIRGROUND_BROWSER", browser)
            .env("FORCE_COLOR", "0");
        let succeeded = watch(&mut playwright, |line| {
            tally = tally.with_playwright(line);
            true
        })?;
        if succeeded || tally.failed > 0 {
            Ok(tally)
        } else {
            Err(Failure::new("the browser tests did not run to their end", LOOK_AT_RESULTS))
        }
    })
}
