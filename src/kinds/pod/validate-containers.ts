/** Pure: validates the lists of containers of a pod: regular, init and ephemeral ones. */

import {
  duplicate,
  type Finding,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
} from "../../api/finding.ts";
import type {
  Container,
  ContainerRestartRule,
  EphemeralContainerCommon,
  PodSpec,
} from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import {
  type ContainerSurroundings,
  validateContainer,
  validateImageSpaces,
} from "./validate-container.ts";
import { validateLifecycle, validateProbes } from "./validate-probe.ts";

export function validateContainers(
  spec: PodSpec,
  path: string,
  pod: ContainerSurroundings,
): Finding[] {
  const containers = spec.containers ?? [];
  const field = `${path}.containers`;
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const findings = containers.flatMap((container, at) => {
    const here = `${field}[${at}]`;
    return [
      ...validateContainer(container, here, pod),
      ...takeName(container.name, `${here}.name`, names),
      ...validateLongRunning(container, here, pod),
      ...validateRestartPolicy(container, here),
    ];
  });
  return [...findings, ...validateHostPorts(containers, field)];
}

export function validateInitContainers(
  spec: PodSpec,
  path: string,
  pod: ContainerSurroundings,
): Finding[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, at) => {
    const here = `${path}.initContainers[${at}]`;
    return [
      ...validateContainer(container, here, pod),
      ...validateInitRestartPolicy(container, here),
      // A missing name is reported as a duplicate of a regular container, but not of another init
      // container.
      ...(container.name === "" && !names.has("")
        ? []
        : takeName(container.name, `${here}.name`, names)),
      // Init containers run one after another, so each may use the same ports. Reported as if it
      // were the only one.
      ...validateHostPorts([container], `${path}.initContainers`),
      ...(isSidecar(container)
        ? validateLongRunning(container, here, pod)
        : refuseLongRunning(container, here)),
      ...(isSidecar(container) ? [] : refuseResizeByRestart(container, here)),
    ];
  });
}

const EPHEMERAL_DETAIL = "cannot be set for an Ephemeral Container";

/**
 * Fields that an ephemeral container must not have, because it is not part of the service of its
 * pod.
 */
const NOT_EPHEMERAL = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function validateEphemeralContainers(
  spec: PodSpec,
  path: string,
  pod: ContainerSurroundings,
): Finding[] {
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const targets = new Set(others.map(({ name }) => name));
  const names = new Set(targets);
  return (spec.ephemeralContainers ?? []).flatMap((container, at) => {
    const here = `${path}.ephemeralContainers[${at}]`;
    const { targetContainerName = "", volumeMounts = [] } = container;
    const findings = [
      ...validateContainer(container, here, pod),
      ...validateImageSpaces(container, here),
      ...takeName(container.name, `${here}.name`, names),
    ];
    if (targetContainerName !== "" && !targets.has(targetContainerName)) {
      findings.push(notFound(`${here}.targetContainerName`, targetContainerName));
    }
    const set = NOT_EPHEMERAL.filter((field) => isSet(container, field));
    findings.push(...set.map((field) => forbidden(`${here}.${field}`, EPHEMERAL_DETAIL)));
    for (const [index, mount] of volumeMounts.entries()) {
      const mountPath = `${here}.volumeMounts[${index}]`;
      if (mount.subPath) findings.push(forbidden(`${mountPath}.subPath`, EPHEMERAL_DETAIL));
      if (mount.subPathExpr) findings.push(forbidden(`${mountPath}.subPathExpr`, EPHEMERAL_DETAIL));
    }
    return findings;
  });
}

/** Resources are always present; empty ones count as not set. */
function isSet(
  container: EphemeralContainerCommon,
  field: (typeof NOT_EPHEMERAL)[number],
): boolean {
  if (field === "resources") return Object.keys(container.resources).length > 0;
  return container[field] !== undefined;
}

function takeName(name: string, field: string, taken: Set<string>): Finding[] {
  if (taken.has(name)) return [duplicate(field, name)];
  taken.add(name);
  return [];
}

