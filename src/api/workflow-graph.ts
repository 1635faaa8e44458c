/** Pure: the dependencies between the steps of a Workflow. */
import type { WorkflowSpec } from "./generated/tallyjob.ts";

export interface WorkflowGraph {
  /** By position of a step in the spec: the positions of the steps it waits for. */
  readonly before: readonly (readonly number[])[];
  /** By position of a step in the spec: the positions of the steps that wait for it. */
  readonly after: readonly (readonly number[])[];
}

/** A dependency may be declared twice, in both ways. Names of unknown steps are ignored. */
export function graphOf({ jobs, dependencies = [] }: WorkflowSpec): WorkflowGraph {
  const steps = jobs ?? [];
  const places = new Map(steps.map(({ name }, at) => [name, at]));
  const before = steps.map(() => new Set<number>());
  const after = steps.map(() => new Set<number>());
  const add = (first: string, then: string) => {
    const [one, other] = [places.get(first), places.get(then)];
    if (one === undefined || other === undefined) return;
    before[other]?.add(one);
    after[one]?.add(other);
  };
  for (const { name, dependsOn = [] } of steps) for (const first of dependsOn) add(first, name);
  for (const dependency of dependencies) add(dependency.before, dependency.after);
  return { before: before.map((set) => [...set]), after: after.map((set) => [...set]) };
}

/** The names of the steps in a cycle; the first one is repeated at the end. */
export function findCycle(spec: WorkflowSpec): readonly string[] | undefined {
  const { before, after } = graphOf(spec);
  const waitsFor = before.map((steps) => steps.length);
  const free = [...waitsFor.keys()].filter((at) => waitsFor[at] === 0);
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    for (const next of after[at] ?? []) {
      waitsFor[next] = (waitsFor[next] ?? 0) - 1;
      if (waitsFor[next] === 0) free.push(next);
    }
  }
  const stuck = waitsFor.findIndex((count) => count > 0);
  if (stuck < 0) return undefined;
  // Every stuck step waits for another stuck one, so following them leads to a step twice.
  const met = new Map<number, number>();
  const way: number[] = [];
  let at = stuck;
  while (!met.has(at)) {
    met.set(at, way.length);
    way.push(at);
    at = (before[at] ?? []).find((each) => (waitsFor[each] ?? 0) > 0) ?? at;
  }
  const circle = [...way.slice(met.get(at)), at].reverse();
  return circle.map((each) => spec.jobs?.[each]?.name ?? "");
}
