//! Imports a multidimensional resource plan of IBM EGO (`MDPlan.xml`) as a scenario with the consumer tree, without
//! jobs.
//!
//! Source of the elements: IBM, *MDPlan.xml reference*. Source of the priorities: IBM, *Share priority and ratio*; 1 is
//! the highest and 10 the lowest, so the import reverses them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::options::Options;
use super::xml::{self, Element};
use super::{Imported, NODES, Report, counted, node_group, push_once, typed};
use crate::policy::ego;
use crate::scenario::{
    Diagnostic, NODE_GPUS_MAX, NODES_MAX, Path, QUEUES_MAX, QueueEntry, Scalar, Scenario, codes, finding, quoted,
};

/// Maximum number of lines of one kind in a report; further ones are counted.
const LISTED_MAX: usize = 100;

/// Sum of a share priority, from 1, the highest, to 10, and the priority of the scenario.
const PRIORITIES: i64 = 11;

/// Whether a text is a resource plan.
pub fn is_plan(text: &str) -> bool {
    text.contains("<DistributionTree")
}

/// Imports a resource plan. It contains neither hosts nor jobs: hosts are assumed, jobs are left to the user.
pub fn import_plan(text: &str, options: &Options) -> Imported {
    let mut report = Report::default();
    let parsed = xml::parse(text).filter(|(root, _)| root.name == "DistributionTree");
    let scenario = parsed.and_then(|(root, unclosed)| {
        for (name, line) in unclosed {
            report.diagnostics.push(mistake(line, format!("{} is not closed", quoted(&format!("<{name}>")))));
        }
        let (n_nodes, node_gpus) = options.nodes.unwrap_or(NODES);
        let is_counted = u64::from(n_nodes) <= NODES_MAX && i64::from(node_gpus) <= NODE_GPUS_MAX;
        let mut plan = Reader {
            report: &mut report,
            scenario: Scenario { policy: ego::DESCRIPTION.key.into(), ..Scenario::default() },
            queues: Vec::new(),
            names: BTreeSet::new(),
            numbers: BTreeMap::new(),
            unlisted: Unlisted::default(),
            n_nodes,
            node_gpus,
        };
        plan.read(&root);
        is_counted.then(|| plan.finish(options))
    });
    if scenario.is_none() {
        report.ignore("the text: it is no DistributionTree that can be read");
    }
    let is_clean = report.diagnostics.is_empty();
    Imported { scenario: scenario.filter(|_| is_clean), report }
}

/// Returns an error at a line.
fn mistake(line: u32, message: String) -> Diagnostic {
    let diagnostic = finding(codes::IMPORT, Path::default(), message);
    Diagnostic { position: Some((line, 1)), ..diagnostic }
}

/// Adds a line to a list of the report, or counts it if the list is full.
fn push_listed<T>(list: &mut Vec<T>, line: T, n_unlisted: &mut usize) {
    if list.len() < LISTED_MAX {
        list.push(line);
    } else {
        *n_unlisted += 1;
    }
}

/// Numbers of lines that the report does not list.
#[derive(Default)]
struct Unlisted {
    ignored: usize,
    assumed: usize,
    mistakes: usize,
    /// Number of consumers beyond the maximum number of queues, and the line of the first.
    consumers: usize,
    consumers_from: u32,
}

struct Reader<'r> {
    report: &'r mut Report,
    scenario: Scenario,
    queues: Vec<QueueEntry>,
    /// Queue names in use.
    names: BTreeSet<String>,
    /// Last number appended to each duplicate name.
    numbers: BTreeMap<String, u32>,
    unlisted: Unlisted,
    n_nodes: u32,
    node_gpus: u32,
}

