/**
 * The flags of "tally run", and the request that they make. Files and stdin are read here.
 */

import type { Command } from "commander";
import type { Random } from "../../base/random.ts";
import { UsageError } from "../../base/usage-error.ts";
import { collected } from "../../command/flags.ts";
import { type ListFlags, readList } from "../list/list-flags.ts";
import type { ReportFlags } from "../show/open-reporter.ts";
import { type FailureFlags, readFailureOptions, wholeNumber } from "./failure-flags.ts";
import type { RunRequest } from "./run-request.ts";

export interface RunFlags extends ListFlags, FailureFlags {
  readonly completions?: string;
  readonly completionIndexVarName?: string;
  readonly image?: string;
  readonly env?: readonly string[];
  readonly workdir?: string;
  readonly nice?: string;
  readonly namespace?: string;
  readonly jobs?: string;
  readonly maxProcs?: string;
  readonly paramsIn?: string;
  /** From here on: not part of the request. */
  readonly filename?: string;
  readonly dryRun?: string;
  readonly runAt?: string;
  readonly asTemplate?: boolean;
  readonly output?: string;
  readonly keepOrder?: boolean;
  readonly resume?: boolean;
  readonly replace?: boolean;
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly managedBy?: string;
}

export type RunCommandFlags = RunFlags & ReportFlags;

/** What is needed to read the flags. */
export interface RunSurroundings {
  readonly workingDirectory: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly cores: number;
  readonly random: Random;
  /** A file, or stdin for "-". */
  readonly readBytes: (file: string) => Promise<Uint8Array>;
}

export interface ReadRun {
  readonly request: RunRequest;
  /** Notices about how the list was read. */
  readonly notices: readonly string[];
}

/** The options of "tally run". Words after "--" are not parsed. */
export function addRunOptions(command: Command): Command {
  addListOptions(command);
  addFailureOptions(command);
  return command
    .option("--image <name>", "Image of the pods (default: the programs of this machine).")
    .option("--env <name[=value]>", "A variable for every item; may be repeated.", collected)
    .option("--workdir <dir>", "Where the command runs (default: here).")
    .option("--nice <n>", "Run with this niceness, 0 to 19.")
    .option("-n, --namespace <name>", "Namespace of the Job.")
    .option("-j, --jobs <n>", "At once: a number, a share of the cores as 200%, 0 for all.")
    .option("-P, --max-procs <n>", "The same as -j.")
    .option("-k, --keep-order", "Show output in the order of the list.")
    .option("--shuffle", "Run the items in random order.")
    .option("-f, --filename <file>", "Run the Job of a manifest, with what comes with it.")
    .option("--runAt <time>", "Run it at this time, as 2026-07-21T14:00:00Z, instead of now.")
    .option("--asTemplate", "Run nothing: keep it as a template for tally create-workflow.")
    .option("--dry-run <how>", "client: print manifests for any Kubernetes, and run nothing.")
    .option("-o, --output <format>", "json for events; with --dry-run yaml or json.")
    .option("--resume", "Go on with the run of this name.")
    .option("--replace", "Forget the finished run of this name, and run anew.")
    .option("--data <dir>", "Where runs are stored (default: .tally).")
    .option("--context <name>", "Run it on the cluster of this context of the kubeconfig.")
    .option("--kubeconfig <file>", "Run it on the cluster of this kubeconfig.")
    .option("--managed-by <name>", MANAGED_BY_HELP);
}

const MANAGED_BY_HELP =
  "On a cluster, which controller manages the Job: kubernetes.io/job-controller for Kubernetes' " +
  "own (default: tally controller if it is installed).";

export interface RunWords {
  readonly name?: string;
  /** From "--" on: the command, and lists after ":::". */
  readonly words: readonly string[];
}

/** The word before "--" is the name. Several words are a command that lacks the "--". */
export function runNameOf(operands: readonly string[]): string | undefined {
  const [name, ...more] = operands;
  if (more.length === 0) return name;
  throw new UsageError(
    `write "--" before the command: tally run ${name} -- ${more.join(" ")}, or without a name ` +
      `tally run -- ${operands.join(" ")}`,
  );
}

/** Flags are checked before files are read. */
export async function readRun(
  { name, words }: RunWords,
  flags: RunFlags,
  surroundings: RunSurroundings,
): Promise<ReadRun> {
  const { image, namespace = "default" } = flags;
  const options = {
    ...(name === undefined ? {} : { name }),
    namespace,
    ...indexOptions(flags),
    ...(image === undefined ? {} : { image }),
    ...(flags.nice === undefined ? {} : { niceness: niceness(flags.nice) }),
    ...workdirOf(flags, surroundings),
    environment: (flags.env ?? []).map((given) => variable(given, surroundings)),
    parallelism: readParallelism(flags, surroundings.cores),
    failure: readFailureOptions(flags),
    paramsIn: paramsIn(flags.paramsIn),
  };
  const { notices, ...read } = await readList(words, flags, surroundings);
  return { request: { ...read, ...options, suffix: surroundings.random.suffix() }, notices };
}

