/**
 * Pure: builds a pod of a Job with a work list from the template and the pod's item.
 *
 * 1. Every container gets the values as environment variables, before its own variables, which can
 *    refer to them.
 * 2. Arguments refer to them like to any variable, "$(NAME)". If the list consists of batches, an
 *    argument that is exactly such a reference becomes one argument per value of the batch.
 * 3. Values that a container gets as additional arguments follow its own arguments. Empty values
 *    are dropped.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Container, EnvVar, Pod } from "../../api/generated/core.ts";
import { ITEM, PER_COMPLETION_ARGS } from "../../api/work-list/names.ts";
import { escapeText, reference } from "../../api/work-list/references.ts";
import { secretKey } from "../../api/work-list/stored-list.ts";
import {
  itemName,
  type ListShape,
  splitBatch,
  type Values,
} from "../../api/work-list/work-list.ts";

/** By container name, the parameters whose values are appended as arguments. */
export interface AppendedParameters {
  readonly [container: string]: readonly string[];
}

export interface Item {
  readonly shape: ListShape;
  readonly values: Values;
  readonly index: number;
  readonly appended: AppendedParameters;
  /** If the values are secret: the name of the Secret that contains them. */
  readonly secretName?: string;
}

export function withItem(pod: Pod, item: Item): Pod {
  const { metadata, spec } = pod;
  const { initContainers } = spec;
  const env = variablesOf(item);
  const dress = (container: Container) => dressContainer(container, item, env);
  const name = item.secretName ? {} : { [ITEM]: itemName(item.shape, item.values) };
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...name } },
    spec: {
      ...spec,
      ...(initContainers ? { initContainers: initContainers.map(dress) } : {}),
      containers: (spec.containers ?? []).map(dress),
    },
  };
}

export function appendedOf(
  { metadata, spec }: Job,
  { parameters }: ListShape,
): { readonly parameters: AppendedParameters } | { readonly problem: string } {
  const text = metadata.annotations?.[PER_COMPLETION_ARGS];
  if (text === undefined) return { parameters: {} };
  const said = parseAppended(text);
  if (!said) {
    const example = '{"main": ["FILE"]}';
    return { problem: `cannot be used: ${PER_COMPLETION_ARGS} must be like ${example}` };
  }
  const { initContainers = [], containers } = spec.template.spec;
  const containerNames = [...initContainers, ...(containers ?? [])].map(({ name }) => name);
  for (const [container, names] of Object.entries(said)) {
    const unknown = containerNames.includes(container)
      ? names.find((name) => !parameters.includes(name))
      : container;
    if (unknown === undefined) continue;
    return { problem: `cannot be used: ${PER_COMPLETION_ARGS} names ${JSON.stringify(unknown)}` };
  }
  return { parameters: said };
}

function parseAppended(text: string): AppendedParameters | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (said === null || typeof said !== "object" || Array.isArray(said)) return undefined;
  const areLists = Object.values(said).every(
    (names) => Array.isArray(names) && names.every((name) => typeof name === "string"),
  );
  return areLists ? (said as AppendedParameters) : undefined;
}

function variablesOf({ shape, values, index, secretName }: Item): readonly EnvVar[] {
  return shape.parameters.map((name, at) => {
    if (secretName === undefined) return { name, value: escapeText(values[at] ?? "") };
    const secretKeyRef = { name: secretName, key: secretKey(name, index) };
    return { name, valueFrom: { secretKeyRef } };
  });
}

function dressContainer(container: Container, item: Item, env: readonly EnvVar[]): Container {
  const { command, args } = container;
  const appended = item.appended[container.name] ?? [];
  const further = appended.flatMap((parameter) => argumentsOf(parameter, item));
  const unpacked = (texts: readonly string[]) => texts.flatMap((text) => unpack(text, item));
  return {
    ...container,
    ...(command ? { command: unpacked(command) } : {}),
    ...(args || further.length > 0 ? { args: [...unpacked(args ?? []), ...further] } : {}),
    env: [...env, ...(container.env ?? [])],
  };
}

function argumentsOf(parameter: string, { shape, values, secretName }: Item): readonly string[] {
  const value = values[shape.parameters.indexOf(parameter)] ?? "";
  const isBatch = shape.isBatched === true && !shape.derived?.includes(parameter);
  const single = (text: string) =>
    secretName === undefined ? escapeText(text) : reference(parameter);
  return (isBatch ? splitBatch(value) : [value]).filter((text) => text !== "").map(single);
}

function unpack(text: string, { shape, values }: Item): readonly string[] {
  if (!shape.isBatched || !text.startsWith("$(")) return [text];
  const at = shape.parameters.findIndex((name) => text === reference(name));
  if (at === -1 || shape.derived?.includes(shape.parameters[at] ?? "")) return [text];
  return splitBatch(values[at] ?? "").map(escapeText);
}