impl Reader<'_> {
    fn read(&mut self, root: &Element) {
        let name = root.attribute("DistributionTreeName").unwrap_or("resource plan");
        self.scenario.name = name.to_string();
        for parameter in root.all("PolicyParameter") {
            match parameter.attribute("name") {
                Some("DefaultGracePeriod") => self.seconds("grace", parameter),
                other => self.ignored(&format!("parameter {}", other.unwrap_or("without a name")), parameter),
            }
        }
        for resource in root.child("ConsumableResources").iter().flat_map(|list| &list.children) {
            self.over_commit(resource);
        }
        for consumer in root.all("Consumer") {
            self.consumer(consumer, None);
        }
        let n = self.queues.len();
        self.report.understand(format!("{n} consumers as queues, with ratio, priority, limits and ownership"));
        let mut unread = BTreeMap::new();
        root.unread(&mut unread);
        for ((element, name), n) in unread {
            self.report.ignore(format!("attribute {name} of {element}, in {}", counted(n.into(), "place")));
        }
        self.count_unlisted();
    }

    /// Reports the numbers of unlisted lines.
    fn count_unlisted(&mut self) {
        let Unlisted { ignored, assumed, mistakes, consumers, consumers_from } = self.unlisted;
        if consumers > 0 {
            let (verb, from) = (if consumers == 1 { "is" } else { "are" }, consumers_from);
            let message = format!(
                "consumers from line {from} on: {consumers} {verb} left out, a scenario has at most {QUEUES_MAX} queues"
            );
            self.report.ignore(message);
        }
        for (n, list) in [(ignored, &mut self.report.ignored), (assumed, &mut self.report.assumed)] {
            if n > 0 {
                list.push(format!("and {n} more like those above"));
            }
        }
        if mistakes > 0 {
            self.report.refuse(format!("{mistakes} more mistakes like the {LISTED_MAX} above"));
        }
    }

    fn consumer(&mut self, element: &Element, parent: Option<&str>) {
        let Some(typed) = element.attribute("ConsumerName").filter(|name| !name.is_empty()) else {
            self.ignored("a consumer without a name", element);
            return;
        };
        if self.queues.len() as u64 >= QUEUES_MAX {
            if self.unlisted.consumers == 0 {
                self.unlisted.consumers_from = element.line;
            }
            self.unlisted.consumers += consumers_in(element);
            return;
        }
        let name = self.unused_name(typed, parent);
        let index = self.queues.len();
        let parent = parent.map(str::to_string);
        self.queues.push(QueueEntry { name: name.clone(), parent, ..QueueEntry::default() });
        for part in &element.children {
            match part.name.as_str() {
                "Consumer" => self.consumer(part, Some(&name)),
                "DistributionPolicies" => self.policies(part, index, &name),
                "OwnershipPolicy" => self.ownership(part, index, &name),
                "SlotMapping" | "" => {}
                other => self.ignored(&format!("{other} of {name}"), part),
            }
        }
    }

    /// Returns an unused queue name for a consumer: its own, with the parent's as a prefix, or with a number.
    fn unused_name(&mut self, typed: &str, parent: Option<&str>) -> String {
        let qualified = || parent.map(|parent| format!("{parent}/{typed}"));
        let names = &self.names;
        let is_free = |name: &String| !names.contains(name);
        let mut unused = Some(typed.to_string()).filter(is_free).or_else(|| qualified().filter(is_free));
        let number = self.numbers.entry(typed.to_string()).or_insert(1);
        while unused.is_none() {
            *number += 1;
            unused = Some(format!("{typed}-{number}")).filter(is_free);
        }
        let name = unused.unwrap_or_default();
        self.names.insert(name.clone());
        name
    }

    fn policies(&mut self, element: &Element, index: usize, name: &str) {
        for part in &element.children {
            match part.name.as_str() {
                "Rank" => {
                    if let Some(rank) = self.whole(part, &part.text, "a rank", "a whole number from 0") {
                        self.setting(&format!("rank.{name}"), &rank.to_string());
                    }
                }
                "Sharing" => self.sharing(part, index, name),
                "OwnershipPolicy" => self.ownership(part, index, name),
                other => self.ignored(&format!("{other} of {name}"), part),
            }
        }
    }

    fn sharing(&mut self, element: &Element, index: usize, name: &str) {
        let written = element.attribute("priority");
        if let Some(priority) = written.and_then(|p| self.whole(element, p, "a share priority", "1 to 10")) {
            let priority = i64::from(priority).clamp(1, 10);
            self.queues[index].priority = typed(PRIORITIES - priority);
            let turned = "priorities turned round: 1 is the highest in a plan, here the largest is first";
            push_once(&mut self.report.understood, turned);
        }
        for part in &element.children {
            match part.name.as_str() {
                "Shares" if part.attribute("type").is_none_or(|t| t == "ratio") => {
                    let ratio = part.text.trim();
                    if ratio.parse::<f64>().is_ok_and(|ratio| ratio.is_finite() && ratio >= 0.0) {
                        self.queues[index].gpu.weight = Some(ratio.into());
                    } else {
                        let message = format!("{} is not a share ratio: write a number from 0", quoted(ratio));
                        self.mistake(part.line, message);
                    }
                }
                "Limit" => part.children.iter().for_each(|dim| self.limit(dim, index, name)),
                other => self.ignored(&format!("{other} of {name}"), part),
            }
        }
    }

    fn limit(&mut self, dim: &Element, index: usize, name: &str) {
        let queue = &mut self.queues[index];
        let value = dim.text.trim();
        let is_amount = dim.attribute("type").is_none_or(|t| t == "absolute") && value.parse::<f64>().is_ok();
        match dim.name.as_str() {
            "ncpus" | "nthreads" | "slots" if is_amount => queue.cpu.limit = Some(value.into()),
            "ngpus" | "ngpu" | "ngpus_physical" if is_amount => queue.gpu.limit = Some(value.into()),
            "mem" | "maxmem" if is_amount => queue.memory.limit = typed(format!("{value}Mi")),
            other => self.ignored(&format!("limit of {name} in {other}"), dim),
        }
    }

    fn ownership(&mut self, element: &Element, index: usize, name: &str) {
        let mut hosts = 0;
        for part in &element.children {
            match part.name.as_str() {
                "PrivatePoolGracePeriod" => self.seconds(&format!("private-pool-grace.{name}"), part),
                "ResourceGroup" => {
                    for selection in part.all("HostSelection") {
                        hosts += self.hosts(selection, name);
                    }
                }
                other => self.ignored(&format!("{other} of {name}"), part),
            }
        }
        if hosts > 0 {
            let gpus = u64::from(hosts) * self.offered_gpus();
            self.queues[index].gpu.quota = typed(gpus);
        }
    }

    /// Returns the number of GPUs that a host offers, by which a number of owned hosts becomes a quota.
    fn offered_gpus(&self) -> u64 {
        let ratio = self.scenario.settings.get("over-commit.gpu").and_then(|typed| typed.0.parse::<f64>().ok());
        (f64::from(self.node_gpus) * ratio.unwrap_or(1.0)) as u64
    }

    fn hosts(&mut self, selection: &Element, name: &str) -> u32 {
        if let Some(list) = selection.child("HostList") {
            let n = u32::try_from(list.all("Host").count()).unwrap_or(u32::MAX);
            let message = format!("{name} owns any {n} hosts instead of those named");
            push_listed(&mut self.report.assumed, message, &mut self.unlisted.assumed);
            return n;
        }
        let Some(number) = selection.child("NumHosts") else { return 0 };
        let value = number.text.trim().parse::<u32>().ok();
        match (number.attribute("type").unwrap_or("absolute"), value) {
            ("absolute", Some(n)) => n.min(self.n_nodes),
            (_, None) if !number.text.trim().eq_ignore_ascii_case("remaining") => {
                let message = format!("{} is not a number of hosts", quoted(&number.text));
                self.mistake(number.line, message);
                0
            }
            ("percentage", Some(percent)) => self.n_nodes.saturating_mul(percent.min(100)) / 100,
            _ => {
                self.ignored(&format!("hosts of {name}"), number);
                0
            }
        }
    }

    /// Reads the over-commit ratio of a resource.
    fn over_commit(&mut self, resource: &Element) {
        let Some(typed) = resource.attribute("OverCommitRatio").map(str::trim) else { return };
        let Ok(ratio) = typed.parse::<f64>() else {
            let message = format!("{} is not an over-commit ratio: write a number from 1", quoted(typed));
            self.mistake(resource.line, message);
            return;
        };
        let setting = match resource.text.trim() {
            _ if ratio == 1.0 => return,
            "ncpus" | "nthreads" | "slots" => "over-commit.cpu",
            "mem" | "maxmem" => "over-commit.memory",
            "ngpus" | "ngpu" | "ngpus_physical" => "over-commit.gpu",
            other => {
                let what = format!("over-commit ratio of {}", quoted(other));
                self.ignored(&what, resource);
                return;
            }
        };
        self.setting(setting, typed);
    }

    fn seconds(&mut self, key: &str, element: &Element) {
        if let Some(seconds) = self.whole(element, &element.text, "a grace period", "whole seconds") {
            self.setting(key, &format!("{seconds}s"));
        }
    }

    /// Parses a number of an element. Reports an invalid one.
    fn whole(&mut self, element: &Element, typed: &str, what: &str, expected: &str) -> Option<u32> {
        let number = typed.trim().parse::<u32>();
        if number.is_err() {
            let message = format!("{} is not {what}: write {expected}", quoted(typed));
            self.mistake(element.line, message);
        }
        number.ok()
    }

    fn setting(&mut self, key: &str, value: &str) {
        self.scenario.settings.insert(key.to_string(), Scalar(value.trim().to_string()));
    }

    fn ignored(&mut self, what: &str, element: &Element) {
        let message = format!("line {}: {what}", element.line);
        push_listed(&mut self.report.ignored, message, &mut self.unlisted.ignored);
    }

    fn mistake(&mut self, line: u32, message: String) {
        push_listed(&mut self.report.diagnostics, mistake(line, message), &mut self.unlisted.mistakes);
    }

    fn finish(mut self, options: &Options) -> Scenario {
        let (n, gpus) = (self.n_nodes, self.node_gpus);
        self.report.assume_nodes(format!("{n} hosts with {gpus} GPUs each; a plan does not say what hosts have"));
        self.report.assume("no jobs: add jobs, or import a trace");
        self.scenario.nodes = Arc::new(vec![node_group("host", n, gpus)]);
        self.scenario.queues = Arc::new(self.queues);
        if !options.name.is_empty() {
            self.scenario.name.clone_from(&options.name);
        }
        self.scenario
    }
}

