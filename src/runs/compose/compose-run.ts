/** Pure: composes the Job of a request, and the objects that belong to it. */
import { COMPLETION_INDEX } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Container, EnvVar } from "../../api/generated/core.ts";
import { dns1123Label, LABEL_MAX } from "../../api/names.ts";
import {
  CONTAINER,
  HOST_IMAGE,
  KEEP_PODS,
  PER_COMPLETION_ARGS,
  WORK_LIST,
} from "../../api/work-list/names.ts";
import { escapeText } from "../../api/work-list/references.ts";
import { type ListObject, type ListPast, storeList } from "../../api/work-list/stored-list.ts";
import { itemCount, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { checkList } from "../list/check-list.ts";
import { decideFailureRules, type FailureRules } from "./failure-rules.ts";
import { withPathParts } from "./path-parts.ts";
import { composeCommand, type RunCommand } from "./run-command.ts";
import type { RunRequest } from "./run-request.ts";
import { formatArgument } from "./substitute.ts";

export interface ComposedRun {
  /** To create first. */
  readonly job: Job;
  /** Its list, owned by it. Pods are created when the list is there. */
  readonly support: (past?: ListPast) => readonly ListObject[];
  readonly list?: WorkList;
  /** Notices for the user. */
  readonly notices: readonly string[];
}

/** Limits of Kubernetes for Indexed Jobs. */
const MAX_COMPLETIONS = 2 ** 31 - 1;
const MAX_PARALLELISM = 100_000;
const MANY_INDEXES = 100_000;
const MAX_PARALLELISM_OF_MANY = 10_000;

/** Throws a UsageError for a request that cannot be run. */
export function composeRun(given: RunRequest): ComposedRun {
  const request = withPathParts(given);
  const { list, namespace, suffix, paramsIn = "configmap" } = request;
  const completions = completionsOf(request);
  if (list) checkList(list);
  if (list?.isBatched && paramsIn === "secret") {
    throw new UsageError(
      "--batch and --params-in=secret do not go together: a batch becomes arguments, which show",
    );
  }
  refuseSameNames(request);
  const command = composeCommand(request);
  const rules = decideFailureRules(request.failure ?? {}, completions);
  const name = runName(request, completions);
  const listName = `${name}-list-${suffix}`;
  const kind = paramsIn === "secret" ? "Secret" : "ConfigMap";
  const job: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace,
      annotations: {
        [KEEP_PODS]: "failed",
        ...rules.annotations,
        ...(list ? { [WORK_LIST]: kind === "Secret" ? `secret/${listName}` : listName } : {}),
        ...appendedAnnotation(request),
        ...request.annotations,
      },
    },
    spec: jobSpec(request, rules, command, completions),
    status: {},
  };
  const place = { name: listName, namespace, kind } as const;
  const support = (past?: ListPast) => (list ? storeList(list, place, past) : []);
  return {
    job,
    support,
    ...(list ? { list } : {}),
    notices: [...command.notices, ...rules.notices],
  };
}

/** Otherwise one of the two variables would hide the other. */
function refuseSameNames({ list, indexVariable, environment = [] }: RunRequest): void {
  const parameters = list?.parameters ?? [];
  if (indexVariable !== undefined && parameters.includes(indexVariable)) {
    throw new UsageError(`--completion-index-var-name ${indexVariable} is in the list, too`);
  }
  const same = environment.find(({ name }) => parameters.includes(name));
  if (same) throw new UsageError(`--env ${same.name} is in the list, too`);
}

export function completionsOf({ list, completions }: RunRequest): number {
  const items = list ? itemCount(list) : (completions ?? 1);
  if (items === 0) {
    throw new UsageError(list ? "the list has no items" : "--completions must be at least 1");
  }
  if (completions !== undefined && completions !== items) {
    throw new UsageError(`--completions is ${completions}, and the list has ${items} items`);
  }
  if (!Number.isSafeInteger(items) || items < 0 || items > MAX_COMPLETIONS) {
    throw new UsageError(`--completions must be a number up to ${MAX_COMPLETIONS}`);
  }
  return items;
}

/** The spec of the Job, without the values of the items. */
export function jobSpec(
  request: RunRequest,
  rules: FailureRules,
  command: RunCommand,
  completions: number,
): Job["spec"] {
  const { restartPolicy, activeDeadlineSeconds, spec } = rules;
  const { podAnnotations } = request;
  return {
    completionMode: "Indexed",
    completions,
    parallelism: parallelismOf(request, completions),
    ...spec,
    template: {
      metadata: podAnnotations ? { annotations: podAnnotations } : {},
      spec: {
        restartPolicy,
        ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        containers: [container(request, command)],
      },
    },
  };
}

function parallelismOf({ parallelism }: RunRequest, completions: number): number {
  const most = completions > MANY_INDEXES ? MAX_PARALLELISM_OF_MANY : MAX_PARALLELISM;
  return Math.min(parallelism, completions, most);
}

function container(request: RunRequest, command: RunCommand): Container {
  const { image = HOST_IMAGE, workdir } = request;
  const env = environmentOf(request);
  return {
    name: CONTAINER,
    image,
    ...(command.arguments.length > 0 ? { command: command.arguments.map(formatArgument) } : {}),
    ...(workdir === undefined ? {} : { workingDir: workdir }),
    ...(env.length > 0 ? { env } : {}),
    resources: {},
  };
}

function environmentOf({ environment = [], indexVariable }: RunRequest): readonly EnvVar[] {
  const fieldRef = { fieldPath: `metadata.annotations['${COMPLETION_INDEX}']` };
  const index =
    indexVariable === undefined ? [] : [{ name: indexVariable, valueFrom: { fieldRef } }];
  return [...index, ...environment.map(({ name, value }) => ({ name, value: escapeText(value) }))];
}

function appendedAnnotation({ appended = [] }: RunRequest): { readonly [name: string]: string } {
  if (appended.length === 0) return {};
  return { [PER_COMPLETION_ARGS]: JSON.stringify({ [CONTAINER]: appended }) };
}

/** The length of a generated name: long enough to tell commands apart, short enough to type. */
const MADE_UP_MAX = 20;

/** The name of a run is that of its Job. */
function runName({ name, command, suffix }: RunRequest, completions: number): string {
  if (name === undefined) return `${nameOfCommand(command)}-${suffix}`;
  // The hostname of a pod is the name and the index.
  const longest = LABEL_MAX - `-${completions - 1}`.length;
  const [problem] = dns1123Label(name);
  if (problem !== undefined) {
    throw new UsageError(
      `the name ${JSON.stringify(name)} must be of lower-case letters, digits and "-", with a ` +
        "letter or digit first and last",
    );
  }
  if (name.length <= longest) return name;
  throw new UsageError(
    `the name ${JSON.stringify(name)} has ${name.length} characters: with ${completions} items ` +
      `it can have ${longest}`,
  );
}

/** The program without its folder and extension, or the first word of a script. */
function nameOfCommand([program = ""]: readonly string[]): string {
  const [word = ""] = program.trim().split(/\s/);
  const plain = word.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
  const fit = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return fit.slice(0, MADE_UP_MAX).replace(/-+$/, "") || "run";
}
