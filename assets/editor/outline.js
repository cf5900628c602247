// Where in a scenario a place of the text is, also while the text is incomplete: the keys above it, and whether a key
// or a value is expected there. Items of lists have the key "[]".

/** Part of a line that begins a block entry: its key, plain or quoted. */
const KEY = /^("[^"]*"|'[^']*'|[^\s#{}[\],&*!|>'"%@`-][^#{}[\],]*?):(\s+|$)/;

/** A quoted text, a comment, a word, or a single character. */
const TOKEN = /"(\\.|[^"\\])*"?|'[^']*'?|\s#.*|[^\s"'{}[\],:#][^\s{}[\],:]*|:(?=\s|$)|[\s\S]/g;

/**
 * Reads a text. Calls `visit(keys, value)` for each complete value in a flow collection or behind a key. Returns the
 * place at the end: its keys, the word that begins there, and whether that is a key.
 */
export function outline(text, visit = () => {}) {
  const blocks = [];
  const flow = [];
  const keys = () => [...blocks, ...flow].flatMap(({ key }) => (key === undefined ? [] : [key]));
  let place = { keys: [], word: "", isKey: true };
  /** Lines that are indented more are text of several lines. */
  let around = Infinity;
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    let rest = line;
    if (/^\s*#/.test(line) || (i < lines.length - 1 && !line.trim()) || line.search(/\S|$/) > around) {
      place = { keys: [], word: "", isKey: false };
      continue;
    }
    around = Infinity;
    let isKey = false;
    if (!flow.length) {
      ({ rest, isKey } = block(line, blocks));
      if (/^[|>][+-]?\s*$/.test(rest)) around = line.search(/\S/);
      if (isKey) {
        place = { keys: keys(), word: rest, isKey };
        continue;
      }
    }
    place = inline(rest, flow, keys, visit);
  }
  return place;
}

/** The place at the end of a text. It depends only on the last section, and in a list on its last item. */
export function placeAtEnd(text) {
  let section = text.length;
  do section = text.lastIndexOf("\n", section - 1);
  while (section > 0 && !/\w/.test(text.charAt(section + 1)));
  const [, head, dash] = text.slice(section + 1).match(/^([^\n]*)(\n *- )/) ?? [];
  return outline(dash ? head + text.slice(text.lastIndexOf(dash)) : text.slice(section + 1));
}

/** Reads the beginning of a line: its list items and its key. */
function block(line, blocks) {
  let indent = line.search(/\S|$/);
  let rest = line.slice(indent);
  // The items of a list may be indented as little as its key.
  const isItem = /^-(\s|$)/.test(rest);
  const isOutside = (entry) => entry.indent > indent || (entry.indent === indent && !(isItem && entry.key !== "[]"));
  while (blocks.length && isOutside(blocks.at(-1))) blocks.pop();
  for (let item; (item = rest.match(/^-(\s+|$)/)); ) {
    blocks.push({ indent, key: "[]" });
    indent += item[0].length;
    rest = rest.slice(item[0].length);
  }
  const key = rest.match(KEY);
  if (key) {
    blocks.push({ indent, key: unquoted(key[1]) });
    return { rest: rest.slice(key[0].length), isKey: false };
  }
  return { rest, isKey: !/^[#{["']/.test(rest) };
}

/** Reads values and flow collections of a line. */
function inline(text, flow, keys, visit) {
  let word = "";
  const close = () => {
    if (word.trim()) visit(keys(), unquoted(word.trim()));
    word = "";
  };
  for (const part of text.match(TOKEN) ?? []) {
    const top = flow.at(-1);
    if (part === "{" || part === "[") {
      flow.push({ isMap: part === "{", key: part === "[" ? "[]" : undefined });
      word = "";
    } else if (top && (part === "}" || part === "]")) {
      close();
      flow.pop();
    } else if (top && part === ",") {
      close();
      if (top.isMap) top.key = undefined;
    } else if (top?.isMap && part === ":" && top.key === undefined) {
      top.key = unquoted(word.trim());
      word = "";
    } else if (!/^\s#/.test(part)) word += part;
  }
  const top = flow.at(-1);
  const place = { keys: keys(), word: word.trimStart(), isKey: !!top?.isMap && top.key === undefined };
  if (!top) close();
  return place;
}

function unquoted(text) {
  return text.replace(/^(["'])(.*)\1$/, "$2");
}
