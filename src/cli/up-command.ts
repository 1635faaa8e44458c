/** "tally up" as it is called: its flags and their help. */
import type { Command } from "commander";
import type { Machine } from "../command/machine.ts";
import { addNodeOptions } from "./node-options.ts";
import { DEFAULT_ALLOWED_RUNTIMES } from "./sharing-flags.ts";
import { UP_DEFAULTS, type UpFlags } from "./up-flags.ts";

export function addUp(program: Command, machine: Machine): void {
  const command = program
    .command("up")
    .summary("Run the API server until it is told to stop.")
    .description(
      "Run a Kubernetes API server on this machine, in the foreground.\n\n" +
        "One line on stdout says when it is ready; logs go to stderr. Ctrl-C stops it. Running " +
        "pods keep running, and the next start adopts them; tally down ends them.",
    )
    .option("--data <dir>", DATA_HELP)
    .option("--address <ip>", "Address to listen on.", UP_DEFAULTS.address)
    .option("--port <port>", "Port for HTTPS; 0 takes any free one.", UP_DEFAULTS.port)
    .option(
      "--kubeconfig <file>",
      "Where to write the kubeconfig (default: in the data directory).",
    )
    .option("--merge-kubeconfig", MERGE_HELP)
    .option("--insecure-port <port>", INSECURE_HELP)
    .option("--authorization-mode <mode>", AUTHORIZATION_HELP, UP_DEFAULTS.authorizationMode)
    .option("--audit-log <file>", "Note every request in this file, as JSON lines.")
    .option("--shared", SHARED_HELP)
    .option("--allowed-runtimes <list>", ALLOWED_HELP)
    .option("--admission-control-config-file <file>", ADMISSION_HELP)
    .option("--no-agent", "Do not make this machine a node that runs pods.");
  addNodeOptions(command, UP_DEFAULTS)
    .option("--controllers <list>", CONTROLLERS_HELP, UP_DEFAULTS.controllers)
    .option("--service-cluster-ip-range <cidr>", SERVICE_RANGE_HELP)
    .option("--node-monitor-grace-period <time>", GRACE_HELP, UP_DEFAULTS.nodeMonitorGracePeriod)
    .option("--feature-gates <list>", FEATURE_GATES_HELP, joined)
    .option("--track-all-fields", TRACK_HELP)
    .option("--job-backoff-base <time>", BASE_HELP, UP_DEFAULTS.jobBackoffBase)
    .option("--job-backoff-cap <time>", "The longest of these waits.", UP_DEFAULTS.jobBackoffCap)
    .option("--job-batch <time>", BATCH_HELP, UP_DEFAULTS.jobBatch)
    .option("--concurrent-job-syncs <n>", "Jobs at once.", UP_DEFAULTS.concurrentJobSyncs)
    .option("--job-pods-per-sync <n>", PODS_PER_SYNC_HELP, UP_DEFAULTS.jobPodsPerSync)
    .option("--log-level <level>", "debug, info, warn or error.", UP_DEFAULTS.logLevel)
    .addHelpText(
      "after",
      "\nExample, a server of its own for a test run:\n  tally up --data /tmp/run1 --port 0",
    )
    .action(async (flags: UpFlags) => {
      const { up } = await import("./up.ts");
      await up(flags, machine);
    });
}

const DATA_HELP =
  "Where everything is stored (default: $XDG_STATE_HOME/tally or ~/.local/state/tally).";
const MERGE_HELP = "Also add the server to your own kubeconfig and make it the current context.";
const INSECURE_HELP =
  "Also serve plain HTTP on 127.0.0.1, where every local program is administrator.";
const AUTHORIZATION_HELP =
  "Who may do what: RBAC, by roles and bindings, or AlwaysAllow, everyone who is known.";
const SHARED_HELP =
  "Serve people who must not act as the user of the server: pods run in sandboxes, and only " +
  "namespaces labelled privileged reach the host.";
const ALLOWED_HELP =
  "Runtimes that pods may use with --shared: some of process, sandbox, engine, docker, podman " +
  `(default: ${DEFAULT_ALLOWED_RUNTIMES}).`;
const ADMISSION_HELP =
  "AdmissionConfiguration with the defaults and exemptions of Pod Security, as of kube-apiserver.";
const SERVICE_RANGE_HELP =
  "Range that Services get their addresses from (default: 10.214.0.0/16 where pods can have " +
  "networks of their own, else 127.128.0.0/16).";
const GRACE_HELP = "After so long without a sign of it a node is taken for lost.";
const FEATURE_GATES_HELP =
  'Kubernetes features to switch, as "A=true,B=false"; may be repeated (default: all on).';
const BASE_HELP = "Wait of a Job after its first failure; it doubles with each further one.";
const BATCH_HELP = "The longest that events of a busy Job are gathered before it is looked at.";
const TRACK_HELP = "Keep metadata.managedFields of the pods and events made here, too.";
const PODS_PER_SYNC_HELP = "Pods created or removed before other Jobs have their turn.";
const CONTROLLERS_HELP = 'Controllers to run: "all", "none" or names separated by commas.';

/** A flag that is repeated says one list. */
function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}
