/** Pure: the state of one decoding: the current path, and the problems found so far. */
import { quote } from "../finding.ts";
import { type ExactJson, NumberLiteral } from "./parsed-json.ts";

/** JSON that does not match the type it is decoded into, with the message of Go's decoder. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecodeError";
  }
}

/** A field of a struct, as a step of a path. */
export interface FieldStep {
  readonly json: string;
  /** The Go name of the struct whose JSON has the field. */
  readonly struct: string;
  /** The JSON name preceded by the names of the structs it is inlined from: "VolumeSource.nfs". */
  readonly go: string;
}

export interface Reading {
  /** A field, the key of a map, or the index of a list. */
  readonly path: (FieldStep | string | number)[];
  /** The findings of strict decoding. */
  readonly strict: Set<string>;
  /** The first type error. Go decodes to the end and then reports it. */
  mistake?: string;
}

/** The limit of sigs.k8s.io/json for unknown fields. */
const MAX_STRICT = 100;

export function newReading(): Reading {
  return { path: [], strict: new Set() };
}

export function reportUnknown(reading: Reading, field: string): void {
  report(reading, `unknown field ${quote(strictPath(reading, field))}`);
}

export function reportDuplicate(reading: Reading, field: string): void {
  report(reading, `duplicate field ${quote(strictPath(reading, field))}`);
}

function report(reading: Reading, message: string): void {
  if (reading.strict.size < MAX_STRICT) reading.strict.add(message);
}

function strictPath({ path }: Reading, field: string): string {
  let out = "";
  for (const step of path) {
    if (typeof step === "number") out += `[${step}]`;
    else out += `${out === "" ? "" : "."}${typeof step === "string" ? step : step.json}`;
  }
  return out === "" ? field : `${out}.${field}`;
}

/** Records that a value does not match a Go type, and continues decoding. */
export function saveTypeError(reading: Reading, value: ExactJson, goType: string): undefined {
  saveMistake(reading, typeErrorMessage(reading, describe(value), goType));
}

export function saveMistake(reading: Reading, message: string): undefined {
  reading.mistake ??= message;
}

/** A number's literal is printed only if a number was expected: "number 1.5". */
export function saveNumberError(reading: Reading, literal: string, goType: string): undefined {
  saveMistake(reading, typeErrorMessage(reading, `number ${literal}`, goType));
}

/** The text of a type error: the struct is the innermost one, and the path contains only fields. */
export function typeErrorMessage(reading: Reading, what: string, goType: string): string {
  const fields = reading.path.filter((step) => typeof step === "object");
  const last = fields.at(-1);
  if (last === undefined) return `json: cannot unmarshal ${what} into Go value of type ${goType}`;
  const path = fields.map((field) => field.go).join(".");
  const where = `Go struct field ${last.struct}.${path}`;
  return `json: cannot unmarshal ${what} into ${where} of type ${goType}`;
}

/** Go's name for the kind of a JSON value. */
export function describe(value: ExactJson): string {
  if (typeof value === "string" || typeof value === "number") return typeof value;
  if (typeof value === "boolean") return "bool";
  if (value instanceof NumberLiteral) return "number";
  return Array.isArray(value) ? "array" : "object";
}