/// Returns the number of consumers in an element, itself included.
fn consumers_in(element: &Element) -> usize {
    let mut n = 0;
    let mut pending = vec![element];
    while let Some(element) = pending.pop() {
        n += usize::from(element.name == "Consumer");
        pending.extend(&element.children);
    }
    n
}

#[cfg(test)]
mod tests {
    use super::{Options, import_plan, is_plan};
    use crate::scenario::check;

    const PLAN: &str = r#"<?xml version="1.0"?>
<DistributionTree DistributionTreeName="MD1">
  <ResourceGroupName>RG1</ResourceGroupName>
  <PolicyParameter name="DefaultGracePeriod">300</PolicyParameter>
  <Consumer ConsumerName="research">
    <DistributionPolicies>
      <Rank>2</Rank>
      <Sharing priority="1"><Shares type="ratio">3</Shares></Sharing>
      <OwnershipPolicy>
        <PrivatePoolGracePeriod>60</PrivatePoolGracePeriod>
        <ResourceGroup name="RG1"><HostSelection type="NumHosts"><NumHosts type="absolute">2</NumHosts></HostSelection></ResourceGroup>
      </OwnershipPolicy>
    </DistributionPolicies>
    <Consumer ConsumerName="vision">
      <DistributionPolicies>
        <Sharing priority="5">
          <Shares type="ratio">2</Shares>
          <Limit type="dimension"><ncpus type="absolute">5</ncpus><maxmem type="percentage">50</maxmem></Limit>
        </Sharing>
      </DistributionPolicies>
    </Consumer>
  </Consumer>
  <Consumer ConsumerName="production"/>
</DistributionTree>"#;

