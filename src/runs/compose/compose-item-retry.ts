/**
 * Pure: a separate Job that retries some items of another Job, for clusters on which a finished Job
 * cannot continue. It has one index per item; each pod uses the index that its item has in the
 * first Job, and runs the same command.
 */
import { COMPLETION_INDEX } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import { withoutGenerated } from "../../api/job-labels.ts";
import { LABEL_MAX } from "../../api/names.ts";
import {
  COMPLETION_INDEX_VARIABLE,
  CONTAINER,
  PAUSED,
  RETRIED_INDEXES,
  RUN,
} from "../../api/work-list/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import { quote } from "./script.ts";

export interface ItemRetry {
  /** In ascending order. */
  readonly indexes: readonly number[];
  /** Which retry of the run it is, counted from 1. */
  readonly number: number;
}

/** The command of each pod lists all of them, and the length of an argument is limited. */
const MAX_RETRIED = 10_000;

export function composeItemRetry(first: Job, { indexes, number }: ItemRetry): Job {
  if (indexes.length > MAX_RETRIED) {
    throw new UsageError(
      `${indexes.length} items are too many to be run again at once without tally controller: ` +
        `at most ${MAX_RETRIED}, chosen by --index`,
    );
  }
  const { name = "", namespace = "", uid = "", labels, annotations } = first.metadata;
  const { selector: _selector, suspend: _suspend, template, ...spec } = first.spec;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: retryName(name, number, indexes.length),
      namespace,
      labels: { ...withoutGenerated(labels), [RUN]: labels?.[RUN] ?? name },
      annotations: { ...ownAnnotations(annotations), [RETRIED_INDEXES]: formatList(indexes) },
      ownerReferences: [owner],
    },
    spec: {
      ...spec,
      completions: indexes.length,
      parallelism: Math.min(parallelismOf(first), indexes.length),
      ...limitOf(first, indexes.length),
      template: {
        ...template,
        metadata: { ...template.metadata, labels: withoutGenerated(template.metadata?.labels) },
        spec: {
          ...template.spec,
          containers: (template.spec.containers ?? []).map((container) =>
            container.name === CONTAINER ? inPlaceOf(container, indexes) : container,
          ),
        },
      },
    },
    status: {},
  };
}

/** The indexes that a Job retries; undefined for the first Job of a run. */
export function retriedIndexes({ metadata }: Job): readonly number[] | undefined {
  const text = metadata.annotations?.[RETRIED_INDEXES];
  if (text === undefined) return undefined;
  return text.split(",").flatMap((part) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    return from === undefined ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}

/** The number of the retry, from the name of its Job. */
export function retryNumber({ metadata }: Job): number {
  return Number(/-retry-(\d+)$/.exec(metadata.name ?? "")?.[1] ?? 0);
}

function retryName(name: string, number: number, completions: number): string {
  const suffix = `-retry-${number}`;
  const room = LABEL_MAX - `-${completions - 1}`.length - suffix.length;
  return `${name.slice(0, room).replace(/-+$/, "")}${suffix}`;
}

/** "3,7-9" */
function formatList(indexes: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const index of indexes) {
    const last = parts.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

type Container = NonNullable<Job["spec"]["template"]["spec"]["containers"]>[number];

/** A shell, which the script needs anyway, sets the index of the item first. */
function inPlaceOf(container: Container, indexes: readonly number[]): Container {
  const { command = [], args = [] } = container;
  if (command.length === 0) {
    throw new UsageError(
      "the image's own command cannot be run again for some items only: write it after --",
    );
  }
  const names = [COMPLETION_INDEX_VARIABLE, ...indexVariables(container)];
  const script = [
    `set -- ${indexes.join(" ")}`,
    `shift "$${COMPLETION_INDEX_VARIABLE}"`,
    ...names.map((name) => `export ${name}="$1"`),
    `exec ${[...command, ...args].map((word) => wordOf(word, names)).join(" ")}`,
  ].join("\n");
  const { args: _args, ...rest } = container;
  return { ...rest, command: ["sh", "-c", script] };
}

/** Further variables with the index. */
function indexVariables({ env = [] }: Container): readonly string[] {
  const isIndex = (path: string | undefined) => path?.includes(COMPLETION_INDEX) === true;
  const found = env.filter(({ valueFrom }) => isIndex(valueFrom?.fieldRef?.fieldPath));
  return found.map(({ name }) => name).filter((name) => name !== COMPLETION_INDEX_VARIABLE);
}

/** A reference would expand to the index of this Job: the shell has the index of the item. */
function wordOf(word: string, names: readonly string[]): string {
  const quoted = quote(word);
  return quoted.replace(/\$\$|\$\((\w+)\)/g, (text, name?: string) =>
    name !== undefined && names.includes(name) ? `'"\${${name}}"'` : text,
  );
}

/** At least 1: the run may have been stopped with a parallelism of 0. */
function parallelismOf({ spec }: Job): number {
  return Math.max(1, spec.parallelism ?? 1);
}

/** Kubernetes accepts no limit above the number of indexes. */
function limitOf({ spec }: Job, completions: number) {
  const { maxFailedIndexes: most } = spec;
  return most === undefined ? {} : { maxFailedIndexes: Math.min(most, completions) };
}

function ownAnnotations(annotations: { readonly [name: string]: string } | undefined) {
  const kept = Object.entries(annotations ?? {}).filter(
    ([name]) => !name.startsWith("kubectl.kubernetes.io/") && name !== PAUSED,
  );
  return Object.fromEntries(kept);
}
