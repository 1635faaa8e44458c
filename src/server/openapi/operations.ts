/** The paths of a kind and their operations, which kubectl looks up before it acts. */
import { type Kind, type Subresource, verbsOf } from "../../kinds/kind.ts";
import { customSchemaName } from "./custom-schemas.ts";
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  NAME,
  NAMESPACE,
  PATCH_PARAMETERS,
  WRITE_PARAMETERS,
} from "./parameters.ts";
import { findSchemaName, metaReference, type Schema, schemaReference } from "./schemas.ts";

export interface Paths {
  [path: string]: { [methodOrParameters: string]: unknown };
}

/** The kind must have a schema. */
export function operationsOf(kind: Kind): Paths {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced ? `${root}/namespaces/{namespace}` : root;
  const collection = `${scope}/${kind.resource}`;
  const scopeParameters = kind.namespaced ? [NAMESPACE] : [];
  const paths: Paths = {};
  const add = (path: string, parameters: readonly Schema[], methods: Methods) => {
    if (Object.keys(methods).length > 0) paths[path] = { ...methods, parameters };
  };
  add(collection, scopeParameters, collectionMethods(kind));
  if (kind.namespaced) add(`${root}/${kind.resource}`, [], everywhereMethods(kind));
  add(`${collection}/{name}`, [...scopeParameters, NAME], objectMethods(kind));
  for (const subresource of kind.subresources ?? []) {
    const path = `${collection}/{name}/${subresource.name}`;
    add(path, [...scopeParameters, NAME], subresourceMethods(kind, subresource));
  }
  return paths;
}

interface Methods {
  [method: string]: Schema;
}

function collectionMethods(kind: Kind): Methods {
  const verbs = verbsOf(kind);
  const object = referenceTo(kind);
  const methods: Methods = {};
  if (verbs.includes("list")) {
    methods["get"] = operation(kind, "list", {
      parameters: LIST_PARAMETERS,
      responses: { 200: listReference(kind) },
    });
  }
  if (verbs.includes("create")) {
    methods["post"] = operation(kind, "post", {
      parameters: WRITE_PARAMETERS,
      body: ofAnyMediaType(object),
      responses: { 200: object, 201: object, 202: object },
    });
  }
  if (verbs.includes("deletecollection")) {
    methods["delete"] = operation(kind, "deletecollection", {
      parameters: [...LIST_PARAMETERS, ...DELETE_PARAMETERS],
      body: ofAnyMediaType(metaReference("DeleteOptions")),
      responses: { 200: metaReference("Status") },
    });
  }
  return methods;
}

/** The collection over all namespaces. */
function everywhereMethods(kind: Kind): Methods {
  if (!verbsOf(kind).includes("list")) return {};
  const get = operation(kind, "list", {
    parameters: LIST_PARAMETERS,
    responses: { 200: listReference(kind) },
    suffix: "ForAllNamespaces",
  });
  return { get };
}

function objectMethods(kind: Kind): Methods {
  const verbs = verbsOf(kind);
  const methods = objectVerbs(kind, verbs, kind, "");
  if (verbs.includes("delete")) {
    const answer = kind.deletion?.returnsObject ? referenceTo(kind) : metaReference("Status");
    methods["delete"] = operation(kind, "delete", {
      parameters: DELETE_PARAMETERS,
      body: ofAnyMediaType(metaReference("DeleteOptions")),
      responses: { 200: answer, 202: answer },
    });
  }
  return methods;
}

/** Subresources that answer with a byte stream instead of an object. */
const STREAMS: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

function subresourceMethods(kind: Kind, subresource: Subresource): Methods {
  const suffix = capitalized(subresource.name);
  if (STREAMS.has(subresource.name)) return streamMethods(kind, subresource);
  const payload = {
    group: subresource.group ?? kind.group,
    version: subresource.version ?? kind.version,
    kind: subresource.kind ?? kind.kind,
  };
  if (findSchemaName(payload) === undefined && !kind.custom) return {};
  const methods = objectVerbs(kind, subresource.verbs, payload, suffix);
  if (subresource.verbs.includes("create")) {
    const object = referenceTo(payload);
    methods["post"] = operation(kind, "post", {
      payload,
      suffix,
      parameters: WRITE_PARAMETERS,
      body: ofAnyMediaType(object),
      responses: { 200: object, 201: object, 202: object },
    });
  }
  return methods;
}

