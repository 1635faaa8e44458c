/**
 * Pure: decodes the body of a create or update to an object of the expected kind, like the
 * serializer of the API server: parse the text, determine its kind, decode it as that kind, and
 * reject it if it differs from the kind in the URL.
 */
import { type ApiError, badRequest } from "../errors.ts";
import { quote } from "../finding.ts";
import type { Draft, Json, KubeObject } from "../object.ts";
import { type Decoded, DecodeError, decodeMessage } from "./decode.ts";
import { JsonSyntaxError, parseJson } from "./json-text.ts";
import {
  decodeAs,
  type ExpectedKind,
  interpret,
  NO_KIND,
  notRegistered,
  withDefaults,
} from "./kind-of-body.ts";
import type { ParsedJson } from "./parsed-json.ts";
import type { GroupVersionKind } from "./tables.ts";
import { parseYaml, type ReadYaml, takeYaml, YamlError } from "./yaml-text.ts";

export type TextMediaType = "json" | "yaml";

export interface TextBody {
  readonly bytes: Uint8Array;
  readonly mediaType: TextMediaType;
  /** The parsed YAML, if it was parsed before. */
  readonly yaml?: ReadYaml | undefined;
}

/** Throws ApiError 400. The caller decides whether to reject, warn about or ignore `strict`. */
export function decodeBody(
  body: TextBody,
  expected: ExpectedKind,
  isKnown: (target: GroupVersionKind) => boolean,
): Decoded<Draft<KubeObject>> {
  const { json, actual } = readBody(body, expected);
  try {
    return decodeAs(json, actual, { ...expected, isKnown, known: undefined });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(cannotBeHandled(actual, expected, error.message));
  }
}

/** The error for a body that fieldValidation=Strict rejects. */
export function strictDecodingError(expected: ExpectedKind, strict: readonly string[]): ApiError {
  return badRequest(cannotBeHandled(expected, expected, formatStrict(strict)));
}

/** `strict decoding error: unknown field "spec.x", duplicate field "y"` */
export function formatStrict(strict: readonly string[]): string {
  return `strict decoding error: ${strict.join(", ")}`;
}

const OPTIONS_SCHEME = "pkg/apis/meta/internalversion/scheme/register.go:27";

/** The body of a delete: DeleteOptions, whose kind may be given in the group of any resource. */
export function decodeDeleteOptions(body: TextBody): { [key: string]: Json } {
  const expected = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };
  try {
    const json = parseText(body);
    const actual = withDefaults(interpret(json), expected);
    if (actual.kind !== expected.kind) throw new DecodeError(notRegistered(actual, OPTIONS_SCHEME));
    return decodeMessage(json, "meta/v1.DeleteOptions").object;
  } catch (error) {
    if (!isReadingError(error)) throw error;
    throw badRequest(error.message);
  }
}

function readBody(
  body: TextBody,
  expected: ExpectedKind,
): { json: ParsedJson; actual: GroupVersionKind } {
  try {
    const json = parseText(body);
    return { json, actual: withDefaults(interpret(json), expected) };
  } catch (error) {
    if (!isReadingError(error)) throw error;
    throw unrecognized(body.bytes, expected, error.message);
  }
}

/** The kind of the body cannot be determined. */
export function unrecognized(bytes: Uint8Array, expected: ExpectedKind, problem: string): ApiError {
  const what = `must be of type ${expected.kind}`;
  const shown = summarize(bytes);
  return badRequest(`the object provided is unrecognized (${what}): ${problem} (${shown})`);
}

function isReadingError(error: unknown): error is Error {
  return error instanceof DecodeError || error instanceof YamlError;
}

function parseText({ bytes, mediaType, yaml }: TextBody): ParsedJson {
  if (yaml) return takeYaml(yaml);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (mediaType === "yaml") return parseYaml(text);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DecodeError(`${NO_KIND}: ${error.message}`);
  }
}

function cannotBeHandled(
  actual: GroupVersionKind,
  expected: GroupVersionKind,
  problem: string,
): string {
  const version = quote(actual.version);
  return `${actual.kind} in version ${version} cannot be handled as a ${expected.kind}: ${problem}`;
}

const SUMMARY_BYTES = 30;

/** JSON objects are quoted, anything else is shown in hexadecimal. */
function summarize(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const start = Buffer.from(bytes.subarray(0, SUMMARY_BYTES));
  const isObject = bytes[0] === 0x7b;
  const more = bytes.length > SUMMARY_BYTES ? " ..." : "";
  return `${start.toString(isObject ? "utf8" : "hex")}${more}`;
}
