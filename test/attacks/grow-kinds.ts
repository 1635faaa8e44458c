/** For each kind, and each list and map in it: request bodies in which that field grows. */
import { type FieldFacts, jsonFields, parseType } from "../../src/api/schema/tables.ts";
import { apiVersionOf, type Kind, verbsOf } from "../../src/kinds/kind.ts";
import { registry } from "../../src/kinds/registry.ts";

export interface GrownField {
  readonly kind: Kind;
  /** "spec.containers[].env" */
  readonly path: string;
  /** If `isEqual`, all items are equal; otherwise each is different. */
  readonly body: (size: number, isEqual: boolean) => object;
}

type Values = { [key: string]: unknown };
type Grow = (size: number, isEqual: boolean) => unknown;

/** A field that several kinds share is grown once, in the first of them. */
export function grownFields(): readonly GrownField[] {
  const seen = new Set<string>();
  const others = registry.kinds.filter((kind) => kind !== POD);
  const kinds = [POD, ...others].filter((kind) => verbsOf(kind).includes("create"));
  return kinds.flatMap((kind) =>
    growths(kind.message, [], seen).map(({ path, value }) => ({
      kind,
      path,
      body: (size: number, isEqual: boolean) => bodyOf(kind, value(size, isEqual) as Values),
    })),
  );
}

const POD = registry.getResource("", "v1", "pods");

function bodyOf(kind: Kind, values: Values): object {
  const metadata = { name: "grown", ...(values["metadata"] as object | undefined) };
  const own = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return { ...own, ...withContainers(kind, values), metadata };
}

/** Without a container, much of the validation of a pod would never run. */
function withContainers({ kind }: Kind, values: Values): Values {
  if (kind !== "Pod") return values;
  const spec = { containers: [{ name: "c", image: "i" }], ...(values["spec"] as object) };
  return { ...values, spec };
}

interface Growing {
  readonly path: string;
  readonly value: Grow;
}

function growths(message: string, above: readonly string[], seen: Set<string>): Growing[] {
  if (above.includes(message)) return [];
  return [...jsonFields(message).values()].flatMap((field) =>
    growthsOf(message, field, [...above, message], seen),
  );
}

function growthsOf(
  message: string,
  field: FieldFacts,
  above: readonly string[],
  seen: Set<string>,
): Growing[] {
  const { json } = field;
  const type = parseType(field.type);
  const isNew = !seen.has(`${message} ${json}`);
  seen.add(`${message} ${json}`);
  if (type.kind === "scalar") return [];
  if (type.kind === "message") {
    return growths(type.name, above, seen).map(({ path, value }) => ({
      path: `${json}.${path}`,
      value: (size, isEqual) => ({ [json]: value(size, isEqual) }),
    }));
  }
  const own: Growing[] = isNew
    ? [{ path: json, value: (size, isEqual) => ({ [json]: grown(field.type, size, isEqual) }) }]
    : [];
  const element = parseType(type.element);
  if (element.kind !== "message" || !isNew) return own;
  const inside = growths(element.name, above, seen).map(({ path, value }): Growing => {
    const one = (size: number, isEqual: boolean) => ({
      ...(filled(type.element, 0) as object),
      ...(value(size, isEqual) as object),
    });
    return {
      path: `${json}[].${path}`,
      value: (size, isEqual) => {
        const only = one(size, isEqual);
        return { [json]: type.kind === "list" ? [only] : { a: only } };
      },
    };
  });
  return [...own, ...inside];
}

function grown(reference: string, size: number, isEqual: boolean): unknown {
  const type = parseType(reference);
  if (type.kind !== "list" && type.kind !== "map") return undefined;
  const items = Array.from({ length: size }, (_, at) => filled(type.element, isEqual ? 0 : at));
  if (type.kind === "list") return items;
  return Object.fromEntries(items.map((item, at) => [`k${at}`, item]));
}

/** Enough fields to make items different. */
const MOST_FIELDS = 4;

function filled(reference: string, at: number): unknown {
  const type = parseType(reference);
  if (type.kind === "list") return [filled(type.element, at)];
  if (type.kind === "map") return { a: filled(type.element, at) };
  if (type.kind === "message") {
    const scalars = [...jsonFields(type.name).values()].filter(
      (field) => parseType(field.type).kind === "scalar",
    );
    const given = scalars.slice(0, MOST_FIELDS);
    return Object.fromEntries(given.map(({ json, type: each }) => [json, filled(each, at)]));
  }
  return SCALARS[type.name]?.(at) ?? null;
}

const SCALARS: { readonly [scalar: string]: (at: number) => unknown } = {
  string: (at) => `a${at}`,
  bool: () => true,
  int32: (at) => 1 + (at % 60_000),
  int64: (at) => 1 + at,
  float64: (at) => at,
  bytes: () => "YQ==",
  Quantity: (at) => String(1 + at),
  IntOrString: (at) => 1 + (at % 60_000),
  Time: () => "2026-01-01T00:00:00Z",
  MicroTime: () => "2026-01-01T00:00:00.000000Z",
  RawExtension: () => ({ a: 1 }),
  FieldsV1: (at) => ({ [`f:a${at}`]: {} }),
  JSON: (at) => at,
};
