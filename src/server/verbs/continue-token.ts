/** Pure: formats and parses the token with which a paged list continues. */
import { type ApiError, badRequest } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import { JsonSyntaxError, parseJson } from "../../api/schema/json-text.ts";
import { cannotUnmarshal } from "../patch/go-value.ts";

export interface ContinueToken {
  readonly revision: number;
  readonly after: Place;
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

const VERSION = "meta.k8s.io/v1";

/**
 * The position is relative to the list: only the name for one namespace or a cluster-scoped kind,
 * "namespace/name" for all namespaces.
 */
export function formatContinue(
  revision: number,
  last: { readonly namespace?: string; readonly name?: string },
  listed: string | undefined,
): string {
  const prefix = listed === undefined && last.namespace ? `${last.namespace}/` : "";
  // A NUL sorts after the name itself and before every longer name.
  const start = `${prefix}${last.name ?? ""}\u0000`;
  const text = JSON.stringify({ v: VERSION, rv: revision, start });
  return Buffer.from(text, "utf8").toString("base64url");
}

export function parseContinue(token: string, listed: string | undefined): ContinueToken {
  const { rv, start } = parseToken(decodeBase64(token));
  const key = start.replace(/^\//, "").replace(/\u0000$/, "");
  const slash = listed === undefined ? key.indexOf("/") : -1;
  const namespace = slash < 0 ? (listed ?? "") : key.slice(0, slash);
  return { revision: rv, after: { namespace, name: key.slice(slash + 1) } };
}

/** Go's RawURLEncoding: without padding; line breaks are ignored. */
function decodeBase64(token: string): Buffer {
  const text = token.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9_-]/.exec(text)?.index ?? -1;
  const at = bad >= 0 ? bad : text.length % 4 === 1 ? text.length - 1 : -1;
  if (at >= 0) throw malformed(`illegal base64 data at input byte ${at}`);
  return Buffer.from(text, "base64url");
}

function parseToken(bytes: Buffer): { rv: number; start: string } {
  const { v, rv = 0, start = "" } = parseFields(bytes);
  if (v !== VERSION) {
    const problem = "continue key is not valid: server does not recognize this encoded version";
    throw badRequest(`invalid continue token: ${problem} ${v ?? ""}`);
  }
  if (rv === 0) {
    throw malformed(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (start === "") throw malformed(`encoded start key empty (version ${VERSION})`);
  // A start that is not a plain path could refer to objects outside the list.
  if (/(?:^|[^/]\/)\.{0,2}(?:\/|$)/.test(start)) throw malformed(start);
  return { rv, start };
}

interface TokenFields {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

const FIELD_TYPES = { v: "string", rv: "int64", start: "string" } as const;

function parseFields(bytes: Buffer): TokenFields {
  const value = parseObject(bytes) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw malformed(cannotUnmarshal(value, "Go value of type storage.continueToken"));
  }
  for (const [name, type] of Object.entries(FIELD_TYPES)) {
    const field = value[name] ?? null;
    const isType = type === "string" ? typeof field === "string" : Number.isInteger(field);
    if (field === null || isType) continue;
    throw malformed(
      cannotUnmarshal(field, `Go struct field continueToken.${name} of type ${type}`),
    );
  }
  return value as TokenFields;
}

function parseObject(bytes: Buffer) {
  const first = bytes[0];
  // Go reports a byte, which may not be a UTF-8 character.
  if (first !== undefined && first >= 0x80) {
    const shown = quote(String.fromCharCode(first)).slice(1, -1);
    throw malformed(`invalid character '${shown}' looking for beginning of value`);
  }
  try {
    return parseJson(bytes.toString("utf8")).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(error.message);
    throw error;
  }
}

function malformed(problem: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
