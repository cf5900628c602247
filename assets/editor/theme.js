// The look of the editor, in the tokens of the page's stylesheet.

export const theme = {
  "&": { flex: "1", minWidth: "0", color: "var(--ink)", backgroundColor: "transparent" },
  // The frame around it shows the focus.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit" },
  ".cm-content": { padding: "var(--s2) 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    color: "var(--ink-3)",
    backgroundColor: "var(--sunk)",
    borderRight: "var(--hair) solid var(--line)",
  },
  ".cm-panels": { color: "var(--ink-2)", backgroundColor: "var(--sunk)", zIndex: "1" },
  ".cm-panels-bottom": { borderTop: "var(--hair) solid var(--line)" },
  ".help": { padding: "4px var(--s2)", font: "var(--t-sm)/1.4 var(--font)", maxWidth: "32rem" },
  ".help p": { margin: "0" },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "var(--hair) solid var(--line-strong)",
    borderRadius: "var(--r)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--on-primary)",
    backgroundColor: "var(--primary)",
    // Seen with forced colours.
    outline: "1px solid transparent",
    outlineOffset: "-1px",
  },
  ".cm-tooltip.cm-completionInfo": {
    boxSizing: "border-box",
    maxWidth: "25rem",
    padding: "4px var(--s2)",
    font: "var(--t-sm)/1.4 var(--font)",
    whiteSpace: "pre-line",
  },
  ".cm-lintRange": { backgroundImage: "none", padding: "0" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--bad)", backgroundColor: "var(--bad-bg)" },
  ".cm-lintRange-warning": { textDecoration: "underline wavy var(--warn)", backgroundColor: "var(--warn-bg)" },
  ".cm-diagnostic": { font: "var(--t-sm)/1.4 var(--font)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnosticAction": {
    padding: "0",
    color: "inherit",
    backgroundColor: "transparent",
    font: "inherit",
  },
};

/** Keys are set off from their values; nothing else needs a colour. */
export const highlights = (tags) => [
  { tag: tags.definition(tags.propertyName), fontWeight: "600" },
  { tag: tags.comment, color: "var(--ink-3)" },
];
