/**
 * Many pods are made from one template: what one of them has by reference from it, in the spec, the
 * next ones have too. Such a part is decoded and defaulted once; the pods then share the outcome,
 * in memory as well.
 */
import type { KubeObject } from "../api/object.ts";

type Fields = { readonly [field: string]: unknown };
type WithSpec = KubeObject & { readonly spec?: Fields };

/** Preparation writes into these for each object anew: a Job labels its template with its uid. */
const OWN = new Set(["affinity", "topologySpreadConstraints", "selector", "template"]);

export class DecodedParts {
  /** What was handed over, to what became of it. */
  readonly #outcomes = new WeakMap<object, object>();

  /** The object with what is known of its spec put in, and that alone as an object of its own. */
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

  /** What admission put in the place of a part, such as limits of the namespace, is not kept. */
  remember(given: WithSpec, decoded: Fields, created: WithSpec): void {
    for (const [field, part] of Object.entries(given.spec ?? {})) {
      const outcome = created.spec?.[field];
      if (outcome !== decoded[field]) continue;
      if (isShareable(field, part) && isObject(outcome)) this.#outcomes.set(part, outcome);
    }
  }
}

/** The parts of an object that is about to be created, and changed on the way. */
export function partsBefore({ spec = {} }: WithSpec): Fields {
  return { ...spec };
}

function isShareable(field: string, part: unknown): part is object {
  return isObject(part) && !OWN.has(field);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
