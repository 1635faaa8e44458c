/**
 * Pure: finds a shorter history that fails for the same reason. Steps are removed, many at first
 * and then one by one, and the rest is simplified, until no further change keeps the failure.
 */
import type { Json } from "../../src/api/object.ts";
import type { History, Spec, Step } from "./history.ts";

/** Enough for the longest history. A failure that depends on everything stops here. */
const MOST_TRIES = 5_000;

export function shrink(history: History, fails: (history: History) => boolean): History {
  let tries = 0;
  const isSmaller = (candidate: History) => ++tries <= MOST_TRIES && fails(candidate);
  let smallest = history;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const next of smaller(smallest)) {
      if (!isSmaller(next)) continue;
      smallest = next;
      isDone = false;
      break;
    }
  }
  return smallest;
}

/** The largest reductions first. */
function* smaller(history: History): Generator<History> {
  const { spec, steps } = history;
  for (let length = steps.length; length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < steps.length; at += length) {
      yield { spec, steps: [...steps.slice(0, at), ...steps.slice(at + length)] };
    }
  }
  for (const simpler of simplerSpecs(spec)) yield { spec: simpler, steps };
  for (const [at, step] of steps.entries()) {
    for (const simpler of simplerSteps(step)) yield { spec, steps: steps.with(at, simpler) };
  }
}

function* simplerSpecs(spec: Spec): Generator<Spec> {
  for (const [field, value] of Object.entries(spec)) {
    if (OPTIONAL.has(field)) {
      const { [field]: _left, ...rest } = spec;
      yield rest;
    }
    if (field === "suspend" && value === true) yield { ...spec, suspend: false };
    for (const simpler of simplerNumbers(value)) yield { ...spec, [field]: simpler };
  }
}

/** Fields that can be removed without making the others invalid. */
const OPTIONAL = new Set(["successPolicy", "activeDeadlineSeconds", "maxFailedIndexes"]);

function* simplerSteps(step: Step): Generator<Step> {
  if (step.kind === "sync") {
    const { cut, ...whole } = step;
    if (cut !== undefined) yield whole;
  }
  for (const [field, value] of Object.entries(step)) {
    if (value === true) yield { ...step, [field]: false };
    for (const simpler of simplerNumbers(value)) yield { ...step, [field]: simpler };
  }
}

function* simplerNumbers(value: Json | undefined): Generator<number> {
  if (typeof value !== "number" || value <= 0) return;
  yield 0;
  if (value > 2) yield Math.floor(value / 2);
  if (value > 1) yield value - 1;
}
