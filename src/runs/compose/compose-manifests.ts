/**
 * Pure: a run as objects for any Kubernetes. The pods run a script that has the values of every
 * index; the script is in a ConfigMap, or a Secret, that they mount. Only annotations of the Job
 * are specific to Tally, and others ignore them. The list itself is stored beside the script, so
 * that commands can show the items.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap, Secret, Volume } from "../../api/generated/core.ts";
import { CONTAINER, KEEP_PODS, PER_COMPLETION_ARGS, WORK_LIST } from "../../api/work-list/names.ts";
import type { ListObjectName } from "../../api/work-list/opened-list.ts";
import { type ListObject, storeList } from "../../api/work-list/stored-list.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { composeRun } from "./compose-run.ts";
import { withPathParts } from "./path-parts.ts";
import { composeCommand } from "./run-command.ts";
import type { RunRequest } from "./run-request.ts";
import { composeScript } from "./script.ts";

/** A run for any Kubernetes: its Job and, if there is a list, the object with its script. */
export interface ScriptedRun {
  readonly job: Job;
  readonly script?: ConfigMap | Secret;
  /** The list, if it is not in the object of the script. */
  readonly listObjects: readonly ListObject[];
  readonly list?: WorkList;
  readonly notices: readonly string[];
}

export interface ComposedManifests {
  /** In the order in which they have to be created. */
  readonly objects: readonly (ConfigMap | Secret | Job)[];
  readonly notices: readonly string[];
}

/** The most data that Kubernetes accepts in one object. */
export const MAX_DATA_BYTES = 1024 * 1024;
/** kubectl apply also writes the whole object into an annotation, which may have this many. */
const MAX_APPLIED_BYTES = 256 * 1024;
const VOLUME = "tally-run";
const DIRECTORY = "/tally";
/** The key of the object, and the file in the pod. */
export const SCRIPT = "run.sh";

/** Throws a UsageError for a request that cannot be run, or not on a cluster. */
export function composeManifests(request: RunRequest): ComposedManifests {
  if (request.image === undefined) {
    throw new UsageError(
      "--dry-run=client is for clusters, which need --image: there are no programs of this machine",
    );
  }
  const { job, script, listObjects, notices } = composeScripted(request, hashOf);
  if (!script) return { objects: [job], notices };
  const how =
    "the list is too long for kubectl apply: use kubectl create, or kubectl apply --server-side";
  const objects = [script, ...listObjects, job];
  return { objects, notices: fitsApply(script) ? notices : [...notices, how] };
}

/**
 * @param suffixOf the end of the name of the script's object, which may depend on the script
 */
export function composeScripted(
  request: RunRequest,
  suffixOf: (script: string) => string,
): ScriptedRun {
  const { annotations: _ours, podAnnotations: _theirs, ...plain } = withPathParts(request);
  const { job, list, notices } = composeRun(plain);
  if (!list) return { job: plainJob(job), listObjects: [], notices };
  const script = scriptOf(plain, list);
  const name = `${job.metadata.name}-list-${suffixOf(script)}`;
  const isSecret = request.paramsIn === "secret";
  const metadata = { name, namespace: request.namespace };
  const volume: Volume = isSecret
    ? { name: VOLUME, secret: { secretName: name } }
    : { name: VOLUME, configMap: { name } };
  const objects = isSecret
    ? secretScript(metadata, script)
    : scriptWithList(metadata, script, list);
  return { job: withScript(plainJob(job), volume), ...objects, list, notices };
}

/** Secret values are not shown by any command, so that no list is needed beside the script. */
function secretScript(metadata: ConfigMap["metadata"], script: string) {
  const object: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    immutable: true,
    type: "Opaque",
    stringData: { [SCRIPT]: script },
  };
  return { script: object, listObjects: [] };
}

/** The list is in the same object, unless that would be too large for kubectl apply. */
function scriptWithList(metadata: ConfigMap["metadata"], script: string, list: WorkList) {
  const { name = "", namespace = "" } = metadata;
  const place = { name: `${name}${LIST_SUFFIX}`, namespace, kind: "ConfigMap" } as const;
  const stored = storeList(list, place);
  const [first] = stored;
  const shared = { apiVersion: "v1", kind: "ConfigMap", metadata, immutable: true };
  const whole: ConfigMap = { ...shared, data: { [SCRIPT]: script, ...first?.data } };
  if (stored.length === 1 && fitsApply(whole)) return { script: whole, listObjects: [] };
  return { script: { ...shared, data: { [SCRIPT]: script } }, listObjects: stored };
}

/** Added to the name of the script's object if the list has objects of its own. */
const LIST_SUFFIX = "-items";

function fitsApply(object: ConfigMap | Secret): boolean {
  return Buffer.byteLength(JSON.stringify(object)) <= MAX_APPLIED_BYTES;
}

/** The object with the script of a Job; undefined for a Job without one. */
export function findScriptObject({ spec }: Job): ListObjectName | undefined {
  const volume = spec.template.spec?.volumes?.find(({ name }) => name === VOLUME);
  const { configMap, secret } = volume ?? {};
  if (configMap) return { kind: "ConfigMap", name: configMap.name ?? "" };
  return secret ? { kind: "Secret", name: secret.secretName ?? "" } : undefined;
}

/** The objects that may have the list of such a Job. */
export function listNamesOf({ kind, name }: ListObjectName): readonly ListObjectName[] {
  return [
    { kind, name },
    { kind, name: `${name}${LIST_SUFFIX}` },
  ];
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

/** Without the annotations that only Tally's controllers read. */
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

/**
 * The same script has the same name, so that applying it again changes nothing. FNV-1a, 32 bits.
 */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
