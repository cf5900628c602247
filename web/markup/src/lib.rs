//! `view!`: markup in Rust, as Leptos writes it, into the page's own small nodes.
//!
//! Leptos' own macro gives every piece of markup a type, and every type its own code for building, rebuilding and
//! removing it; for this page that was more than half of what a visitor downloads. This macro reads the same
//! language (the parser is the same) and makes data of it: `crate::dom::Node`, which one interpreter puts on the page.
//!
//! | written | becomes |
//! |---|---|
//! | `<p class="dim" title=t>"text" {expr}</p>` | an element; values and children may be closures, which are re-read when a signal they read changes |
//! | `on:click=f` · `node_ref=r` · `inner_html=s` | a handler · the element is put into the reference · markup |
//! | `class:on=b` · `style:left=s` · `prop:value=s` | one class · one style property · a property of the element |
//! | `<Name prop=value flag>children</Name>` | a component made by Leptos' `#[component]` |
//! | `<Show when=c fallback=f>…</Show>` | its children while the condition holds |
//! | `<For each=list key=k let:item>…</For>` | its children for each item, kept by key |

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use rstml::node::{KeyedAttribute, Node, NodeAttribute, NodeBlock, NodeElement};
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

type Element = NodeElement<rstml::Infallible>;
type Child = Node<rstml::Infallible>;

