/**
 * Pure: the same run as objects for any Kubernetes. The list is a script in a ConfigMap, which is
 * mounted and runs the command with the values of the pod's index. The Job asks for nothing that
 * only Tally knows, but for annotations that others pass over.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap, Secret, Volume } from "../../api/generated/core.ts";
import { CONTAINER, KEEP_PODS, PER_COMPLETION_ARGS, WORK_LIST } from "../../api/work-list/names.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { composeRun } from "./compose-run.ts";
import { withPathParts } from "./path-parts.ts";
import { composeCommand } from "./run-command.ts";
import type { RunRequest } from "./run-request.ts";
import { composeScript } from "./script.ts";

/** A run for any Kubernetes: its Job and, where there is a list, the object with its script. */
export interface ScriptedRun {
  readonly job: Job;
  readonly script?: ConfigMap | Secret;
  readonly list?: WorkList;
  readonly said: readonly string[];
}

export interface ComposedManifests {
  /** In the order in which they are to be created. */
  readonly objects: readonly (ConfigMap | Secret | Job)[];
  readonly said: readonly string[];
}

/** What Kubernetes takes as the data of one object. */
export const MAX_DATA_BYTES = 1024 * 1024;
/** kubectl apply writes the whole object into an annotation, too, which may have this much. */
const MAX_APPLIED_BYTES = 256 * 1024;
const VOLUME = "tally-run";
const DIRECTORY = "/tally";
/** The key of the object, and the file in the pod. */
export const SCRIPT = "run.sh";

/** Throws a UsageError for what cannot be run, or not there. */
export function composeManifests(request: RunRequest): ComposedManifests {
  if (request.image === undefined) {
    throw new UsageError(
      "--dry-run=client is for clusters, which need --image: there are no programs of this machine",
    );
  }
  const { job, script, said } = composeScripted(request, hashOf);
  if (!script) return { objects: [job], said };
  const isLong = Buffer.byteLength(JSON.stringify(script)) > MAX_APPLIED_BYTES;
  const how =
    "the list is too long for kubectl apply: use kubectl create, or kubectl apply --server-side";
  return { objects: [script, job], said: isLong ? [...said, how] : said };
}

/**
 * @param suffixOf the end of the name of the object, which may depend on the script
 */
export function composeScripted(
  request: RunRequest,
  suffixOf: (script: string) => string,
): ScriptedRun {
  const { annotations: _ours, podAnnotations: _theirs, ...plain } = withPathParts(request);
  const { job, list, said } = composeRun(plain);
  if (!list) return { job: plainJob(job), said };
  const script = scriptOf(plain, list);
  const name = `${job.metadata.name}-list-${suffixOf(script)}`;
  const isSecret = request.paramsIn === "secret";
  const metadata = { name, namespace: request.namespace };
  const object: ConfigMap | Secret = isSecret
    ? {
        apiVersion: "v1",
        kind: "Secret",
        metadata,
        immutable: true,
        type: "Opaque",
        stringData: { [SCRIPT]: script },
      }
    : {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        immutable: true,
        data: { [SCRIPT]: script },
      };
  const volume: Volume = isSecret
    ? { name: VOLUME, secret: { secretName: name } }
    : { name: VOLUME, configMap: { name } };
  return { job: withScript(plainJob(job), volume), script: object, list, said };
}

/** Where the script of a Job is, of those that have one. */
export function findScriptPlace({ spec }: Job) {
  const volume = spec.template.spec?.volumes?.find(({ name }) => name === VOLUME);
  const { configMap, secret } = volume ?? {};
  if (configMap) return { kind: "ConfigMap", name: configMap.name ?? "" } as const;
  return secret ? ({ kind: "Secret", name: secret.secretName ?? "" } as const) : undefined;
}

function scriptOf(request: RunRequest, list: WorkList): string {
  const { arguments: command } = composeCommand(request);
  if (command.length === 0) {
    throw new UsageError(
      'there is no command: write it after "--"; a script cannot know what the image would run',
    );
  }
  const special = list.parameters.find((name) => SHELL_VARIABLES.includes(name));
  if (special !== undefined) {
    throw new UsageError(
      `the parameter ${special} has a meaning of its own to shells, and on a cluster a shell ` +
        "looks up the items: call it otherwise",
    );
  }
  const script = composeScript({ list, command, appended: request.appended ?? [] });
  const bytes = Buffer.byteLength(script);
  if (bytes <= MAX_DATA_BYTES) return script;
  throw new UsageError(
    `the list does not fit: its script has ${bytes} bytes, and one object of a cluster holds ` +
      `${MAX_DATA_BYTES}; split the list, or put it where all pods can read it`,
  );
}

const SHELL_VARIABLES: readonly string[] = [
  ...["PATH", "IFS", "ENV", "PWD", "OLDPWD", "PPID", "UID", "EUID", "GID", "EGID", "OPTIND"],
  ...[
    "OPTARG",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_ENV",
    "POSIXLY_CORRECT",
  ],
  ...["HISTCMD", "GROUPS", "DIRSTACK", "FUNCNAME", "PIPESTATUS", "USERNAME", "_", "status", "path"],
];

/** Without what only Tally would look at. */
function plainJob(job: Job): Job {
  const {
    [WORK_LIST]: _list,
    [PER_COMPLETION_ARGS]: _arguments,
    [KEEP_PODS]: _kept,
    ...annotations
  } = job.metadata.annotations ?? {};
  return { ...job, metadata: { ...job.metadata, annotations } };
}

function withScript(job: Job, volume: Volume): Job {
  const { template } = job.spec;
  const containers = (template.spec.containers ?? []).map((container) => {
    if (container.name !== CONTAINER) return container;
    const mount = { name: VOLUME, mountPath: DIRECTORY, readOnly: true };
    return { ...container, command: ["sh", `${DIRECTORY}/${SCRIPT}`], volumeMounts: [mount] };
  });
  const spec = { ...template.spec, containers, volumes: [volume] };
  return { ...job, spec: { ...job.spec, template: { ...template, spec } } };
}

/** The same name for the same script: applied again, nothing changes. FNV-1a, 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
