/** For each kind, and each text that an object of it can have: bodies with that text at length. */
import { type FieldFacts, jsonFields, parseType } from "../../src/api/schema/tables.ts";
import { apiVersionOf, type Kind, verbsOf } from "../../src/kinds/kind.ts";
import { registry } from "../../src/kinds/registry.ts";

export interface TextField {
  readonly kind: Kind;
  /** "spec.containers[].name" */
  readonly path: string;
  readonly body: (text: string) => object;
}

type Values = { readonly [key: string]: unknown };

interface Placed {
  readonly path: string;
  readonly value: (text: string) => unknown;
}

/** A text of a message that several kinds have is there once, in the kind that comes first. */
export function textFields(): readonly TextField[] {
  const seen = new Set<string>();
  const kinds = registry.kinds.filter((kind) => verbsOf(kind).includes("create"));
  const first = Object.keys(SKELETONS).flatMap((name) => kinds.filter(({ kind }) => kind === name));
  const others = kinds.filter(({ kind }) => !(kind in SKELETONS));
  return [...first, ...others].flatMap((kind) =>
    textsOf(kind.message, [], seen).map(({ path, value }) => ({
      kind,
      path,
      body: (text: string) => merge(skeletonOf(kind), value(text)) as object,
    })),
  );
}

const POD_SPEC = { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" };
const JOB_SPEC = { template: { spec: POD_SPEC } };
const SCHEMA = { type: "object", properties: { spec: { type: "object" } } };

/** What has to be there so that everything else is validated. */
const SKELETONS: { readonly [kind: string]: Values } = {
  Pod: { spec: POD_SPEC },
  Job: { spec: JOB_SPEC },
  CronJob: { spec: { schedule: "* * * * *", jobTemplate: { spec: JOB_SPEC } } },
  Service: { spec: { ports: [{ port: 1 }] } },
  CustomResourceDefinition: {
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
    },
  },
};

function skeletonOf(kind: Kind): Values {
  const own = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "long" } };
  return merge(own, SKELETONS[kind.kind] ?? {}) as Values;
}

/** The second over the first; of two lists of one item each, these. */
function merge(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other) && one.length === 1 && other.length === 1) {
    return [merge(one[0], other[0])];
  }
  if (!isObject(one) || !isObject(other)) return other;
  const merged = Object.entries(other).map(([key, value]) => {
    return [key, key in one ? merge(one[key], value) : value];
  });
  return { ...one, ...Object.fromEntries(merged) };
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textsOf(message: string, above: readonly string[], seen: Set<string>): Placed[] {
  if (above.includes(message)) return [];
  return [...jsonFields(message).values()].flatMap(({ json, type }: FieldFacts) => {
    const isNew = !seen.has(`${message} ${json}`);
    seen.add(`${message} ${json}`);
    return under(json, type, { above: [...above, message], seen, isNew });
  });
}

interface Walk {
  readonly above: readonly string[];
  readonly seen: Set<string>;
  /** Whether the texts of this field itself have not been there yet. */
  readonly isNew: boolean;
}

const TEXTS: ReadonlySet<string> = new Set(
  "string Quantity IntOrString Time MicroTime bytes JSON FieldsV1 RawExtension".split(" "),
);

function under(json: string, reference: string, walk: Walk): Placed[] {
  const type = parseType(reference);
  if (type.kind === "scalar") {
    if (!walk.isNew || !TEXTS.has(type.name)) return [];
    return [{ path: json, value: (text) => ({ [json]: text }) }];
  }
  if (type.kind === "message") {
    return textsOf(type.name, walk.above, walk.seen).map(({ path, value }) => ({
      path: `${json}.${path}`,
      value: (text) => ({ [json]: value(text) }),
    }));
  }
  const isList = type.kind === "list";
  const inside = under(ITEM, type.element, walk).map(({ path, value }): Placed => {
    const item = (text: string) => (value(text) as Values)[ITEM];
    return {
      path: `${json}${isList ? "[]" : "{}"}${path.slice(ITEM.length)}`,
      value: (text) => ({ [json]: isList ? [item(text)] : { a: item(text) } }),
    };
  });
  if (isList || !walk.isNew) return inside;
  const isScalar = parseType(type.element).kind === "scalar";
  const key = (text: string) => ({ [json]: { [text]: isScalar ? "1" : {} } });
  return [{ path: `${json}{key}`, value: key }, ...inside];
}

const ITEM = "item";
