/** Pure: where the next page of a list starts, as an opaque token. */
import { type ApiError, badRequest } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import { JsonSyntaxError, parseJson } from "../../api/schema/json-text.ts";

export interface ContinueToken {
  readonly revision: number;
  readonly after: { readonly namespace: string; readonly name: string };
}

const VERSION = "meta.k8s.io/v1";

export function formatContinue(
  revision: number,
  last: { readonly namespace?: string; readonly name?: string },
): string {
  // A NUL sorts after the name itself and before every longer name.
  const start = `${last.namespace ?? ""}/${last.name ?? ""}\u0000`;
  const text = JSON.stringify({ v: VERSION, rv: revision, start });
  return Buffer.from(text, "utf8").toString("base64url");
}

export function parseContinue(token: string): ContinueToken {
  if (!/^[A-Za-z0-9_=-]*$/.test(token)) {
    throw malformed("illegal base64 data");
  }
  const { rv, start } = parseToken(Buffer.from(token, "base64url"));
  const key = start.replace(/\u0000$/, "");
  const slash = key.indexOf("/");
  return {
    revision: rv,
    after: { namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) },
  };
}

function parseToken(bytes: Buffer): { rv: number; start: string } {
  const { v, rv, start } = parseObject(bytes);
  if (v !== VERSION) {
    throw malformed(`server does not recognize this encoded version "${String(v ?? "")}"`);
  }
  if (typeof rv !== "number" || rv === 0) {
    throw malformed(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== "string" || start === "") {
    throw malformed(`encoded start key empty (version ${VERSION})`);
  }
  return { rv, start };
}

function parseObject(bytes: Buffer): { v?: unknown; rv?: unknown; start?: unknown } {
  const first = bytes[0];
  // Go complains of a byte, which need not be a character of UTF-8.
  if (first !== undefined && first !== "{".charCodeAt(0)) {
    const shown = quote(String.fromCharCode(first)).slice(1, -1);
    throw malformed(`invalid character '${shown}' looking for beginning of value`);
  }
  try {
    return parseJson(bytes.toString("utf8")).value as object;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(error.message);
    throw error;
  }
}

function malformed(problem: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