    #[test]
    fn a_plan_becomes_a_scenario_that_runs() {
        assert!(is_plan(PLAN));
        let imported = import_plan(PLAN, &Options::default());
        let scenario = imported.scenario.expect("a scenario");
        let queue = |name: &str| scenario.queues.iter().find(|q| q.name == name).expect("a queue");
        let (research, vision) = (queue("research"), queue("vision"));
        let text = |s: &Option<crate::scenario::Scalar>| s.as_ref().map(|s| s.0.clone()).unwrap_or_default();
        assert_eq!((text(&research.priority), text(&vision.priority)), ("10".into(), "6".into()));
        assert_eq!((text(&research.gpu.quota), text(&research.gpu.weight)), ("16".into(), "3".into()));
        assert_eq!((vision.parent.as_deref(), text(&vision.cpu.limit)), (Some("research"), "5".into()));
        let settings: Vec<_> = scenario.settings.iter().map(|(k, v)| format!("{k}: {}", v.0)).collect();
        assert_eq!(settings, ["grace: 300s", "private-pool-grace.research: 60s", "rank.research: 2"]);
        assert_eq!(imported.report.ignored, ["line 18: limit of vision in maxmem"]);
        assert!(check(&scenario).plan.is_some(), "{:?}", check(&scenario).diagnostics);
    }

