/**
 * The OpenAPI v3 documents under /openapi/v3: one per group version, and the index that lists them.
 *
 * Reading order: this file (index, documents, cache), operations.ts (operations of a kind),
 * schemas.ts (schemas of objects, from schema/), descriptions/ (the meaning of fields, for kubectl
 * explain). Must not know HTTP: the caller serves the text and uses the hash as its ETag.
 */
import { createHash } from "node:crypto";
import type { Kind } from "../../kinds/kind.ts";
import { customSchemas } from "./custom-schemas.ts";
import { keptByKinds } from "./kept-by-kinds.ts";
import { operationsOf } from "./operations.ts";
import { findSchemaName, reachableSchemas } from "./schemas.ts";

export interface OpenapiDocument {
  /** JSON. */
  readonly text: string;
  /** The hash of the text: it changes if and only if the document does. */
  readonly hash: string;
}

export interface OpenapiIndex {
  readonly paths: { readonly [path: string]: { readonly serverRelativeURL: string } };
}

export function openapiIndex(kinds: readonly Kind[]): OpenapiIndex {
  const paths: Record<string, { serverRelativeURL: string }> = {};
  for (const path of [...new Set(kinds.map(documentPath))].sort()) {
    const document = openapiDocument(path, kinds);
    if (document === undefined) continue;
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${document.hash}` };
  }
  return { paths };
}

/** The document at a path of the index, "api/v1" or "apis/batch/v1"; undefined if there is none. */
export function openapiDocument(path: string, kinds: readonly Kind[]): OpenapiDocument | undefined {
  const described = kinds.filter((kind) => documentPath(kind) === path);
  return described.length === 0 ? undefined : keptDocument(described);
}

const keptDocument = keptByKinds(composeDocument);

function documentPath({ group, version }: Kind): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function composeDocument(kinds: readonly Kind[]): OpenapiDocument {
  const described = kinds.filter((kind) => kind.custom || findSchemaName(kind) !== undefined);
  const own = Object.assign({}, ...described.map(customSchemas));
  const paths = Object.assign({}, ...described.map(operationsOf));
  const text = JSON.stringify({
    openapi: "3.0.0",
    info: { title: "Tally", version: kinds[0]?.version ?? "v1" },
    paths,
    components: {
      schemas: reachableSchemas(paths, own),
      securitySchemes: {
        BearerToken: { type: "apiKey", in: "header", name: "authorization" },
      },
    },
  });
  return { text, hash: createHash("sha256").update(text).digest("hex").toUpperCase() };
}
