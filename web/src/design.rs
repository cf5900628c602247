//! Tests of the stylesheet: contrast of text and marks in both themes, and distance between the hues of queues.

use std::collections::BTreeMap;

const CSS: &str = include_str!("../../assets/style.css");

type Rgb = [f64; 3];

/// Colour tokens of the stylesheet: light and dark.
fn tokens() -> BTreeMap<String, [Rgb; 2]> {
    let mut tokens = BTreeMap::new();
    for part in CSS.split("--").skip(1) {
        let Some((name, rest)) = part.split_once(": light-dark(#") else { continue };
        let Some((light, dark)) = rest.split_once(')').and_then(|(pair, _)| pair.split_once(", #")) else {
            continue;
        };
        if let (Some(light), Some(dark)) = (linear(light), linear(dark)) {
            tokens.insert(name.to_string(), [light, dark]);
        }
    }
    tokens
}

fn linear(hex: &str) -> Option<Rgb> {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?) / 255.0;
        Some(if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
    };
    Some([part(0)?, part(2)?, part(4)?])
}

fn luminance(c: Rgb) -> f64 {
    0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]
}

fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    f64::max(a, b) / f64::min(a, b)
}

fn require(tokens: &BTreeMap<String, [Rgb; 2]>, name: &str, grounds: &[&str], least: f64) -> Vec<String> {
    let mut poor = Vec::new();
    for ground in grounds {
        for (theme, side) in ["light", "dark"].into_iter().enumerate() {
            let ratio = contrast(tokens[name][theme], tokens[*ground][theme]);
            if ratio < least {
                poor.push(format!("{name} on {ground}, {side}: {ratio:.2} < {least}"));
            }
        }
    }
    poor
}

#[test]
fn text_and_marks_contrast_with_their_background() {
    let tokens = tokens();
    let mut poor = Vec::new();
    for text in ["ink", "ink-2", "ink-3"] {
        poor.extend(require(&tokens, text, &["panel", "page", "raised", "sunk", "sel"], 4.5));
    }
    for (text, ground) in
        [("warn", "warn-bg"), ("bad", "bad-bg"), ("bad", "panel"), ("good", "panel"), ("on-primary", "primary")]
    {
        poor.extend(require(&tokens, text, &[ground], 4.5));
    }
    for mark in ["focus", "line-strong", "whole", "sel-line"] {
        poor.extend(require(&tokens, mark, &["panel", "raised"], 3.0));
    }
    poor.extend(require(&tokens, "whole-on", &["whole"], 4.5));
    for hue in 1..=8 {
        for step in ["", "a", "b", "c"] {
            let name = format!("q{hue}{step}");
            poor.extend(require(&tokens, &name, &["panel", "page", "raised"], 3.0));
            poor.extend(require(&tokens, &format!("{name}-on"), &[&name], 4.5));
        }
    }
    assert!(poor.is_empty(), "{poor:#?}");
}

fn oklab(c: Rgb) -> Rgb {
    let row = |r: f64, g: f64, b: f64| (r * c[0] + g * c[1] + b * c[2]).max(0.0).cbrt();
    let (l, m, s) = (
        row(0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9),
        row(0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6),
        row(0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5),
    );
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// Matrices that simulate colour vision deficiencies (Machado, Oliveira and Fernandes 2009, full severity).
const DEFICIENCIES: [[Rgb; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
];

#[test]
fn hues_stay_apart_for_everybody() {
    let tokens = tokens();
    for theme in [0, 1] {
        for seen in DEFICIENCIES {
            let hues: Vec<Rgb> = (1..=8)
                .map(|hue| {
                    let c = tokens[&format!("q{hue}")][theme];
                    oklab(seen.map(|row| (row[0] * c[0] + row[1] * c[1] + row[2] * c[2]).clamp(0.0, 1.0)))
                })
                .collect();
            for i in 0..hues.len() {
                for j in 0..i {
                    let far = (0..3).map(|k| (hues[i][k] - hues[j][k]).powi(2)).sum::<f64>().sqrt();
                    assert!(far >= 0.055, "theme {theme}: hues {} and {} are {far:.3} apart", j + 1, i + 1);
                }
            }
        }
    }
}

#[test]
fn every_token_in_use_is_defined() {
    let defined: Vec<&str> =
        CSS.split("--").skip(1).filter_map(|part| part.split_once(':').map(|(name, _)| name)).collect();
    for used in CSS.split("var(--").skip(1) {
        let name = used.split([')', ',']).next().unwrap_or_default();
        assert!(defined.contains(&name), "--{name} is used but not defined");
    }
}
