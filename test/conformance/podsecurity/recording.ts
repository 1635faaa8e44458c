/** The format of recordings/pod-security.json, and how a request becomes one of its answers. */
import { readFileSync } from "node:fs";
import { type Answer, type CalledServer, call } from "../../support/call-server.ts";
import { projectFile } from "../../support/project-file.ts";
import type { TablePod } from "./pods.ts";

export interface RecordedAnswer {
  readonly status: number;
  /** Only in a rejection, like the next two. */
  readonly message?: string;
  readonly reason?: string;
  readonly details?: unknown;
  /** The texts of the Warning headers. */
  readonly warnings?: readonly string[];
  /** What Pod Security adds to the audit event. */
  readonly audit?: { readonly [key: string]: string };
}

export interface RecordedStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
  readonly answer: RecordedAnswer;
}

export interface Recording {
  readonly server: string;
  readonly pods: { readonly [name: string]: TablePod };
  /** The requested versions of the policy, in their order. */
  readonly versions: readonly string[];
  readonly levels: Levels;
  /** The same for pods that are valid only with --allow-privileged=true. */
  readonly privilegedPods: Recording["pods"];
  readonly privilegedLevels: Levels;
  /** Requests in their order, on one server. */
  readonly steps: readonly RecordedStep[];
  /** The same on a server with this --admission-control-config-file. */
  readonly configuration: string;
  readonly configuredSteps: readonly RecordedStep[];
}

/**
 * The answer to a dry run of the pod's creation, by level, pod and version. A version is omitted if
 * its answer equals that of the version before. LEVEL stands for level and version, such as
 * baseline:v1.20.
 */
export interface Levels {
  readonly [level: string]: {
    readonly [pod: string]: { readonly [version: string]: RecordedAnswer };
  };
}

const LEVEL = "{{level}}";

export function maskLevel<Value>(value: Value, level: string): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(level, LEVEL));
}

export function unmaskLevel<Value>(value: Value, level: string): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(LEVEL, level));
}

/** The namespace of a level and version. */
export function levelNamespace(level: string, version: string): object {
  const labels = {
    "pod-security.kubernetes.io/enforce": level,
    "pod-security.kubernetes.io/enforce-version": version,
  };
  const metadata = { name: levelName(level, version), labels };
  return { apiVersion: "v1", kind: "Namespace", metadata };
}

export function levelName(level: string, version: string): string {
  return `${level}-${version.replace(".", "-")}`;
}

export const RECORDING_FILE = projectFile("test/conformance/recordings/pod-security.json");

export function readRecording(): Recording {
  return JSON.parse(readFileSync(RECORDING_FILE, "utf8")) as Recording;
}

export function composePod(name: string, { annotations, spec }: TablePod): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...(annotations ? { annotations } : {}) },
    spec,
  };
}

/** Matches the random suffix of a generated name, which is removed. */
const GENERATED = /(generated-)[a-z0-9]{5}/g;

export function answerOf(answer: Answer): Omit<RecordedAnswer, "audit"> {
  const warnings = warningTexts(answer.headers["warning"]);
  const told = warnings.length > 0 ? { warnings } : {};
  if (answer.status < 400) return { status: answer.status, ...told };
  const { message, reason, details } = JSON.parse(answer.text.replace(GENERATED, "$1xxxxx"));
  return { status: answer.status, message, reason, details, ...told };
}

/** Each header is `299 - "text"`; Node joins several with commas. */
function warningTexts(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(", ") : (header ?? "");
  return [...text.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) =>
    quoted.slice(1, -1).replace(/\\(.)/g, "$1"),
  );
}

export function send(server: CalledServer, step: Omit<RecordedStep, "answer">): Promise<Answer> {
  return call(server, step.method, step.path, step.body, step.headers);
}
