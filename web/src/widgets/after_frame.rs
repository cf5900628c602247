//! Signals that follow others a little later, so that not everything is drawn in one frame.

use std::time::Duration;

use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

/// What a signal holds; while `is_hurried`, only once the frame with whatever else shows it is painted.
pub fn after_frame<T: Clone + Send + Sync + 'static>(
    of: Signal<T>,
    is_hurried: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> Signal<T> {
    let shown = RwSignal::new(of.get_untracked());
    Effect::new(move || {
        let now = of.get();
        if is_hurried() {
            // By then there may be something newer.
            let follow = move || {
                if let Some(now) = of.try_get_untracked() {
                    shown.set(now);
                }
            };
            request_animation_frame(move || set_timeout(follow, Duration::ZERO));
        } else {
            shown.set(now);
        }
    });
    shown.into()
}