function streamMethods(kind: Kind, subresource: Subresource): Methods {
  const action = subresource.name === "log" ? "get" : "connect";
  const facts = { suffix: capitalized(subresource.name), responses: { 200: { type: "string" } } };
  const methods: Methods = {};
  if (subresource.verbs.includes("get")) methods["get"] = operation(kind, action, facts);
  if (subresource.verbs.includes("create")) {
    methods["post"] = operation(kind, action, { ...facts, suffix: `${facts.suffix}Post` });
  }
  return methods;
}

function objectVerbs(
  kind: Kind,
  verbs: readonly string[],
  payload: Payload,
  suffix: string,
): Methods {
  const object = referenceTo(payload);
  const methods: Methods = {};
  if (verbs.includes("get")) {
    methods["get"] = operation(kind, "get", { payload, suffix, responses: { 200: object } });
  }
  if (verbs.includes("update")) {
    methods["put"] = operation(kind, "put", {
      payload,
      suffix,
      parameters: WRITE_PARAMETERS,
      body: ofAnyMediaType(object),
      responses: { 200: object, 201: object },
    });
  }
  if (verbs.includes("patch")) {
    methods["patch"] = operation(kind, "patch", {
      payload,
      suffix,
      parameters: PATCH_PARAMETERS,
      body: Object.fromEntries(patchTypes(kind).map((type) => [type, { schema: PATCH }])),
      responses: { 200: object, 201: object },
    });
  }
  return methods;
}

const PATCH = metaReference("Patch");
const PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

const CUSTOM_PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
];

/** kubectl uses the first of its own types that is listed here. */
function patchTypes({ custom }: Kind): readonly string[] {
  return custom ? CUSTOM_PATCH_TYPES : PATCH_TYPES;
}

interface Payload {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface OperationFacts {
  readonly payload?: Payload;
  readonly suffix?: string;
  readonly parameters?: readonly Schema[];
  /** By media type. */
  readonly body?: Schema;
  readonly responses: { readonly [code: number]: Schema };
}

function operation(kind: Kind, action: string, facts: OperationFacts): Schema {
  const payload = facts.payload ?? kind;
  const responses = Object.entries(facts.responses).map(([code, schema]) => {
    return [code, { description: "OK", content: ofAnyMediaType(schema) }];
  });
  return {
    tags: [operationGroup(kind).replace(/V(\d)/, "_v$1").toLowerCase()],
    operationId: operationName(kind, action, facts.suffix ?? ""),
    ...(facts.parameters === undefined ? {} : { parameters: facts.parameters }),
    ...(facts.body === undefined ? {} : { requestBody: { content: facts.body } }),
    responses: { ...Object.fromEntries(responses), 401: { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    // A single object here, while schemas have a list: kubectl distinguishes them by their shape.
    "x-kubernetes-group-version-kind": {
      group: payload.group,
      kind: payload.kind,
      version: payload.version,
    },
  };
}

const ACTION_VERBS: { readonly [action: string]: string } = {
  deletecollection: "deleteCollection",
  get: "read",
  post: "create",
  put: "replace",
};

/** "listBatchV1NamespacedJob": unique over all documents. */
function operationName(kind: Kind, action: string, suffix: string): string {
  const scope = kind.namespaced && suffix !== "ForAllNamespaces" ? "Namespaced" : "";
  const verb = ACTION_VERBS[action] ?? action;
  return `${verb}${operationGroup(kind)}${scope}${kind.kind}${suffix}`;
}

function operationGroup({ group, version }: Kind): string {
  const words = group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".");
  return [...words, version].map(capitalized).join("");
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function referenceTo(payload: Payload): Schema {
  return schemaReference(findSchemaName(payload) ?? customSchemaName(payload));
}

function listReference(kind: Kind): Schema {
  const listKind = kind.custom?.listKind ?? `${kind.kind}List`;
  return referenceTo({ group: kind.group, version: kind.version, kind: listKind });
}

function ofAnyMediaType(schema: Schema): Schema {
  return Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }]));
}

const MEDIA_TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
