/** Pure: an object of a kind without a description of its own: all of its fields, in words. */
import type { Event } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { eventLines } from "./events.ts";
import { annotationLines, field, indent, type Lines, labelLines, sortedEntries } from "./fields.ts";

export function anyObjectLines(
  object: KubeObject,
  events: readonly Event[] | undefined,
  nowMs: number,
): Lines {
  const { metadata } = object;
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    ...contentLines(object as unknown as Content, { level: 0, path: "" }),
    ...eventLines(events, nowMs),
  ];
}

interface Content {
  readonly [key: string]: unknown;
}

/** They were told already, or nobody wants to know. */
const TOLD = ["managedFields", "name", "namespace", "labels", "annotations"].map(
  (name) => `.metadata.${name}`,
);

interface Place {
  readonly level: number;
  readonly path: string;
}

function contentLines(content: Content, { level, path }: Place): Lines {
  return sortedEntries(content).flatMap(([key, value]) => {
    const own = `${path}.${key}`;
    if (TOLD.includes(own)) return [];
    const title = `${indent(level)}${titleOf(key)}:`;
    const inner = { level: level + 1, path: own };
    if (Array.isArray(value)) return [title, ...value.flatMap((item) => itemLines(item, inner))];
    if (isContent(value)) return [title, ...contentLines(value, inner)];
    return [`${title}\t${valueText(value)}`];
  });
}

function itemLines(item: unknown, place: Place): Lines {
  return isContent(item) ? contentLines(item, place) : [indent(place.level) + valueText(item)];
}

function isContent(value: unknown): value is Content {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function valueText(value: unknown): string {
  return value === null ? "<nil>" : String(value);
}

const ACRONYMS = ["API", "URL", "UID", "OSB", "GUID"];

/** "resourceVersion" as "Resource Version"; what is no word is left as it is. */
function titleOf(key: string): string {
  if (!/^[\p{L}-]+$/u.test(key)) return key;
  return wordsOf(key)
    .map((word) => {
      const upper = word.toUpperCase();
      if (ACRONYMS.includes(upper)) return upper;
      return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
    })
    .join(" ");
}

/** A run of capitals is one word, except for its last where a small letter follows. */
function wordsOf(key: string): readonly string[] {
  return key.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|-+|\p{L}/gu) ?? [key];
}
