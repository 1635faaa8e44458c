/** Pure: what a volume tells a pod of itself. */
import { quote } from "../../api/finding.ts";
import type { Container, DownwardAPIVolumeFile, Pod } from "../../api/generated/core.ts";
import { findSubscripted } from "../environment/field-reference.ts";
import { type ResourceList, resolveResource } from "../environment/resource-reference.ts";
import { findContainer } from "../find-container.ts";
import type { FileProjection, Files } from "./files.ts";

export interface DownwardSource {
  readonly pod: Pod;
  /** What a container without a limit of its own may use. */
  readonly allocatable: ResourceList;
}

export function downwardFiles(
  items: readonly DownwardAPIVolumeFile[],
  source: DownwardSource,
  mode: number,
): Files {
  const files: (readonly [string, FileProjection])[] = [];
  const problems: string[] = [];
  for (const item of items) {
    const found = resolve(item, source);
    if ("problem" in found) problems.push(found.problem);
    else {
      const content = Buffer.from(found.value, "utf8");
      files.push([item.path, { content, mode: item.mode ?? mode }]);
    }
  }
  return problems.length > 0 ? { problems } : { files };
}

type Found = { readonly value: string } | { readonly problem: string };

function resolve(
  { fieldRef, resourceFieldRef }: DownwardAPIVolumeFile,
  { pod, allocatable }: DownwardSource,
): Found {
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  if (resourceFieldRef === undefined) return { value: "" };
  const { containerName = "", ...reference } = resourceFieldRef;
  const container: Container | undefined = findContainer(pod, containerName);
  if (container === undefined) return { problem: `container ${containerName} not found` };
  const resource = resolveResource(reference, { pod, container, allocatable });
  return "value" in resource ? resource : { problem: resource.unresolved };
}

function fieldOf(pod: Pod, fieldPath: string): Found {
  const { metadata } = pod;
  switch (fieldPath) {
    case "metadata.name":
      return { value: metadata.name ?? "" };
    case "metadata.namespace":
      return { value: metadata.namespace ?? "" };
    case "metadata.uid":
      return { value: metadata.uid ?? "" };
    case "metadata.labels":
      return { value: formatMap(metadata.labels) };
    case "metadata.annotations":
      return { value: formatMap(metadata.annotations) };
    default: {
      const value = findSubscripted(pod, fieldPath);
      return value === undefined ? { problem: `unsupported fieldPath: ${fieldPath}` } : { value };
    }
  }
}

/** One line for each key, in order: key="value". */
function formatMap(map: { readonly [key: string]: string } = {}): string {
  const lines = Object.keys(map)
    .sort()
    .map((key) => `${key}=${quote(map[key] ?? "")}`);
  return lines.join("\n");
}
