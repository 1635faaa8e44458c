/**
 * The OpenAPI v3 documents under /openapi/v3: one per group version, and the index that names them.
 *
 * Reading order: this file (index, documents, cache), operations.ts (what can be done with a kind),
 * schemas.ts (what the objects look like, from schema/), descriptions/ (what their fields mean, for
 * kubectl explain). Must not know HTTP: the caller serves the text and uses the hash as its ETag.
 */
import { createHash } from "node:crypto";
import type { Kind } from "../../kinds/kind.ts";
import { operationsOf } from "./operations.ts";
import { findSchemaName, reachableSchemas } from "./schemas.ts";

export interface OpenapiDocument {
  /** JSON. */
  readonly text: string;
  /** Of the text: changes when and only when the document does. */
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
  let documents = cache.get(kinds);
  if (documents === undefined) {
    documents = new Map();
    cache.set(kinds, documents);
  }
  let document = documents.get(path);
  if (document === undefined && kinds.some((kind) => documentPath(kind) === path)) {
    document = composeDocument(kinds.filter((kind) => documentPath(kind) === path));
    documents.set(path, document);
  }
  return document;
}

// A registry lives as long as its server; its documents go with it.
const cache = new WeakMap<readonly Kind[], Map<string, OpenapiDocument>>();

function documentPath({ group, version }: Kind): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function composeDocument(kinds: readonly Kind[]): OpenapiDocument {
  const described = kinds.filter((kind) => findSchemaName(kind) !== undefined);
  const paths = Object.assign({}, ...described.map(operationsOf));
  const text = JSON.stringify({
    openapi: "3.0.0",
    info: { title: "Tally", version: kinds[0]?.version ?? "v1" },
    paths,
    components: {
      schemas: reachableSchemas(paths),
      securitySchemes: {
        BearerToken: { type: "apiKey", in: "header", name: "authorization" },
      },
    },
  });
  return { text, hash: createHash("sha256").update(text).digest("hex").toUpperCase() };
}
