/** CustomResourceDefinitions, and servers on which they are installed. */
import type { Told } from "../support/ask.ts";
import { ask } from "../support/ask.ts";
import { aServer, type TestServer } from "./server.ts";

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
export const MERGE = { contentType: "application/merge-patch+json" };

/** A schema as users write it: incomplete, and sometimes invalid. */
export interface LooseSchema {
  readonly [keyword: string]: unknown;
}

export interface DefinitionOptions {
  /** Schema of spec; default: a field "replicas" with a default of 1, and a field "name". */
  readonly spec?: LooseSchema;
  /** Schema of the whole object. */
  readonly schema?: LooseSchema;
  readonly version?: { readonly [field: string]: unknown };
  readonly names?: { readonly [field: string]: unknown };
  readonly definition?: { readonly [field: string]: unknown };
}

const SPEC: LooseSchema = {
  type: "object",
  properties: { replicas: { type: "integer", default: 1 }, name: { type: "string" } },
};

export function aDefinition(options: DefinitionOptions = {}) {
  const { spec = SPEC, version = {}, names = {}, definition = {} } = options;
  const schema = options.schema ?? { type: "object", properties: { spec, status: ANYTHING } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...version,
        },
      ],
      ...definition,
    },
  };
}

const ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A server that serves widgets. */
export async function aServerWith(options: DefinitionOptions = {}): Promise<TestServer> {
  const server = aServer();
  await define(server, aDefinition(options));
  return server;
}

/** The server processes a definition immediately after the request. */
export async function define(server: TestServer, definition: object): Promise<Told> {
  const told = ask(server, "POST", DEFINITIONS, definition);
  if (told.status !== 201) throw new Error(told.text);
  await Promise.resolve();
  return told;
}

export function aWidget(spec: object = {}, more: object = {}) {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec, ...more };
}

/** The findings of a rejected request, one per entry. */
export function refusalOf(told: Told): readonly string[] {
  const { details, message } = told.object as unknown as {
    details?: { causes?: readonly { field: string; message: string }[] };
    message: string;
  };
  const causes = details?.causes;
  return causes ? causes.map((cause) => `${cause.field}: ${cause.message}`) : [message];
}
