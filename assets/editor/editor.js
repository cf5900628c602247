// The editor of the scenario as text, loaded when it is opened for the first time. The text field of the page remains
// what Rust reads and writes: the editor takes its place on the screen, copies what is typed into it, and fires its
// events.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { history, historyKeymap, standardKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, keymap, lineNumbers, showPanel } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { StyleModule } from "style-mod";
import { complete, describe } from "./help.js";
import { highlights, theme } from "./theme.js";

// The page's content security policy forbids style elements, the usual way of the library.
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);
StyleModule.mount = (_, modules) => sheet.replaceSync(modules.map((module) => module.getRules()).join("\n"));

/** Numbers in the text as `[line, column, name]`, and the name of the number that the page marks. */
const setNumbers = StateEffect.define();
const setLinked = StateEffect.define();
const numbers = StateField.define({
  create: () => ({ all: Decoration.none, linked: null }),
  update({ all, linked }, transaction) {
    all = all.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setNumbers)) all = numberMarks(transaction.state.doc, effect.value, linked);
      if (effect.is(setLinked)) {
        linked = effect.value;
        const marks = [];
        all.between(0, transaction.state.doc.length, (from, to, { spec }) => {
          marks.push(numberMark(spec.attributes["data-number"], linked).range(from, to));
        });
        all = Decoration.set(marks);
      }
    }
    return { all, linked };
  },
  provide: (field) => EditorView.decorations.from(field, ({ all }) => all),
});

function numberMarks(doc, all, linked) {
  const marks = all.flatMap(([line, column, name]) => {
    const [from, to] = wordAt(doc, line, column);
    return from < to ? [numberMark(name, linked).range(from, to)] : [];
  });
  return Decoration.set(marks, true);
}

function numberMark(name, linked) {
  return Decoration.mark({ class: name === linked ? "linked" : "", attributes: { "data-number": name } });
}

