/**
 * Pure: the lines that descriptions are made of. A tab separates a name from its value; the text
 * is aligned as a whole at the end. The folder has a file for each kind that has a description of
 * its own, files for what they share, and any-object for all others.
 */

import type { ObjectMeta } from "../../api/generated/meta.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { humanDuration } from "../../api/print/age.ts";

export type Lines = readonly string[];

export interface Labels {
  readonly [key: string]: string;
}

export function field(name: string, value: string | number | boolean, level = 0): string {
  return `${indent(level)}${name}:\t${value}`;
}

/** Nothing where there is no value. */
export function optionalField(
  name: string,
  value: string | number | boolean | undefined,
  level = 0,
): Lines {
  return value === undefined || value === "" ? [] : [field(name, value, level)];
}

export function indent(level: number): string {
  return "  ".repeat(level);
}

/** The first on the line of the title, each further one below it. */
export function list(title: string, values: readonly string[], before = ""): Lines {
  if (values.length === 0) return [`${before}${title}:\t<none>`];
  return values.map((value, at) => `${before}${at === 0 ? `${title}:` : ""}\t${value}`);
}

export function labelLines(title: string, labels: Labels | undefined, before = ""): Lines {
  const pairs = sortedEntries(labels).map(([key, value]) => `${key}=${value}`);
  return list(title, pairs, before);
}

/** Of a whole description it would be the greater part, and it says nothing new. */
const HIDDEN = ["kubectl.kubernetes.io/last-applied-configuration"];
const LONGEST_ANNOTATION = 140;

export function annotationLines(title: string, annotations: Labels | undefined): Lines {
  const shown = sortedEntries(annotations).filter(([key]) => !HIDDEN.includes(key));
  if (shown.length === 0) return [`${title}:\t<none>`];
  return shown.flatMap(([key, raw], at) => {
    const before = at === 0 ? `${title}:\t` : "\t";
    const value = raw.replace(/\n$/, "");
    const isLong = Buffer.byteLength(value) + Buffer.byteLength(key) + 2 > LONGEST_ANNOTATION;
    if (!isLong && !value.includes("\n")) return [`${before}${key}: ${value}`];
    const lines = value.split("\n").map((line) => `\t  ${shortened(line, LONGEST_ANNOTATION - 2)}`);
    return [`${before}${key}:`, ...lines];
  });
}

function shortened(text: string, longest: number): string {
  const bytes = Buffer.from(text);
  return bytes.length > longest ? `${bytes.subarray(0, longest).toString("utf8")}...` : text;
}

export function sortedEntries<T>(
  record: { readonly [key: string]: T } | undefined,
): readonly (readonly [string, T])[] {
  return Object.entries(record ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** "Mon, 16 Nov 2026 00:18:31 +0100": where the reader is. */
export function localTime(timestamp: string | null | undefined): string {
  if (!timestamp) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const at = new Date(timestamp);
  const offset = -at.getTimezoneOffset();
  const ahead = Math.abs(offset);
  const zone = `${offset < 0 ? "-" : "+"}${two(ahead / 60)}${two(ahead % 60)}`;
  const day = `${DAYS[at.getDay()]}, ${two(at.getDate())} ${MONTHS[at.getMonth()]}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return `${day} ${at.getFullYear()} ${time} ${zone}`;
}

function two(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

export function since(timestamp: string | null | undefined, nowMs: number): string {
  return timestamp ? humanDuration(nowMs - Date.parse(timestamp)) : "<unknown>";
}

/** "Job/hello" */
export function controllerLines(metadata: ObjectMeta): Lines {
  const owner = controllerOf({ metadata });
  return owner ? [field("Controlled By", `${owner.kind}/${owner.name}`)] : [];
}

export function yesNo(value: boolean): string {
  return value ? "True" : "False";
}