function validateLongRunning(
  container: Container,
  path: string,
  { gracePeriod }: ContainerSurroundings,
): Finding[] {
  const { lifecycle } = container;
  return [
    ...(lifecycle ? validateLifecycle(lifecycle, `${path}.lifecycle`, gracePeriod) : []),
    ...validateProbes(container, path),
  ];
}

const LONG_RUNNING = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

function refuseLongRunning(container: Container, path: string): Finding[] {
  const detail = "may not be set for init containers without restartPolicy=Always";
  const set = LONG_RUNNING.filter((field) => container[field] !== undefined);
  return set.map((field) => forbidden(`${path}.${field}`, detail));
}

/** An init container has already ended when the pod could be resized. */
function refuseResizeByRestart({ resizePolicy = [] }: Container, path: string): Finding[] {
  const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  return resizePolicy.flatMap(({ restartPolicy }, at) =>
    restartPolicy === "RestartContainer"
      ? [invalid(`${path}.resizePolicy[${at}].restartPolicy`, restartPolicy, detail)]
      : [],
  );
}

const RESTART_POLICIES = ["Always", "Never", "OnFailure"];
const RESTART_ACTIONS = ["Restart", "RestartAllContainers"];
const RESTART_OPERATORS = ["In", "NotIn"];
const RESTART_RULES_MAX = 20;
const RESTART_EXIT_CODES_MAX = 255;

const POLICY_FOR_RULES = "must specify restartPolicy when restart rules are used";

/** For an init container, rules without a policy are not validated. */
function validateInitRestartPolicy(container: Container, path: string): Finding[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  if (restartPolicy !== undefined) return validateRestartPolicy(container, path);
  if (restartPolicyRules.length === 0) return [];
  return [required(`${path}.restartPolicy`, POLICY_FOR_RULES)];
}

function validateRestartPolicy(container: Container, path: string): Finding[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  const field = `${path}.restartPolicy`;
  const findings: Finding[] = [];
  if (restartPolicy !== undefined && !RESTART_POLICIES.includes(restartPolicy)) {
    findings.push(notSupported(field, restartPolicy, RESTART_POLICIES));
  }
  if (restartPolicyRules.length === 0) return findings;
  if (restartPolicy === undefined) {
    findings.push(required(field, POLICY_FOR_RULES));
  }
  if (restartPolicyRules.length > RESTART_RULES_MAX) {
    findings.push(
      tooMany(`${path}.restartPolicyRules`, restartPolicyRules.length, RESTART_RULES_MAX),
    );
  }
  const ofRules = restartPolicyRules.flatMap((rule, at) =>
    validateRestartRule(rule, `${path}.restartPolicyRules[${at}]`),
  );
  return [...findings, ...ofRules];
}

function validateRestartRule(rule: ContainerRestartRule, path: string): Finding[] {
  const { action = "", exitCodes } = rule;
  const findings: Finding[] = [];
  if (!RESTART_ACTIONS.includes(action)) {
    findings.push(notSupported(`${path}.action`, action, RESTART_ACTIONS));
  }
  if (exitCodes === undefined) {
    return [...findings, required(`${path}.exitCodes`, "must be specified")];
  }
  const { operator = "", values = [] } = exitCodes;
  if (!RESTART_OPERATORS.includes(operator)) {
    findings.push(notSupported(`${path}.exitCodes.operator`, operator, RESTART_OPERATORS));
  }
  if (values.length > RESTART_EXIT_CODES_MAX) {
    findings.push(tooMany(`${path}.exitCodes.values`, values.length, RESTART_EXIT_CODES_MAX));
  }
  return findings;
}

/** A port of the node can be used by one container only. */
function validateHostPorts(containers: readonly Container[], path: string): Finding[] {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "" }, index) => {
      if (hostPort === 0) return [];
      const claim = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(claim)) return [duplicate(`${path}[${at}].ports[${index}].hostPort`, claim)];
      taken.add(claim);
      return [];
    }),
  );
}