/** Range of the word at a line and a column, counted from 1; the whole line if there is none. */
function wordAt(doc, line, column) {
  const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const start = Math.min(column - 1, text.length);
  const length = text.slice(start).match(/^("[^"]*"|[^,}\]\s]+)/)?.[0].length;
  return length ? [from + start, from + start + length] : [from + text.search(/\S|$/), to];
}

function hover(view, pos) {
  const help = describe(view.state, pos);
  const create = () => ({ dom: paragraphs("help", help.title, help.text) });
  return help && { pos: help.from, end: help.to, create };
}

/** Help on the key at the cursor, for those who do not use a pointer. */
function helpPanel(view) {
  const dom = paragraphs("help");
  const show = ({ state }) => {
    const help = describe(state, state.selection.main.head);
    dom.replaceChildren(...paragraphs("", help?.title ?? "", help?.text ?? "Ctrl+Space completes.").childNodes);
  };
  show(view);
  return { dom, update: (update) => (update.docChanged || update.selectionSet) && show(update) };
}

/** The help on a completion stands below or above the list; the panel is narrow. */
function positionInfo(_, list, option, info, space) {
  const isBelow = list.bottom + info.bottom - info.top < space.bottom;
  return { style: `${isBelow ? "top" : "bottom"}: 100%; left: 0; width: ${space.right - list.left}px` };
}

function paragraphs(name, title = "", text = "") {
  const dom = document.createElement("div");
  dom.className = name;
  dom.append(...[title, ...text.split("\n")].filter(Boolean).map((line, i) => {
    const element = document.createElement(i || !title ? "p" : "b");
    element.textContent = line;
    return element;
  }));
  return dom;
}

/** Puts an editor into the place of a text field. `fix(i)` applies the fix of a finding. */
export function open(field, fix) {
  const validity = new Compartment();
  const past = new Compartment();
  const attributes = (isInvalid) =>
    EditorView.contentAttributes.of({
      "aria-label": field.getAttribute("aria-label"),
      "aria-describedby": field.getAttribute("aria-describedby"),
      ...(isInvalid && { "aria-invalid": "true" }),
    });
  let isEdited = false;
  const onUpdate = (update) => {
    if (update.docChanged && !update.transactions.some((one) => one.annotation(Transaction.remote))) {
      isEdited = true;
      field.value = update.state.doc.toString();
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    // The page marks what is pointed at; the cursor points, too. Not while the editor is being updated.
    if (update.selectionSet && update.view.hasFocus) queueMicrotask(() => pointAtCursor(update.view));
  };
  const onBlur = () => {
    if (isEdited) field.dispatchEvent(new Event("change", { bubbles: true }));
    isEdited = false;
    field.dispatchEvent(new FocusEvent("blur"));
  };
  const hadFocus = document.activeElement === field;
  const selection = { anchor: field.selectionStart, head: field.selectionEnd };
  const view = new EditorView({
    state: EditorState.create({
      doc: field.value,
      selection: hadFocus ? selection : undefined,
      extensions: [
        lineNumbers(),
        past.of(history()),
        yaml(),
        syntaxHighlighting(HighlightStyle.define(highlights(tags))),
        autocompletion({ override: [complete], icons: false, positionInfo }),
        hoverTooltip(hover),
        showPanel.of(helpPanel),
        keymap.of([{ key: "F8", run: nextDiagnostic }, ...completionKeymap, ...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        EditorView.theme(theme),
        EditorView.updateListener.of(onUpdate),
        EditorView.domEventHandlers({
          // Browsers lose the cursor if the text around it was replaced meanwhile.
          focus: (_, view) => view.focus(),
          blur: onBlur,
          beforeinput: replaceSelection,
          // The page opens what is dropped anywhere, and what is pasted outside of a field.
          drop: () => true,
          paste: (event) => event.stopPropagation(),
        }),
        validity.of(attributes(false)),
        numbers,
      ],
    }),
  });
  field.before(view.dom);
  field.parentElement.classList.add("has-editor");
  if (hadFocus) view.focus();
  const onLinked = (event) => view.dispatch({ effects: setLinked.of(event.detail) });
  addEventListener("linked", onLinked);

  return {
    /**
     * Replaces only what differs, so that the cursor and the scroll position stay. What was typed before can no longer
     * be undone here, as in a text field; the page undoes it.
     */
    setText(text) {
      const changes = difference(view.state.doc.toString(), text);
      if (!changes) return;
      view.dispatch({ changes, annotations: Transaction.remote.of(true), effects: past.reconfigure([]) });
      view.dispatch({ effects: past.reconfigure(history()) });
    },
    /** Findings are `[line, column, isError, message, label of the fix]`. */
    setFindings(findings) {
      const shown = findings.map(([line, column, isError, message, label], i) => {
        const [from, to] = wordAt(view.state.doc, line, column);
        const actions = label ? [{ name: label, apply: () => fix(i), markClass: "link" }] : [];
        return { from, to, severity: isError ? "error" : "warning", message, actions };
      });
      view.dispatch(setDiagnostics(view.state, shown));
      view.dispatch({ effects: validity.reconfigure(attributes(findings.some(([, , isError]) => isError))) });
    },
    setNumbers(all) {
      view.dispatch({ effects: setNumbers.of(all) });
    },
    /** Selects a line, counted from 1. */
    select(line) {
      const { from, to } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    close() {
      removeEventListener("linked", onLinked);
      view.destroy();
    },
  };
}

/** Replaces a selection by typed text. Browsers would keep its look by an inline style, which the policy forbids. */
function replaceSelection(event, view) {
  const { state } = view;
  if (event.inputType !== "insertText" || !event.data || state.selection.main.empty) return;
  event.preventDefault();
  view.dispatch(state.update(state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }));
}

function pointAtCursor(view) {
  const { head } = view.state.selection.main;
  let element = view.contentDOM;
  view.state.field(numbers).all.between(head, head, (from, to, { spec }) => {
    element = element.querySelector(`[data-number="${CSS.escape(spec.attributes["data-number"])}"]`) ?? element;
  });
  element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
}

/** The change from one text to another, without their common beginning and end; null if they are equal. */
function difference(before, after) {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
