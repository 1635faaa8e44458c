/** The flags of a node, wherever its server is. */
import type { Command } from "commander";
import { collected } from "../command/flags.ts";
import type { AgentMeasureFlags } from "./up-flags.ts";

export function addNodeOptions(command: Command, defaults: AgentMeasureFlags): Command {
  return command
    .option("--node-name <name>", "Name of the node (default: that of this machine).")
    .option("--max-pods <n>", "Pods the node takes at once.", defaults.maxPods)
    .option("--on-exit <what>", ON_EXIT_HELP, defaults.onExit)
    .option("--default-runtime <name>", DEFAULT_RUNTIME_HELP, defaults.defaultRuntime)
    .option("--pod-cidr <cidr>", POD_CIDR_HELP, defaults.podCidr)
    .option("--engine-pod-cidr <cidr>", ENGINE_POD_CIDR_HELP, defaults.enginePodCidr)
    .option("--sandbox-share <dir>", SANDBOX_SHARE_HELP, collected)
    .option("--strict-limits", "Refuse pods with limits that cannot be enforced.")
    .option("--no-cgroups", "Enforce no limits, also where control groups could be made.")
    .option("--log-max-bytes <amount>", LOG_MAX_HELP, defaults.logMaxBytes)
    .option("--on-log-limit <what>", ON_LOG_LIMIT_HELP, defaults.onLogLimit);
}

const ON_EXIT_HELP =
  "What becomes of running pods at the end: leave lets them run, and the next start adopts them; " +
  "terminate ends them.";
const DEFAULT_RUNTIME_HELP =
  "Where pods run that name no runtime class: process, sandbox, docker, podman, engine for " +
  "either of these, or auto: process or sandbox, by what they need.";
const POD_CIDR_HELP = "Range of the addresses of pods with a network of their own.";
const ENGINE_POD_CIDR_HELP = "Range of the addresses of pods that are containers.";
const SANDBOX_SHARE_HELP =
  "Directory of this machine that every sandbox and container has and writes to; may be repeated.";
const LOG_MAX_HELP = "Most that is kept of the output of one run; 0 for all of it.";
const ON_LOG_LIMIT_HELP = "What becomes of a run that prints more than that: cut or fail.";
