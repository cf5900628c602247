//! Groups of fields, as the format sees them: reading, writing, editing by path, links, the JSON schema and the
//! reference page are loops over the rows of `entry!`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A value as typed: `8`, `1.5`, `500m`, `16Gi`, `64 GB`, `unlimited`, `true`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scalar(pub String);

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar(text.to_string())
    }
}

/// Shared reference to a field.
pub enum Ref<'a> {
    /// A text; empty: left out.
    Text(&'a str),
    /// A text that may be left out.
    Name(Option<&'a str>),
    /// A value that may be left out.
    Value(Option<&'a str>),
    /// A value; empty: left out.
    Plain(&'a str),
    /// Texts by name.
    Labels(&'a BTreeMap<String, String>),
    /// Values by name.
    Settings(&'a BTreeMap<String, Scalar>),
    /// A list of texts.
    Texts(&'a [String]),
    /// A group of fields.
    Part(&'a dyn Shape),
    /// A list of entries.
    Rows(&'a dyn Rows),
}

/// Mutable reference to a field.
pub enum Mut<'a> {
    /// A text; empty: left out.
    Text(&'a mut String),
    /// A text that may be left out.
    Name(&'a mut Option<String>),
    /// A value that may be left out.
    Value(&'a mut Option<Scalar>),
    /// A value; empty: left out.
    Plain(&'a mut Scalar),
    /// Texts by name.
    Labels(&'a mut BTreeMap<String, String>),
    /// Values by name.
    Settings(&'a mut BTreeMap<String, Scalar>),
    /// A list of texts.
    Texts(&'a mut Vec<String>),
    /// A group of fields.
    Part(&'a mut dyn Shape),
    /// A list of entries.
    Rows(&'a mut dyn Rows),
}

/// A group of fields.
pub trait Shape {
    /// Returns the names of all fields in file order.
    fn names(&self) -> &'static [&'static str];
    /// Returns a field by position.
    fn field(&self, i: usize) -> Ref<'_>;
    /// Returns a mutable field by position.
    fn field_mut(&mut self, i: usize) -> Mut<'_>;
}

/// A list of entries, each a group of fields.
pub trait Rows {
    /// Returns the number of entries.
    fn count(&self) -> usize;
    /// Returns the in-memory size of an entry, in bytes.
    fn row_bytes(&self) -> usize;
    /// Returns an entry by position.
    fn row(&self, i: usize) -> Option<&dyn Shape>;
    /// Returns a mutable entry by position.
    fn row_mut(&mut self, i: usize) -> Option<&mut dyn Shape>;
    /// Replaces all entries by `n` empty ones.
    fn reset(&mut self, n: usize);
    /// Removes an entry by position.
    fn remove_row(&mut self, i: usize);
    /// Appends an empty entry.
    fn add_row(&mut self);
}

impl<T: FieldGroup> Rows for Vec<T> {
    fn row_bytes(&self) -> usize {
        size_of::<T>()
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn row(&self, i: usize) -> Option<&dyn Shape> {
        self.get(i).map(|row| row as &dyn Shape)
    }
    fn row_mut(&mut self, i: usize) -> Option<&mut dyn Shape> {
        self.get_mut(i).map(|row| row as &mut dyn Shape)
    }
    fn reset(&mut self, n: usize) {
        *self = vec![T::default(); n];
    }
    fn remove_row(&mut self, i: usize) {
        if i < self.len() {
            self.remove(i);
        }
    }
    fn add_row(&mut self) {
        self.push(T::default());
    }
}

/// A group of fields that can be part of another, with its table.
pub trait FieldGroup: Shape + Default + Clone + 'static {
    /// What it is, and its fields.
    const TABLE: Table;
}

/// A group of fields in words.
pub struct Table {
    /// Name of the type.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its fields, in the order of the reference page.
    pub fields: &'static [Row],
}

/// A field in words.
pub struct Row {
    /// Name in a file.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What it contains.
    pub kind: FieldKind,
}

/// Contents of a field.
#[derive(Clone, Copy)]
pub enum FieldKind {
    /// One value.
    Value,
    /// A list of values.
    List,
    /// Values by name.
    Map,
    /// Settings by name.
    Settings,
    /// A group of fields.
    Part(&'static Table),
    /// A list of entries.
    Rows(&'static Table),
}

/// A type of fields.
pub trait FieldType {
    /// What it contains.
    const KIND: FieldKind;
    /// Returns a reference to the field.
    fn look(&self) -> Ref<'_>;
    /// Returns a mutable reference to the field.
    fn look_mut(&mut self) -> Mut<'_>;
}

macro_rules! field_types {
    ($($type:ty: $kind:ident, $variant:ident($value:ident => $look:expr);)*) => {$(
        impl FieldType for $type {
            const KIND: FieldKind = FieldKind::$kind;
            fn look(&self) -> Ref<'_> {
                let $value = self;
                Ref::$variant($look)
            }
            fn look_mut(&mut self) -> Mut<'_> {
                Mut::$variant(self)
            }
        }
    )*};
}

field_types! {
    String: Value, Text(text => text);
    Option<String>: Value, Name(name => name.as_deref());
    Option<Scalar>: Value, Value(value => value.as_ref().map(|value| value.0.as_str()));
    Scalar: Value, Plain(value => &value.0);
    Vec<String>: List, Texts(texts => texts);
    BTreeMap<String, String>: Map, Labels(labels => labels);
    BTreeMap<String, Scalar>: Settings, Settings(settings => settings);
}

impl<T: FieldGroup> FieldType for Vec<T> {
    const KIND: FieldKind = FieldKind::Rows(&T::TABLE);
    fn look(&self) -> Ref<'_> {
        Ref::Rows(self)
    }
    fn look_mut(&mut self) -> Mut<'_> {
        Mut::Rows(self)
    }
}

/// A shared list becomes one of its own when it is changed.
impl<T: FieldGroup> FieldType for Arc<Vec<T>> {
    const KIND: FieldKind = <Vec<T>>::KIND;
    fn look(&self) -> Ref<'_> {
        (**self).look()
    }
    fn look_mut(&mut self) -> Mut<'_> {
        Arc::make_mut(self).look_mut()
    }
}

/// Declares a group of fields. A row is one field: what it means, its name and type in the program, its position and
/// name in a file.
macro_rules! entry {
    ($(#[doc = $about:literal])+ $entry:ident {
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $i:literal $name:literal,)*
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct $entry {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        const _: () = {
            use $crate::format::{FieldGroup, FieldType, FieldKind, Ref, Row, Shape, SlotMut, Table};

            const N_FIELDS: usize = [$($name),*].len();

            impl FieldGroup for $entry {
                const TABLE: Table = Table {
                    name: stringify!($entry),
                    about: concat!($($about),+),
                    fields: &[$(
                        Row { name: $name, about: concat!($($doc),+), kind: <$type>::KIND },
                    )*],
                };
            }

            impl FieldType for $entry {
                const KIND: FieldKind = FieldKind::Part(&<$entry>::TABLE);
                fn look(&self) -> Ref<'_> {
                    Ref::Part(self)
                }
                fn look_mut(&mut self) -> SlotMut<'_> {
                    SlotMut::Part(self)
                }
            }

            impl Shape for $entry {
                fn names(&self) -> &'static [&'static str] {
                    const NAMES: [&str; N_FIELDS] = {
                        let mut names = [""; N_FIELDS];
                        $(names[$i] = $name;)*
                        names
                    };
                    &NAMES
                }
                fn field(&self, i: usize) -> Ref<'_> {
                    match i {
                        $($i => self.$field.look(),)*
                        _ => Ref::Text(""),
                    }
                }
                fn field_mut(&mut self, i: usize) -> SlotMut<'_> {
                    match i {
                        $($i => self.$field.look_mut(),)*
                        _ => unreachable!("fields are asked for by the positions of their names"),
                    }
                }
            }
        };
    };
}

pub(crate) use entry;