function indexOptions({ completions, completionIndexVarName: name }: RunFlags) {
  return {
    ...(completions === undefined
      ? {}
      : { completions: wholeNumber("--completions", completions) }),
    ...(name === undefined ? {} : { indexVariable: variableName(name) }),
  };
}

function addListOptions(command: Command): void {
  command
    .option("--per-completion-env <key=values>", PER_ENV_HELP, collected)
    .option("--per-completion-arg <values>", PER_ARG_HELP, collected)
    .option("--lines", "In these lists each line is a value, spaces and all.")
    .option("-a, --items <file>", "An item on each line; - for stdin.")
    .option("-0, --null", "Items of -a are separated by NUL bytes.")
    .option("--csv <file>", "A row is an item; the header names the parameters.")
    .option("--tsv <file>", "The same, with tabs between the fields.")
    .option("--jsonl <file>", "A JSON object on each line; its fields are the parameters.")
    .option("--range <numbers>", "Whole numbers: 1-100, 0-90:10, 1,3,7-9.")
    .option("--commands <file>", "A complete command on each line, for sh; - for stdin.")
    .option("-N, --batch <k>", "Pass this many items to each invocation of the command.")
    .option("-I, --item-text <text>", "Stands for the item in arguments, instead of {}.")
    .option("--skip-placeholder-check", SKIP_CHECK_HELP)
    .option("--completions <n>", "How often to run a command without a list.")
    .option("--completion-index-var-name <name>", "A variable that holds the index.")
    .option("--params-in <kind>", "Where the list is stored: configmap or secret.");
}

function addFailureOptions(command: Command): void {
  command
    .option("--restart <policy>", "Never: each attempt is new (default). OnFailure: in place.")
    .option("--retries <n>", "Further attempts at an item that fails (default: 3).")
    .option("--max-failed <n>", "End when more items than this, or this share as 5%, failed.")
    .option(
      "--halt <how>",
      "Stop after --max-failed or the first failure: now, or soon (running items finish).",
    )
    .option("--backoff <base[,cap]>", "Wait before attempts; it doubles (default: 1s,60s).")
    .option("--retry-on <codes>", "Exit codes worth another attempt; others fail the item.")
    .option("--fail-on <codes>", "Exit codes that fail the item at once.")
    .option("--timeout <time>", "Longest that one attempt may take.");
}

const PER_ENV_HELP = 'A variable with a value for each item: KEY="a b c" or KEY=@file; repeatable.';
const SKIP_CHECK_HELP = "Pass arguments that look like mistyped placeholders as they are.";
const PER_ARG_HELP = 'An argument with a value for each item: "a b c" or @file; repeatable.';

function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  throw new UsageError(
    `--completion-index-var-name must be the name of a variable, not ${JSON.stringify(text)}`,
  );
}

function variable(given: string, { environment }: RunSurroundings) {
  const equals = given.indexOf("=");
  const name = equals === -1 ? given : given.slice(0, equals);
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) {
    throw new UsageError(`--env must be NAME or NAME=VALUE, not ${JSON.stringify(given)}`);
  }
  return { name, value: equals === -1 ? (environment[name] ?? "") : given.slice(equals + 1) };
}

function workdirOf(
  { workdir, image }: RunFlags,
  { workingDirectory }: RunSurroundings,
): { readonly workdir?: string } {
  if (image !== undefined) return workdir === undefined ? {} : { workdir };
  if (workdir === undefined || workdir.startsWith("/")) {
    return { workdir: workdir ?? workingDirectory };
  }
  return { workdir: `${workingDirectory}/${workdir}` };
}

function niceness(text: string): number {
  const by = wholeNumber("--nice", text);
  if (by <= 19) return by;
  throw new UsageError(`--nice must be from 0 to 19, not ${text}`);
}

/** The default is one per core. */
export function readParallelism(
  { jobs, maxProcs }: Pick<RunFlags, "jobs" | "maxProcs">,
  cores: number,
): number {
  const flag = jobs === undefined ? "-P" : "-j";
  const text = jobs ?? maxProcs;
  if (text === undefined) return cores;
  const [, share] = /^(\d+)%$/.exec(text) ?? [];
  if (share !== undefined) return Math.max(1, Math.floor((cores * Number(share)) / 100));
  const count = wholeNumber(flag, text);
  return count === 0 ? Number.POSITIVE_INFINITY : count;
}

function paramsIn(text = "configmap"): "configmap" | "secret" {
  if (text === "configmap" || text === "secret") return text;
  throw new UsageError(`--params-in must be configmap or secret, not ${JSON.stringify(text)}`);
}
