/**
 * Pure: the environment of a container. Read from here to sources.ts and the references, then
 * expansion.ts; command.ts says what runs in it.
 *
 * 1. Later wins: inherited, HOSTNAME, services, envFrom in order, env in order.
 * 2. Only the value of an env entry is expanded, against services, envFrom and the entries before.
 * 3. What is missing and not optional is a problem, in Kubernetes' own words. It may appear yet:
 *    whoever asks asks again when one of sourcesOf changes.
 *
 * It knows nothing of how a process gets its environment, nor where objects come from.
 */
import type { Container, EnvVarSource, Pod, Service } from "../../api/generated/core.ts";
import { expand } from "./expansion.ts";
import { findField } from "./field-reference.ts";
import { hostnameOf } from "./hostname.ts";
import { type ResourceList, resolveResource } from "./resource-reference.ts";
import { type ApiServerAddress, serviceVariables } from "./service-variables.ts";
import { type Found, findAll, findConfigMapKey, findSecretKey, type Sources } from "./sources.ts";
import { type ContainerProblem, configProblem, type Variable, type Variables } from "./variable.ts";

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly node: {
    readonly name: string;
    readonly allocatable: ResourceList;
    readonly hostIp: string;
  };
  readonly podIp: string;
  /** Of the namespace of the pod. */
  readonly configMaps: Sources["configMaps"];
  readonly secrets: Sources["secrets"];
  /** At least those of the namespace of the pod, and default/kubernetes. */
  readonly services: readonly Service[];
  readonly apiServer?: ApiServerAddress;
  /** What every process has, each name once: inheritedVariables. */
  readonly inherited: readonly Variable[];
}

export interface Environment {
  /** All that the process has; each name once. */
  readonly environment: readonly Variable[];
  /** What the command may refer to: all but what is inherited and HOSTNAME. */
  readonly variables: Variables;
}

export function composeEnvironment(
  input: EnvironmentInput,
): Environment | { readonly problem: ContainerProblem } {
  const { pod, container, services, apiServer } = input;
  const namespace = pod.metadata.namespace ?? "";
  const variables = serviceVariables(services, {
    namespace,
    hasServiceLinks: pod.spec.enableServiceLinks !== false,
    ...(apiServer === undefined ? {} : { apiServer }),
  });
  const sources = { namespace, configMaps: input.configMaps, secrets: input.secrets };
  for (const source of container.envFrom ?? []) {
    const all = findAll(source, sources);
    if ("missing" in all) return configProblem(all.missing);
    if ("nothing" in all) continue;
    for (const [name, value] of all.found) variables.set(name, value);
  }
  let length = 0;
  for (const { name, value = "", valueFrom } of container.env ?? []) {
    if (valueFrom === undefined || value !== "") {
      const expanded = expand(value, variables);
      length += expanded.length;
      if (length > LONGEST_ENVIRONMENT) return configProblem(TOO_LONG);
      variables.set(name, expanded);
      continue;
    }
    const resolved = resolve(valueFrom, input, sources);
    if ("missing" in resolved) return configProblem(resolved.missing);
    // An optional source that is not there leaves what a whole source said under that name.
    if ("found" in resolved) variables.set(name, resolved.found);
  }
  return { environment: wholeEnvironment(input, variables), variables };
}

/** Linux starts no process with more; references to references could make it any length. */
const LONGEST_ENVIRONMENT = 8 * 1024 * 1024;
const TOO_LONG = `the environment is longer than ${LONGEST_ENVIRONMENT} characters`;

function wholeEnvironment(
  { pod, node, inherited }: EnvironmentInput,
  variables: Variables,
): readonly Variable[] {
  const whole = inherited.filter(([name]) => !variables.has(name));
  if (!variables.has("HOSTNAME")) whole.push(["HOSTNAME", hostnameOf(pod, node.name)]);
  for (const variable of variables) whole.push(variable);
  return whole;
}

function resolve(
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef }: EnvVarSource,
  { pod, container, node, podIp }: EnvironmentInput,
  sources: Sources,
): Found<string> {
  if (fieldRef !== undefined) {
    const value = findField(pod, fieldRef.fieldPath, { hostIp: node.hostIp, podIp });
    if (value !== undefined) return { found: value };
    return { missing: `unsupported fieldPath: ${fieldRef.fieldPath}` };
  }
  if (resourceFieldRef !== undefined) {
    const { allocatable } = node;
    const resource = resolveResource(resourceFieldRef, { pod, container, allocatable });
    if ("value" in resource) return { found: resource.value };
    return { missing: resource.unresolved };
  }
  if (configMapKeyRef !== undefined) return findConfigMapKey(configMapKeyRef, sources);
  if (secretKeyRef !== undefined) return findSecretKey(secretKeyRef, sources);
  if (fileKeyRef !== undefined) {
    const volume = JSON.stringify(fileKeyRef.volumeName);
    return { missing: `cannot find the volume ${volume} referenced by FileKeyRef` };
  }
  return { found: "" };
}
