//! What an import says of a scenario that cannot be run.

use crate::runner::{code, fairground, text};

/// What is written passes the check; warnings of the check are printed, and what cannot be run is refused.
#[test]
fn an_import_is_checked() {
    let shard = |strategy: &str| {
        format!(
            "apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: {{name: default}}\nspec: {{placementStrategy: {{gpu: {strategy}}}}}\n"
        )
    };
    let imported = fairground(&["import", "-"], &shard("spread"));
    assert_eq!(code(&imported), Some(0), "{}", text(&imported.stderr));
    let imported = fairground(&["import", "-"], &shard("sideways"));
    assert_eq!((code(&imported), text(&imported.stdout).as_str()), (Some(2), ""), "{}", text(&imported.stderr));
    assert!(text(&imported.stderr).contains("error S013"), "{}", text(&imported.stderr));
    assert!(text(&imported.stderr).contains("scenario: cannot be run: 1 error; nothing was written"));
    let file = std::env::temp_dir().join(format!("fairground-imported-{}.yaml", std::process::id()));
    let name = file.to_str().expect("a name");
    let imported = fairground(&["import", "-", "--output", name], &shard("sideways"));
    assert_eq!(code(&imported), Some(2), "{}", text(&imported.stderr));
    let said = format!("{name}: cannot be run: 1 error; correct it there");
    assert!(text(&imported.stderr).contains(&said), "{}", text(&imported.stderr));
    let checked = fairground(&["check", name], "");
    assert_eq!((code(&checked), text(&checked.stderr).contains("error S013")), (Some(2), true));
    std::fs::remove_file(file).expect("the written file");
    let queue = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: team}\nspec: {resources: {cpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}\n";
    let imported = fairground(&["import", "-"], queue);
    assert_eq!(code(&imported), Some(0));
    assert!(text(&imported.stderr).contains("4 cores are 4000"), "{}", text(&imported.stderr));
}
