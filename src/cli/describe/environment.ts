/** Pure: the environment of a container, as far as it can be told without its node. */
import type { Container, EnvVar, Pod } from "../../api/generated/core.ts";
import { containerResourceValue } from "./container-resources.ts";
import type { Lines } from "./fields.ts";

/** A pod gives fields their values; its template has none yet. */
export function environmentLines(container: Container, pod: Pod | undefined): Lines {
  const { env = [], envFrom = [] } = container;
  return [
    ...(envFrom.length === 0 ? [] : ["    Environment Variables from:", ...fromLines(container)]),
    env.length === 0 ? "    Environment:\t<none>" : "    Environment:",
    ...env.flatMap((variable) => variableLines(variable, container, pod)),
  ];
}

function fromLines({ envFrom = [] }: Container): Lines {
  return envFrom.map(({ configMapRef, secretRef, prefix }) => {
    const from = configMapRef ? "ConfigMap" : secretRef ? "Secret" : "";
    const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
    const prefixed = prefix ? `${from} with prefix '${prefix}'` : from;
    return `      ${name}\t${prefixed}\tOptional: ${optional}`;
  });
}

function variableLines(variable: EnvVar, container: Container, pod: Pod | undefined): Lines {
  const { name, value = "", valueFrom } = variable;
  if (!valueFrom) {
    const [first = "", ...rest] = value.split("\n");
    return [`      ${name}:\t${first}`, ...rest.map((line) => `      \t${line}`)];
  }
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef) {
    const { apiVersion = "", fieldPath } = fieldRef;
    const known = pod ? podField(pod, fieldPath) : "";
    return [`      ${name}:\t${known} (${apiVersion}:${fieldPath})`];
  }
  if (resourceFieldRef) {
    const { resource } = resourceFieldRef;
    const amount = containerResourceValue(container, resourceFieldRef);
    const isOfNode = amount === "0" && /^limits\.(cpu|memory)$/.test(resource);
    return [`      ${name}:\t${isOfNode ? "node allocatable" : amount} (${resource})`];
  }
  if (secretKeyRef) {
    const { key, name: of, optional = false } = secretKeyRef;
    return [`      ${name}:\t<set to the key '${key}' in secret '${of}'>\tOptional: ${optional}`];
  }
  if (configMapKeyRef) {
    const { key, name: of, optional = false } = configMapKeyRef;
    const source = `<set to the key '${key}' of config map '${of}'>`;
    return [`      ${name}:\t${source}\tOptional: ${optional}`];
  }
  return [];
}

/** What names the pod: the other fields kubectl leaves empty, too. */
function podField({ metadata }: Pod, path: string): string {
  switch (path) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    default:
      return "";
  }
}
