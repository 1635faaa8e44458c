/** Decodes the body of a request into an object of the expected kind, with defaults. */
import { ApiError, badRequest } from "../../api/errors.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import {
  decodeBody,
  decodeDeleteOptions,
  formatStrict,
  strictDecodingError,
} from "../../api/schema/body.ts";
import type { ExpectedKind } from "../../api/schema/kind-of-body.ts";
import { decodeMessage, decodeProtobuf } from "../../api/schema/protobuf.ts";
import { decodeProtobufBody } from "../../api/schema/protobuf-body.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Registry } from "../../kinds/registry.ts";
import type { PatchType } from "../patch/apply-patch.ts";
import type { Configuration } from "../verbs/apply.ts";
import type { DeleteOptions } from "../verbs/delete-options.ts";
import { invalidPatch } from "../verbs/patch.ts";
import { type MediaType, mediaOf, requestMedia } from "./negotiate.ts";
import { type FieldValidation, parseDeleteQuery } from "./options.ts";
import type { ApiServer, Request } from "./request.ts";
import { hasMoreValues, tooManyValues } from "./values.ts";

export interface Decoded {
  readonly object: Draft<KubeObject>;
  readonly warnings: readonly string[];
}

export function readObject(
  { registry, gates }: Pick<ApiServer, "registry" | "gates">,
  request: Request,
  kind: Kind,
  validation: FieldValidation,
): Decoded {
  const decoded = readMessage(registry, request, kind, validation, mediaOf(kind));
  kind.rules.setDefaults?.(decoded.object, gates);
  return decoded;
}

/** Decodes a body that is not of a registered kind: Scale, Binding, Eviction. */
export function readMessage(
  registry: Registry,
  request: Request,
  expected: ExpectedKind,
  validation: FieldValidation,
  offered?: readonly MediaType[],
): Decoded {
  const mediaType = requestMedia(request.contentType, offered);
  if (mediaType === "protobuf") {
    const object = decodeProtobufBody(request.body, expected, request.mostValues);
    return { object, warnings: [] };
  }
  if (mediaType === "json") refuseManyValues(request);
  const body = { bytes: request.body, mediaType, yaml: request.yaml };
  const { object, strict } = decodeBody(body, expected, (name) => registry.isRegistered(name));
  return { object, warnings: judge(expected, strict, validation) };
}

/** Applies fieldValidation to unknown and duplicate fields: an error, warnings, or nothing. */
export function judge(
  expected: ExpectedKind,
  strict: readonly string[],
  validation: FieldValidation,
): readonly string[] {
  if (strict.length === 0 || validation === "Ignore") return [];
  if (validation === "Warn") return strict.flatMap(linesOfYaml);
  throw strictDecodingError(expected, strict);
}

/** A YAML error that lists all duplicate keys becomes one warning per key. */
function linesOfYaml(found: string): string[] {
  const [first, ...lines] = found.split("\n");
  return first === "yaml: unmarshal errors:" ? lines.map((line) => line.trim()) : [found];
}

/** The same for the result of a patch, whose error quotes the patched object. */
export function judgePatch(
  strict: readonly string[],
  shown: () => string,
  validation: FieldValidation,
): readonly string[] {
  if (strict.length === 0 || validation === "Ignore") return [];
  if (validation === "Warn") return strict;
  throw invalidPatch(shown(), formatStrict(strict));
}

/** Applies fieldValidation to duplicate keys of an applied configuration. */
export function judgeRepeated(
  repeatedKeys: readonly string[],
  validation: FieldValidation,
): readonly string[] {
  if (repeatedKeys.length === 0 || validation === "Ignore") return [];
  if (validation === "Warn") return repeatedKeys;
  const lines = repeatedKeys.map((line) => `\n  ${line}`).join("");
  const problem = `error converting YAML to JSON: yaml: unmarshal errors:${lines}`;
  throw badRequest(`error strict decoding YAML: ${problem}`);
}

export function readDeleteOptions(request: Request): DeleteOptions {
  if (request.body.length === 0) return parseDeleteQuery(request.query);
  const mediaType = requestMedia(request.contentType);
  if (mediaType === "protobuf") {
    const { message } = decodeProtobuf(request.body);
    return decodeMessage<DeleteOptions>("meta/v1.DeleteOptions", message, request.mostValues);
  }
  if (mediaType === "json") refuseManyValues(request);
  return decodeDeleteOptions({ bytes: request.body, mediaType, yaml: request.yaml });
}

/** Checked before the text is parsed, because a value costs much more memory than its bytes. */
function refuseManyValues({ body, mostValues }: Request, more = 0): void {
  if (mostValues === undefined || !hasMoreValues(body, mostValues + more)) return;
  throw tooManyValues(mostValues + more);
}

/** A JSON patch may have 10,000 operations of four values each, besides the values they add. */
const MOST_OPERATION_VALUES = 4 * 10_001;

/** Whether the body is YAML, which is slow to parse. */
export function isYaml({ method, contentType }: Pick<Request, "method" | "contentType">): boolean {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase();
  return type === (method === "PATCH" ? "application/apply-patch+yaml" : "application/yaml");
}

const PATCH_TYPES: { readonly [contentType: string]: PatchType | "apply" | undefined } = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

const ACCEPTED_PATCHES = Object.keys(PATCH_TYPES);

export type ReadPatch =
  | { readonly type: PatchType; readonly body: string }
  | { readonly type: "apply"; readonly body: Configuration };

export function readPatch(request: Request): ReadPatch {
  const { contentType = "" } = request;
  const named = contentType.split(",").map((each) => (each.split(";", 1)[0] ?? "").trim());
  if (!named.some((each) => each in PATCH_TYPES)) {
    throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  // The router accepts any known type in the list; the handler uses the text before parameters.
  const type = PATCH_TYPES[contentType.split(";", 1)[0] ?? ""];
  if (type === "apply") return { type, body: request.yaml ?? request.body.toString("utf8") };
  if (type) {
    refuseManyValues(request, type === "json" ? MOST_OPERATION_VALUES : 0);
    return { type, body: request.body.toString("utf8") };
  }
  const problem = "the body of the request was in an unknown format";
  const message = `${problem} - accepted media types include: ${ACCEPTED_PATCHES.join(", ")}`;
  throw new ApiError(415, "UnsupportedMediaType", message);
}