    #[test]
    fn over_commit_ratios_are_settings_and_hosts_offer_more() {
        let ratios = "<ConsumableResources>\
            <ConsumableResource OverCommitRatio=\"2\">ncpus</ConsumableResource>\
            <ConsumableResource OverCommitRatio=\"1\">maxmem</ConsumableResource>\
            <ConsumableResource OverCommitRatio=\"1.5\">ngpus</ConsumableResource>\
            <ConsumableResource OverCommitRatio=\"3\">maxswp</ConsumableResource></ConsumableResources>";
        let text = PLAN.replacen("<PolicyParameter", &format!("{ratios}<PolicyParameter"), 1);
        let imported = import_plan(&text, &Options::default());
        let scenario = imported.scenario.expect("a scenario");
        let setting = |name: &str| scenario.settings.get(name).map(|typed| typed.0.as_str());
        assert_eq!([setting("over-commit.cpu"), setting("over-commit.gpu")], [Some("2"), Some("1.5")]);
        assert_eq!(setting("over-commit.memory"), None);
        assert!(imported.report.ignored[0].contains("over-commit ratio of \"maxswp\""));
        // Two hosts of 8 GPUs offer 24.
        assert_eq!(scenario.queues[0].gpu.quota.as_ref().map(|quota| quota.0.as_str()), Some("24"));
        let wrong = text.replace("\"1.5\"", "\"more\"");
        let error = &import_plan(&wrong, &Options::default()).report.diagnostics[0].says;
        assert!(error.contains("\"more\" is not an over-commit ratio"), "{error}");
    }

    #[test]
    fn mistakes_are_said_in_their_line() {
        let wrong = PLAN.replace(">300<", ">soon<").replace(">3</Shares>", ">a lot</Shares>");
        let wrong = wrong.replace("</OwnershipPolicy>", "");
        let imported = import_plan(&wrong, &Options::default());
        assert!(imported.scenario.is_none());
        let diagnostics: Vec<_> =
            imported.report.diagnostics.iter().map(|d| (d.position.map(|(line, _)| line), d.says.as_str())).collect();
        let expected = [
            (Some(9), "\"<OwnershipPolicy>\" is not closed"),
            (Some(4), "\"soon\" is not a grace period: write whole seconds"),
            (Some(8), "\"a lot\" is not a share ratio: write a number from 0"),
        ];
        assert_eq!(diagnostics, expected);
    }

    #[test]
    fn no_cut_text_makes_it_panic() {
        // Only the last character may be missing: every shorter text is truncated.
        for end in (0..PLAN.len() - 1).filter(|&end| PLAN.is_char_boundary(end)) {
            let imported = import_plan(&PLAN[..end], &Options::default());
            assert!(imported.scenario.is_none(), "{end}");
        }
    }

    /// A plan of equal consumers.
    fn plan_of(n: usize, consumer: &str) -> String {
        format!("<DistributionTree>\n{}</DistributionTree>", format!("{consumer}\n").repeat(n))
    }

    #[test]
    fn consumers_of_one_name_get_numbers() {
        let imported = import_plan(&plan_of(3, "<Consumer ConsumerName=\"a\"/>"), &Options::default());
        let scenario = imported.scenario.expect("a scenario");
        let names: Vec<&str> = scenario.queues.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(names, ["a", "a-2", "a-3"]);
        let consumers = "<Consumer ConsumerName=\"a\"><Consumer ConsumerName=\"a\"/></Consumer>";
        let scenario = import_plan(&plan_of(2, consumers), &Options::default()).scenario.expect("a scenario");
        let names: Vec<&str> = scenario.queues.iter().map(|q| q.name.as_str()).collect();
        assert_eq!(names, ["a", "a/a", "a-2", "a-2/a"]);
    }

    /// Every list of the report is bounded, and names stay short.
    #[test]
    fn a_large_plan_is_read_and_reported_in_a_few_lines() {
        let wrong = "<Consumer ConsumerName=\"a\"><Strange/><DistributionPolicies><Rank>x</Rank><OwnershipPolicy>\
                     <ResourceGroup><HostSelection><HostList/></HostSelection></ResourceGroup></OwnershipPolicy>\
                     </DistributionPolicies></Consumer>";
        let imported = import_plan(&plan_of(20_000, wrong), &Options::default());
        let report = imported.report;
        let n = crate::scenario::QUEUES_MAX;
        assert_eq!(report.diagnostics.len(), 101);
        let unlisted = n - 100;
        assert_eq!(report.diagnostics[100].says, format!("{unlisted} more mistakes like the 100 above"));
        let last = &report.ignored[report.ignored.len() - 2..];
        let too_many =
            format!("consumers from line {} on: {} are left out, a scenario has at most {n} queues", n + 2, 20_000 - n);
        assert_eq!(last, [too_many, format!("and {unlisted} more like those above")]);
        assert_eq!(report.assumed[100], format!("and {unlisted} more like those above"));
        assert!(report.ignored.len() == 102 && report.assumed.len() < 104, "{}", report.assumed.len());
    }

    #[test]
    fn other_texts_are_refused() {
        let imported = import_plan("<Plan/>", &Options::default());
        assert!(imported.scenario.is_none() && !imported.report.ignored.is_empty());
    }
}
