// Cells of tables, checked by the names of their rows and columns.

import { expect } from "./fixture.js";

/**
 * Waits until a table has the wanted cells: `{ "team-a": { quota: "4", fairshare: /^3/ } }`.
 *
 * A row is found by the text of any of its cells, a column by its header, or else by the beginning of its header. Tables of
 * reports arrive after the frame they belong to, so all cells are read again, at one moment, until all agree.
 */
export async function expectCells(table, wanted) {
  const found = async () => pick(await read(table), wanted);
  await expect.poll(found).toEqual(mapCells(wanted, (cell) => (cell instanceof RegExp ? expect.stringMatching(cell) : cell)));
}

/** Returns the texts of the cells row by row, the header first; nothing unless there is exactly one table. */
async function read(table) {
  const found = await table.evaluateAll((tables) =>
    tables.map(({ rows }) => Array.from(rows, ({ cells }) => Array.from(cells, (cell) => cell.textContent))),
  );
  return found.length === 1 ? found[0].map((row) => row.map(plain)) : [];
}

/** Returns the cells of the wanted rows and columns; what the table lacks is named. */
function pick([head = [], ...rows], wanted) {
  return mapCells(wanted, (_, rowName, columnName) => {
    const row = rows.find((cells) => cells.includes(rowName));
    if (!row) return "no such row";
    const equal = head.indexOf(columnName);
    const column = equal < 0 ? head.findIndex((title) => title.startsWith(columnName)) : equal;
    return row[column] ?? "no such column";
  });
}

function mapCells(rows, of) {
  const entries = (cells, map) => Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, map(cell, name)]));
  return entries(rows, (cells, row) => entries(cells, (cell, column) => of(cell, row, column)));
}

/** Replaces no-break spaces and removes surrounding ones, including the indent of queues. */
const plain = (text) => text.replaceAll("\u00a0", " ").trim();
