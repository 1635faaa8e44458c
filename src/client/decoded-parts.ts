/**
 * Many pods are made from one template and share parts of its spec by reference. Each such part is
 * decoded and defaulted only once, and the pods share the result, in memory as well.
 */
import type { KubeObject } from "../api/object.ts";

type Fields = { readonly [field: string]: unknown };
type WithSpec = KubeObject & { readonly spec?: Fields };

/**
 * Preparation writes to these fields per object, so that they cannot be shared: for example, a Job
 * labels its template with its uid.
 */
const OWN = new Set(["affinity", "topologySpreadConstraints", "selector", "template"]);

export class DecodedParts {
  /** From the part as given to the decoded part. */
  readonly #outcomes = new WeakMap<object, object>();

  /** The object with known parts of its spec filled in; `known` contains only those parts. */
  fill<T extends WithSpec>(object: T): { readonly object: T; readonly known?: KubeObject } {
    const found: { [field: string]: object } = {};
    let isAny = false;
    for (const [field, part] of Object.entries(object.spec ?? {})) {
      const outcome = isShareable(field, part) ? this.#outcomes.get(part) : undefined;
      if (!outcome) continue;
      found[field] = outcome;
      isAny = true;
    }
    if (!isAny) return { object };
    const { apiVersion, kind } = object;
    const known = { apiVersion, kind, metadata: {}, spec: found };
    return { object: { ...object, spec: { ...object.spec, ...found } }, known };
  }

  /**
   * Remembers decoded parts, except those that admission replaced, for example with limits of the
   * namespace.
   */
  remember(given: WithSpec, decoded: Fields, created: WithSpec): void {
    for (const [field, part] of Object.entries(given.spec ?? {})) {
      const outcome = created.spec?.[field];
      if (outcome !== decoded[field]) continue;
      if (isShareable(field, part) && isObject(outcome)) this.#outcomes.set(part, outcome);
    }
  }
}

/** The parts of an object before it is created, because creation may replace some. */
export function partsBefore({ spec = {} }: WithSpec): Fields {
  return { ...spec };
}

function isShareable(field: string, part: unknown): part is object {
  return isObject(part) && !OWN.has(field);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
