//! Charts saved as pictures, with metadata and a link to the moment.

use fairground::words::number::time;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::text_scale;
use crate::chart::backend::escaped;
use crate::chart::export::{About, Label, png_about, standalone};
use crate::store::Store;
use crate::{address, clipboard, downloads, effects};
use fairground::policy::Policy;

/// A chart as a standalone file.
pub struct Saved {
    name: String,
    about: About,
    file: String,
}

/// Saves a chart with its labels, in the current colours.
pub fn save(store: Store, chart: &web_sys::Element, as_png: bool) {
    if let Some(saved) = Saved::of(store, chart) {
        saved.download(as_png);
    }
}

impl Saved {
    /// A chart with its labels, in the current colours; `None` if it shows no picture.
    pub fn of(store: Store, chart: &web_sys::Element) -> Option<Saved> {
        let svg = chart.query_selector(".picture svg").ok()??;
        let over = chart.query_selector(".picture.over svg").ok().flatten();
        let drawn = svg.outer_html();
        let drawn = match over {
            Some(over) => drawn.trim_end_matches("</svg>").to_string() + &over.inner_html() + "</svg>",
            None => drawn,
        };
        let style = window().get_computed_style(&document().document_element()?).ok()??;
        let token = |name: &str| resolved(&style, name);
        let name = chart.get_attribute("aria-label").unwrap_or_default();
        let about = about(store, &name);
        let file = standalone(&drawn, &about, &labels(chart, &svg), &token);
        Some(Saved { name: name.to_lowercase(), about, file })
    }

    pub fn title(&self) -> &str {
        &self.about.title
    }

    /// Data URL for an image element.
    pub fn source(&self) -> String {
        source(&self.file)
    }

    /// Copies the picture, which leads to a link, with a text below it.
    pub fn copy(&self, store: Store, link: &str, text: String) {
        let (svg, title) = (self.file.clone(), self.about.title.clone());
        let [title, link, below] = [&title, link, &text].map(escaped);
        let html = async move {
            let png = drawn(&svg).await?.to_data_url()?;
            Ok(format!("<p><a href=\"{link}\"><img src=\"{png}\" alt=\"{title}\"></a></p><pre>{below}</pre>"))
        };
        clipboard::copy_rich(store, html, text, "Picture and card copied.");
    }

    /// Downloads the picture.
    pub fn download(&self, as_png: bool) {
        if as_png {
            let (name, about, svg) = (format!("{}.png", self.name), self.about.clone(), self.file.clone());
            leptos::task::spawn_local(async move { drop(download_png(&name, &about, &svg).await) });
        } else {
            downloads::download(&format!("{}.svg", self.name), "image/svg+xml", &self.file);
        }
    }
}

fn source(svg: &str) -> String {
    format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(svg))
}

/// Metadata of a chart: view, scenario, policy, moment and link.
fn about(store: Store, chart: &str) -> About {
    let (scenario, policy, moment) = store.now(|m| {
        let cycle = m
            .playback
            .decision
            .map_or(m.playback.cursor.to_string(), |at| format!("{}, decision {at}", m.playback.cursor));
        let at = m.moment.frame.as_ref().map_or(String::new(), |frame| format!(", {}", time(frame.time_ms)));
        (
            m.document.scenario.name.clone(),
            Policy::described_or_default(&m.document.scenario.policy).short,
            format!("cycle {cycle}{at}"),
        )
    });
    let parts = [chart, &scenario, policy, &moment];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    About { title: parts.join(" · "), link: effects::link_of(&store.now(address::write)) }
}

/// The labels beside a chart, with their positions.
fn labels(chart: &web_sys::Element, svg: &web_sys::Element) -> Vec<Label> {
    let top = svg.get_bounding_client_rect().top();
    let part = |row: &web_sys::Element, what: &str| {
        let found = row.query_selector(what).ok().flatten();
        found.and_then(|element| element.text_content()).unwrap_or_default()
    };
    let rows = chart.get_elements_by_class_name("brow");
    (0..rows.length())
        .filter_map(|i| rows.item(i))
        .map(|row| {
            let rect = row.get_bounding_client_rect();
            let y = (rect.top() + rect.height() / 2.0 - top) / text_scale();
            let value = [".v > span", ".v > :nth-child(2)"].map(|what| part(&row, what)).join(" ");
            Label { y, name: part(&row, ".nm"), value }
        })
        .collect()
}

/// Colour of a token in the current theme.
fn resolved(style: &web_sys::CssStyleDeclaration, name: &str) -> String {
    let value = style.get_property_value(name).unwrap_or_default();
    let Some(pair) = value.trim().strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')')) else {
        return value.trim().to_string();
    };
    let is_dark = style.get_property_value("color-scheme").is_ok_and(|scheme| match scheme.trim() {
        "dark" => true,
        "light" => false,
        _ => window().match_media("(prefers-color-scheme: dark)").ok().flatten().is_some_and(|m| m.matches()),
    });
    let (light, dark) = pair.split_once(',').unwrap_or((pair, pair));
    if is_dark { dark.trim().to_string() } else { light.trim().to_string() }
}

/// Scale of PNGs relative to the page, so that text stays sharp on a projector.
const PNG_SCALE: f64 = 2.0;
/// Maximum width and height of a PNG, in pixels: supported by all browsers.
const PNG_MAX: f64 = 8192.0;

/// Draws a standalone SVG.
async fn drawn(svg: &str) -> Result<web_sys::HtmlCanvasElement, JsValue> {
    let image = web_sys::HtmlImageElement::new()?;
    image.set_src(&source(svg));
    JsFuture::from(image.decode()).await?;
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    let scale = PNG_SCALE.min(PNG_MAX / width.max(height).max(1.0));
    let canvas: web_sys::HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width((width * scale) as u32);
    canvas.set_height((height * scale) as u32);
    let Some(context) = canvas.get_context("2d")? else { return Ok(canvas) };
    let context: web_sys::CanvasRenderingContext2d = context.unchecked_into();
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    Ok(canvas)
}

/// Downloads a picture as PNG with metadata; `svg` must be standalone.
async fn download_png(name: &str, about: &About, svg: &str) -> Result<(), JsValue> {
    let canvas = drawn(svg).await?;
    let blob = js_sys::Promise::new(&mut |done, failed| {
        if let Err(error) = canvas.to_blob(&done) {
            let _ = failed.call1(&JsValue::NULL, &error);
        }
    });
    let blob: web_sys::Blob = JsFuture::from(blob).await?.dyn_into()?;
    let buffer = JsFuture::from(blob.array_buffer()).await?;
    let bytes = png_about(&js_sys::Uint8Array::new(&buffer).to_vec(), about);
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes.as_slice()));
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&parts, &downloads::blob_of("image/png"))?;
    downloads::offer(name, &blob)
}
