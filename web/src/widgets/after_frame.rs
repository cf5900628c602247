//! Signals that follow others with a delay, so that not everything is drawn in one frame.

use std::time::Duration;

use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

/// Follows a signal; while `is_hurried`, only after the frame with its other dependents has been painted.
pub fn after_frame<T: Clone + Send + Sync + 'static>(
    of: Signal<T>,
    is_hurried: impl Fn() -> bool + Copy + Send + Sync + 'static,
) -> Signal<T> {
    let shown = RwSignal::new(of.get_untracked());
    Effect::new(move || {
        let now = of.get();
        if is_hurried() {
            // Reads the latest value, which may be newer than the trigger.
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
