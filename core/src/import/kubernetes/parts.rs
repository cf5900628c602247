//! The equal pods that an object makes: one part for each of its pod templates.
//!
//! # Source
//! Kubeflow, KubeRay, JobSet, LeaderWorkerSet and Volcano, API types

use super::objects::Object;
use super::pod_templates::{PodTemplate, templates};
use super::readers::Chain;
use crate::import::reader::LocatedValue;
use crate::scenario::PODS_MAX;

/// Equal pods of an object.
#[derive(Clone)]
pub struct Part<'a> {
    /// Name of its pod set; empty if the object has only this one.
    pub name: String,
    pub n_pods: u64,
    /// Minimum number of pods, if it has its own.
    pub least: Option<u64>,
    /// The object, with the template as its place.
    pub template: Object<'a>,
    /// Objects around the template that are made first, the nearest first.
    pub inner: Vec<Object<'a>>,
}

impl<'a> Part<'a> {
    /// Returns the template with the objects that it belongs to.
    pub fn chain<'c>(&'c self, object: &'c Object<'a>) -> Chain<'a, 'c> {
        Chain { pod: &self.template, owners: self.inner.iter().chain([object]).collect() }
    }
}

/// Returns the parts of an object below a place in it, with those that lead first: a scheduler needs them before the
/// others.
pub fn parts<'a>(object: &Object<'a>, below: &[&str]) -> Vec<Part<'a>> {
    let Some(place) = object.place.at(below) else { return Vec::new() };
    let part_object = |place: LocatedValue<'a>| Object { place, ..object.clone() };
    let part = |PodTemplate { name, n, least, inner, place }: PodTemplate<'a>| Part {
        name,
        n_pods: n.min(PODS_MAX + 1),
        least,
        template: part_object(place),
        inner: inner.into_iter().map(part_object).collect(),
    };
    let mut parts: Vec<Part<'a>> = templates(&place).into_iter().map(part).collect();
    let leads = ["master", "launcher", "chief", "head", "leader", "driver"];
    parts.sort_by_key(|part| !leads.contains(&part.name.as_str()));
    parts
}