/// See the crate.
#[proc_macro]
pub fn view(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match rstml::parse(input).and_then(|nodes| one(&nodes)) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Several nodes as one.
fn one(nodes: &[Child]) -> syn::Result<TokenStream> {
    let mut all = nodes.iter().filter(|node| !matches!(node, Node::Comment(_)));
    match (all.next(), all.next()) {
        (None, _) => Ok(quote!(crate::dom::Node::Empty)),
        (Some(only), None) => node(only),
        _ => {
            let nodes = nodes.iter().map(node).collect::<syn::Result<Vec<_>>>()?;
            Ok(quote!(crate::dom::Node::Many(::std::vec![#(#nodes),*])))
        }
    }
}

fn node(node: &Child) -> syn::Result<TokenStream> {
    match node {
        Node::Text(text) => {
            let text = text.value_string();
            Ok(quote!(crate::dom::text(#text)))
        }
        Node::Block(NodeBlock::ValidBlock(block)) => {
            let value = unbraced(block);
            Ok(quote!(crate::dom::IntoView::into_node(#value)))
        }
        Node::Fragment(fragment) => one(&fragment.children),
        Node::Comment(_) => Ok(quote!(crate::dom::Node::Empty)),
        Node::Element(element) => {
            let name = element.name().to_string();
            match name.as_str() {
                "Show" => show(element),
                "For" => each(element),
                _ if is_component(&name) => component(element),
                _ => html(element, &name),
            }
        }
        other => {
            Err(syn::Error::new(other.span(), "not understood here; text stands in quotes, values in braces"))
        }
    }
}

/// Components are written with a capital letter.
fn is_component(name: &str) -> bool {
    let last = name.rsplit(':').next().unwrap_or(name).trim();
    last.starts_with(|first: char| first.is_ascii_uppercase())
}

fn html(element: &Element, name: &str) -> syn::Result<TokenStream> {
    let mut fixed = Vec::new();
    let mut parts = Vec::new();
    for attribute in attributes(element)? {
        let (key, value) = (attribute.key.to_string().replace(' ', ""), attribute.value());
        if let Some(name) = key.strip_prefix("on:") {
            let (event, value) = (event(name), required(attribute)?);
            parts.push(quote!(element.on(crate::dom::handler(#event, #value));));
        } else if let Some((kind, name)) = kind(&key) {
            let value = required(attribute)?;
            let kind = format_ident!("{kind}");
            parts.push(quote!(
                element.part(crate::dom::Kind::#kind, #name, crate::dom::IntoValue::into_value(#value));
            ));
        } else if key == "node_ref" {
            let value = required(attribute)?;
            parts.push(quote!(element.reference(crate::dom::reference(#value));));
        } else if let Some(text) = value.map_or(Some(String::new()), literal) {
            fixed.push(quote!((#key, #text)));
        } else {
            let name = key.strip_prefix("r#").unwrap_or(&key);
            parts.push(quote!(
                element.part(crate::dom::Kind::Attribute, #name, crate::dom::IntoValue::into_value(#value));
            ));
        }
    }
    let fixed = (!fixed.is_empty()).then(|| quote!(element.fixed(&[#(#fixed),*]);));
    let children = element.children.iter().map(node).collect::<syn::Result<Vec<_>>>()?;
    Ok(quote!({
        #[allow(unused_mut)]
        let mut element = crate::dom::Element::new(#name);
        #fixed
        #(#parts)*
        #(element.child(#children);)*
        element.into_node()
    }))
}

/// The event's type, which tells the handler's argument.
fn event(name: &str) -> TokenStream {
    if name == "cancel" {
        // The one event in use that Leptos has no name for.
        return quote!(::leptos::ev::Custom::<::leptos::ev::Event>::new(#name));
    }
    let name = format_ident!("{name}");
    quote!(::leptos::ev::#name)
}

/// What `kind:name` sets.
fn kind(key: &str) -> Option<(&'static str, &str)> {
    if key == "inner_html" {
        return Some(("Html", ""));
    }
    let (prefix, name) = key.split_once(':')?;
    let kind = match prefix {
        "class" => "Class",
        "style" => "Style",
        "prop" => "Property",
        _ => return None,
    };
    Some((kind, name))
}

fn component(element: &Element) -> syn::Result<TokenStream> {
    let name = element.name();
    let props = attributes(element)?
        .into_iter()
        .map(|attribute| {
            let key = format_ident!("{}", attribute.key.to_string());
            let value = attribute.value().map_or_else(|| quote!(#key), |value| quote!(#value));
            Ok(quote!(.#key(#value)))
        })
        .collect::<syn::Result<Vec<_>>>()?;
    let children = if element.children.is_empty() {
        quote!()
    } else {
        let inner = one(&element.children)?;
        quote!(.children(::std::boxed::Box::new(move || #inner)))
    };
    Ok(quote!(crate::dom::IntoView::into_node(::leptos::component::component_view(
        &#name,
        ::leptos::component::component_props_builder(&#name) #(#props)* #children .build()
    ))))
}

fn show(element: &Element) -> syn::Result<TokenStream> {
    let when = wanted(element, "when")?;
    let inner = one(&element.children)?;
    let fallback = match named(element, "fallback")? {
        Some(value) => quote!(crate::dom::otherwise(#value)),
        None => quote!(::std::option::Option::None),
    };
    Ok(quote!(crate::dom::show(#when, move || #inner, #fallback)))
}

fn each(element: &Element) -> syn::Result<TokenStream> {
    let (each, key) = (wanted(element, "each")?, wanted(element, "key")?);
    let inner = one(&element.children)?;
    let item = attributes(element)?.into_iter().find_map(|attribute| {
        attribute.key.to_string().replace(' ', "").strip_prefix("let:").map(str::to_string)
    });
    let Some(item) = item else { return Err(syn::Error::new(element.span(), "write let:item")) };
    let item = format_ident!("{item}");
    Ok(quote!(crate::dom::each(#each, #key, move |#item| #inner)))
}

fn attributes(element: &Element) -> syn::Result<Vec<&KeyedAttribute>> {
    let of = |attribute: &'_ NodeAttribute| -> syn::Result<()> {
        Err(syn::Error::new(attribute.span(), "an attribute is written name=value"))
    };
    let mut all = Vec::new();
    for attribute in element.attributes() {
        match attribute {
            NodeAttribute::Attribute(attribute) => all.push(attribute),
            NodeAttribute::Block(_) => of(attribute)?,
        }
    }
    Ok(all)
}

fn named<'a>(element: &'a Element, name: &str) -> syn::Result<Option<&'a Expr>> {
    let found = attributes(element)?.into_iter().find(|attribute| attribute.key.to_string() == name);
    Ok(found.and_then(KeyedAttribute::value))
}

fn wanted<'a>(element: &'a Element, name: &str) -> syn::Result<&'a Expr> {
    named(element, name)?.ok_or_else(|| syn::Error::new(element.span(), format!("{name} is missing")))
}

fn required(attribute: &KeyedAttribute) -> syn::Result<&Expr> {
    attribute.value().ok_or_else(|| syn::Error::new(attribute.span(), "it needs a value"))
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// `{x}` is `x`; a block of several statements stays one.
fn unbraced(block: &syn::Block) -> TokenStream {
    match block.stmts.as_slice() {
        [syn::Stmt::Expr(only, None)] => quote!(#only),
        _ => quote!(#block),
    }
}
