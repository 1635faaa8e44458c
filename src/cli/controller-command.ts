/** "tally controller" as it is called: its flags and their help. */
import type { Command } from "commander";
import type { Machine } from "../command/machine.ts";
import { CONTROLLER_DEFAULTS, type ControllerFlags } from "./controller-flags.ts";

export function addController(program: Command, machine: Machine): void {
  const command = program
    .command("controller")
    .summary("Look after Jobs on a cluster, in place of its own Job controller.")
    .description(
      "Look after those Jobs of a Kubernetes cluster whose spec.managedBy names this controller, " +
        "and after ScheduledJobs and Workflows where these kinds are installed.\n\n" +
        "All it knows it has from the cluster: it can be stopped, killed and replaced at any time.",
    )
    .option("--kubeconfig <file>", KUBECONFIG_HELP)
    .option("--context <name>", "Context of the kubeconfig to use.")
    .option("-n, --namespace <name>", "Only look after this namespace (default: all).")
    .option("--managed-by <name>", "The spec.managedBy of its Jobs.", DEFAULTS.managedBy);
  addElection(command)
    .option("--kube-api-qps <n>", "Requests a second; 0 for no limit.", DEFAULTS.kubeApiQps)
    .option("--kube-api-burst <n>", "Requests at once after a quiet time.", DEFAULTS.kubeApiBurst)
    .option("--kube-api-content-type <type>", CONTENT_TYPE_HELP, DEFAULTS.kubeApiContentType)
    .option("--health-address <ip>", HEALTH_HELP, DEFAULTS.healthAddress)
    .option("--health-port <port>", "Port for that; 0 takes any free one.", DEFAULTS.healthPort)
    .option("--no-health", "Do not listen.")
    .option("--feature-gates <list>", 'Kubernetes features to switch, as "A=true,B=false".')
    .option("--job-backoff-base <time>", BASE_HELP, DEFAULTS.jobBackoffBase)
    .option("--job-backoff-cap <time>", "The longest of these waits.", DEFAULTS.jobBackoffCap)
    .option("--job-batch <time>", BATCH_HELP, DEFAULTS.jobBatch)
    .option("--concurrent-job-syncs <n>", "Jobs at once.", DEFAULTS.concurrentJobSyncs)
    .option("--job-pods-per-sync <n>", PODS_PER_SYNC_HELP, DEFAULTS.jobPodsPerSync)
    .option("--log-level <level>", "debug, info, warn or error.", DEFAULTS.logLevel)
    .addHelpText("after", `\nExample:\n  tally controller --kubeconfig ~/.kube/config`)
    .action(async (flags: ControllerFlags) => {
      const { controller } = await import("./controller.ts");
      await controller(flags, machine);
    });
}

function addElection(command: Command): Command {
  return command
    .option("--leader-elect", "One of several leads, by a Lease; the others wait.")
    .option(
      "--leader-elect-resource-name <name>",
      "Name of the Lease.",
      DEFAULTS.leaderElectResourceName,
    )
    .option("--leader-elect-resource-namespace <name>", LEASE_NAMESPACE_HELP)
    .option(
      "--leader-elect-lease-duration <time>",
      "After so long without a sign of it, a leader is replaced.",
      DEFAULTS.leaderElectLeaseDuration,
    )
    .option(
      "--leader-elect-renew-deadline <time>",
      "After so long without a renewal, a leader stops.",
      DEFAULTS.leaderElectRenewDeadline,
    )
    .option(
      "--leader-elect-retry-period <time>",
      "Between renewals.",
      DEFAULTS.leaderElectRetryPeriod,
    );
}

const DEFAULTS = CONTROLLER_DEFAULTS;
const KUBECONFIG_HELP =
  "Which cluster (default: that of the pod it runs in, $KUBECONFIG, that of tally up, " +
  "~/.kube/config).";
const LEASE_NAMESPACE_HELP =
  "Namespace of the Lease (default: that of the pod or the context, or kube-system).";
const CONTENT_TYPE_HELP =
  "application/json, or application/vnd.kubernetes.protobuf: less work for the server.";
const HEALTH_HELP = "Address for /healthz, /readyz and /metrics.";
const BASE_HELP = "Wait of a Job after its first failure; it doubles with each further one.";
const BATCH_HELP = "The longest that events of a busy Job are gathered before it is looked at.";
const PODS_PER_SYNC_HELP = "Pods created or removed before other Jobs have their turn.";
