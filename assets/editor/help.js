// Completion and help of the editor, from the published JSON schema.

import schema from "../scenario.schema.json";
import { outline, placeAtEnd } from "./outline.js";

/** Fields that name an entry, with the section of that entry. */
const REFERENCES = {
  queue: "queues", parent: "queues", originator: "queues", "default-pools": "pools", pool: "pools", pools: "pools",
  node: "nodes", job: "jobs",
};

const POLICIES = schema.properties.policy.anyOf.map((policy) => policy.const);

/** The part of the schema at a place; undefined if the place is not part of a scenario. */
function schemaAt(keys) {
  return keys.reduce((part, key) => (key === "[]" ? part?.items : property(part?.properties ?? {}, key)), schema);
}

/** A setting of a queue has the name of the queue at its end, which is "root" in the schema. */
function property(all, key) {
  return all[key] ?? all[Object.keys(all).find((name) => /\.root$/.test(name) && key.startsWith(name.slice(0, -4)))];
}

/** A description without its lines on policies other than that of a text: those that begin with their names. */
function described({ description = "" }, text) {
  const policy = text.match(/^policy: *"?([\w-]+)/m)?.[1] ?? "kai";
  const others = POLICIES.filter((other) => other !== policy);
  const isOther = (line) => others.includes(line.match(/^(\S+): /)?.[1].replace(":", "").toLowerCase());
  return description.split("\n").filter((line) => !isOther(line)).join("\n");
}

/** Completes keys and values at the cursor. */
export function complete({ state, pos, explicit }) {
  const place = placeAtEnd(state.sliceDoc(0, pos));
  if (!place.word && !explicit) return null;
  const hasColon = /^[\w.-]*\s*:/.test(state.sliceDoc(pos, state.doc.lineAt(pos).to));
  const text = state.doc.toString();
  const options = place.isKey ? keysOf(schemaAt(place.keys), hasColon, text) : valuesOf(place.keys, text);
  return options.length ? { from: pos - place.word.length, options, validFor: /^[\w.-]*$/ } : null;
}

function keysOf(part, hasColon, text) {
  return Object.entries(part?.properties ?? {}).flatMap(([label, property]) => {
    const info = described(property, text);
    return info || !property.description ? [{ label, apply: hasColon ? label : `${label}: `, info }] : [];
  });
}

function valuesOf(keys, text) {
  const part = schemaAt(keys);
  const fixed = [part, ...(part?.anyOf ?? [])].filter((one) => one?.const !== undefined);
  if (fixed.length) return fixed.map(({ const: label, description }) => ({ label, info: description }));
  const section = REFERENCES[keys.filter((key) => key !== "[]").at(-1)];
  return section ? names(text, section).map((label) => ({ label })) : [];
}

/** Names of the entries of a section. */
function names(text, section) {
  const found = new Set();
  outline(text, (keys, value) => {
    if (keys.join(" ") === `${section} [] name`) found.add(value);
  });
  return [...found].slice(0, 200);
}

/** Describes the key at an offset or, inside of a value, the key of that value: `{ from, to, title, text }`. */
export function describe(state, pos) {
  const line = state.doc.lineAt(pos);
  const around = state.wordAt(pos);
  const key = line.text.slice(0, pos - line.from).match(/[\w.-]*$/)[0];
  const end = pos + line.text.slice(pos - line.from).match(/^[\w.-]*/)[0].length;
  const place = placeAtEnd(state.sliceDoc(0, end));
  const follows = /^\s*:(\s|$)/.test(line.text.slice(end - line.from));
  const keys = follows && place.isKey ? [...place.keys, place.word] : place.keys;
  const part = schemaAt(keys);
  if (!part?.description) return null;
  const title = keys.filter((name) => name !== "[]").join(" › ");
  return { from: around ? pos - key.length : pos, to: end, title, text: described(part, state.doc.toString()) || part.description };
}
