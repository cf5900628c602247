//! Sources of rules: title, and address if the source is public.

/// The revisions from which the rules were taken.
const KAI: (&str, &str) = (
    "KAI Scheduler, source after 0.13.0",
    "https://github.com/kai-scheduler/KAI-Scheduler/tree/72de64fc8eca10fa8cca26a20156178f3edbe092",
);
const KAI_V0_17: (&str, &str) = (
    "KAI Scheduler, source after 0.17.0",
    "https://github.com/kai-scheduler/KAI-Scheduler/tree/d5bc503a146317e51037d89775d77172c6d12f71",
);
const KAI_V0_18: (&str, &str) =
    ("KAI Scheduler, source of 0.18.0", "https://github.com/kai-scheduler/KAI-Scheduler/releases/tag/v0.18.0");
const YUNIKORN: (&str, &str) = (
    "Apache YuniKorn core, source after 1.9.0",
    "https://github.com/apache/yunikorn-core/tree/be3bb487298956dd70906fca15e577bbc12d23cb",
);
const RUNAI: (&str, &str) = (
    "Run:ai documentation, The Run:ai Scheduler",
    "https://docs.run.ai/latest/Researcher/scheduling/the-runai-scheduler/",
);
const HELIOS: (&str, &str) = ("Helios simulator", "https://github.com/S-Lab-System-Group/HeliosArtifact");
const DRF: (&str, &str) = (
    "Ghodsi et al., Dominant Resource Fairness, NSDI 2011",
    "https://www.usenix.org/conference/nsdi11/dominant-resource-fairness-fair-allocation-multiple-resource-types",
);
/// Address of the documentation of IBM Spectrum Symphony 7.3.2; the topic follows.
const IBM: &str = "https://www.ibm.com/docs/en/spectrum-symphony/7.3.2?topic=";
const IBM_PAGES: [(&str, &str); 3] = [
    ("Share policies for multidimensional scheduling", "scheduling-share-policies-multidimensional"),
    ("Resource reclaim for multidimensional scheduling", "scheduling-resource-reclaim-multidimensional"),
    (
        "How does EGO determine resource allocation when multiple consumers with equal share ratios require the same resource",
        "rm-how-does-ego-determine-resource-allocation-when-multiple-consumers-equal-share-ratios-require-same-resource",
    ),
];

/// Title and address of a rule's source; each empty if there is none.
pub fn named(source: &str) -> (String, String) {
    if let Some((_, title)) = source.split_once("IBM, ") {
        let page = IBM_PAGES.iter().find(|page| page.0 == title).map(|page| [IBM, page.1].concat());
        return (format!("IBM Spectrum Symphony 7.3.2, {title}"), page.unwrap_or_default());
    }
    let more = source.split_once("; ").map_or("", |(_, more)| more);
    let link = |(title, address): (&str, &str), more: &str| {
        let title = if more.is_empty() { title.to_string() } else { format!("{title}: {more}") };
        (title, address.to_string())
    };
    match source.split([' ', ',']).next().unwrap_or_default() {
        "kai.md" => link(KAI, source.split_once(", plugin").map_or("", |(_, plugin)| plugin.trim())),
        "kai-v0.17.md" => link(KAI_V0_17, ""),
        "kai-v0.18.md" => link(KAI_V0_18, ""),
        "yunikorn.md" => link(YUNIKORN, more),
        "runai.md" | "docs.run.ai" => link(RUNAI, ""),
        "ego.md" => ("what IBM's documentation leaves open, as it is decided here".into(), String::new()),
        "Helios" => link(HELIOS, source.split_once(", ").map_or("", |(_, more)| more)),
        "Ghodsi" => link(DRF, source.rsplit_once(", ").map_or("", |(_, section)| section)),
        _ => (source.to_string(), String::new()),
    }
}

/// A paragraph of a specification in `docs/spec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// The document, such as `kai`.
    pub document: String,
    /// Number of the paragraph, such as `6.3`.
    pub number: String,
}

/// The first paragraph that a rule's source cites.
pub fn paragraph(source: &str) -> Option<Paragraph> {
    let (document, paragraph) = source.split_once(".md ")?;
    let end = paragraph.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(paragraph.len());
    let number = paragraph[..end].trim_end_matches('.');
    (!number.is_empty()).then(|| Paragraph { document: document.to_string(), number: number.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn sources_are_named_with_version_and_address() {
        let (title, address) = named("kai.md 6.3 A");
        assert_eq!(title, "KAI Scheduler, source after 0.13.0");
        assert!(
            address.starts_with("https://github.com/") && address.ends_with("72de64fc8eca10fa8cca26a20156178f3edbe092")
        );
        assert_eq!(named("yunikorn.md 3.4; sorters.go").0, "Apache YuniKorn core, source after 1.9.0: sorters.go");
        let ibm = named("ego.md 8.1; IBM, Resource reclaim for multidimensional scheduling");
        assert_eq!(ibm.0, "IBM Spectrum Symphony 7.3.2, Resource reclaim for multidimensional scheduling");
        assert!(ibm.1.ends_with("?topic=scheduling-resource-reclaim-multidimensional"));
        assert_eq!(named("ego.md 4, 8.3; IBM, MDPlan.xml reference").1, "");
        assert_eq!(named("ego.md 8.4").1, "");
        assert_eq!(
            named("Ghodsi et al., NSDI 2011, 4.1").0,
            "Ghodsi et al., Dominant Resource Fairness, NSDI 2011: 4.1"
        );
        assert_eq!(named("").0, "");
    }

    #[test]
    fn the_first_paragraph_is_found() {
        let citation = |source| paragraph(source).map(|found| format!("{}.md {}", found.document, found.number));
        assert_eq!(citation("kai.md 6.3 A, 6.8"), Some("kai.md 6.3".into()));
        assert_eq!(citation("ego.md 4; IBM, MDPlan.xml reference"), Some("ego.md 4".into()));
        assert_eq!(citation("Helios simulator, virtual clusters"), None);
    }

    /// Every rule cites a document that can be found.
    #[test]
    fn every_rule_names_a_source_that_can_be_found() {
        for policy in Policy::products() {
            let has_code = policy.modelled.is_some_and(|modelled| !modelled.oldest().commit.is_empty());
            for rule in Policy::rulebook(policy.key).expect("a policy has rules").rules {
                let (title, address) = named(rule.0.source);
                assert!(!title.contains(".md"), "{}: {title}", rule.key());
                assert!(address.starts_with("https://") || !has_code, "{}: {title}", rule.key());
            }
        }
    }
}
