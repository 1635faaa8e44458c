/**
 * Pure: a Job of its own that runs some items of another one again, for clusters on which a Job
 * that is finished stays so. It has as many indexes as there are items; each pod takes over the
 * index that its item has in the first Job, and does what that one did.
 */
import { COMPLETION_INDEX } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import { LABEL_MAX } from "../../api/names.ts";
import {
  COMPLETION_INDEX_VARIABLE,
  CONTAINER,
  RETRIED_INDEXES,
  RUN,
} from "../../api/work-list/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import { quote } from "./script.ts";

export interface ItemRetry {
  /** In their order. */
  readonly indexes: readonly number[];
  /** Which retry of the run it is, counted from 1. */
  readonly number: number;
}

/** The command of each pod names all of them, and one argument has its limit. */
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
      labels: { ...ownLabels(labels), [RUN]: labels?.[RUN] ?? name },
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
        metadata: { ...template.metadata, labels: ownLabels(template.metadata?.labels) },
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

/** The indexes that a Job takes over; undefined for one that has its own. */
export function retriedIndexes({ metadata }: Job): readonly number[] | undefined {
  const text = metadata.annotations?.[RETRIED_INDEXES];
  if (text === undefined) return undefined;
  return text.split(",").flatMap((part) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    return from === undefined ? [] : Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}

/** Which retry a Job is, by its name. */
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

/** The shell that the script asks for, too, gives the pod the index of its item first. */
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

/** Others that hold the index. */
function indexVariables({ env = [] }: Container): readonly string[] {
  const isIndex = (path: string | undefined) => path?.includes(COMPLETION_INDEX) === true;
  const found = env.filter(({ valueFrom }) => isIndex(valueFrom?.fieldRef?.fieldPath));
  return found.map(({ name }) => name).filter((name) => name !== COMPLETION_INDEX_VARIABLE);
}

/** Kubernetes would put the Job's own index in the place of a reference: the shell knows better. */
function wordOf(word: string, names: readonly string[]): string {
  const quoted = quote(word);
  return quoted.replace(/\$\$|\$\((\w+)\)/g, (text, name?: string) =>
    name !== undefined && names.includes(name) ? `'"\${${name}}"'` : text,
  );
}

/** How many ran at a time: a run that was stopped is to go on. */
function parallelismOf({ spec }: Job): number {
  return Math.max(1, spec.parallelism ?? 1);
}

/** Kubernetes takes no larger one than there are indexes. */
function limitOf({ spec }: Job, completions: number) {
  const { maxFailedIndexes: most } = spec;
  return most === undefined ? {} : { maxFailedIndexes: Math.min(most, completions) };
}

const OF_KUBERNETES = [
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
  "controller-uid",
  "job-name",
];

function ownLabels(labels: { readonly [name: string]: string } | undefined) {
  return Object.fromEntries(
    Object.entries(labels ?? {}).filter(([name]) => !OF_KUBERNETES.includes(name)),
  );
}

function ownAnnotations(annotations: { readonly [name: string]: string } | undefined) {
  const kept = Object.entries(annotations ?? {}).filter(
    ([name]) => !name.startsWith("kubectl.kubernetes.io/") && name !== "tallyjob.io/paused",
  );
  return Object.fromEntries(kept);
}
