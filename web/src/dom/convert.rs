//! What may stand in a view: everything here becomes one of few types, so that the code behind is there once.

use std::borrow::Cow;

use leptos::prelude::{Get, Memo, RwSignal, Signal};

use super::{Element, Node, Value, Words};

/// Becomes a node.
pub trait IntoView: Sized {
    /// The node.
    fn into_node(self) -> Node;

    /// The node; the name that Leptos has for it.
    fn into_any(self) -> Node {
        self.into_node()
    }
}

/// Several views as one.
pub trait CollectView {
    /// One after the other.
    fn collect_view(self) -> Node;
}

impl<I: IntoIterator<Item = T>, T: IntoView> CollectView for I {
    fn collect_view(self) -> Node {
        Node::Many(self.into_iter().map(IntoView::into_node).collect())
    }
}

/// Becomes the value of an attribute, a class, a style or a property.
pub trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;
}

/// A value that is there already.
pub trait Fixed {
    /// Its text; `None`: not set.
    fn text(self) -> Option<Words>;
}

impl IntoView for Node {
    fn into_node(self) -> Node {
        self
    }
}

impl IntoView for Box<Element> {
    fn into_node(self) -> Node {
        Node::Element(self)
    }
}

impl IntoView for () {
    fn into_node(self) -> Node {
        Node::Empty
    }
}

impl<T: IntoView> IntoView for Option<T> {
    fn into_node(self) -> Node {
        self.map_or(Node::Empty, IntoView::into_node)
    }
}

impl<T: IntoView> IntoView for Vec<T> {
    fn into_node(self) -> Node {
        self.collect_view()
    }
}

impl<T: IntoView, const N: usize> IntoView for [T; N] {
    fn into_node(self) -> Node {
        self.collect_view()
    }
}

impl<F, T> IntoView for F
where
    F: Fn() -> T + 'static,
    T: IntoView,
{
    fn into_node(self) -> Node {
        Node::Live(Box::new(move || self().into_node()))
    }
}

impl<F, T> IntoValue for F
where
    F: Fn() -> T + 'static,
    T: Fixed,
{
    fn into_value(self) -> Value {
        Value::Live(Box::new(move || self().text()))
    }
}

/// Texts stand in views and in values.
macro_rules! texts {
    ($($name:ty: $this:ident => $words:expr;)+) => {$(
        impl Fixed for $name {
            fn text(self) -> Option<Words> {
                let $this = self;
                Some($words)
            }
        }

        impl IntoValue for $name {
            fn into_value(self) -> Value {
                Value::Fixed(self.text())
            }
        }

        impl IntoView for $name {
            fn into_node(self) -> Node {
                let $this = self;
                Node::Text($words)
            }
        }
    )+};
}

texts! {
    &'static str: this => Cow::Borrowed(this);
    String: this => Cow::Owned(this);
    Words: this => this;
    usize: this => Cow::Owned(this.to_string());
    u32: this => Cow::Owned(this.to_string());
    u64: this => Cow::Owned(this.to_string());
}

impl Fixed for bool {
    fn text(self) -> Option<Words> {
        self.then_some(Cow::Borrowed(""))
    }
}

impl IntoValue for bool {
    fn into_value(self) -> Value {
        Value::Fixed(self.text())
    }
}

impl<T: Fixed> Fixed for Option<T> {
    fn text(self) -> Option<Words> {
        self.and_then(Fixed::text)
    }
}

impl<T: Fixed> IntoValue for Option<T> {
    fn into_value(self) -> Value {
        Value::Fixed(self.text())
    }
}

/// Signals stand for what they hold.
macro_rules! signals {
    ($($signal:ident)+) => {$(
        impl<T: IntoView + Clone + Send + Sync + 'static> IntoView for $signal<T> {
            fn into_node(self) -> Node {
                (move || self.get()).into_node()
            }
        }

        impl<T: Fixed + Clone + Send + Sync + 'static> IntoValue for $signal<T> {
            fn into_value(self) -> Value {
                (move || self.get()).into_value()
            }
        }
    )+};
}

signals! { Signal Memo RwSignal }
