/** Pure: formats the containers of a pod template for wide columns. */
import type { Column } from "../kind.ts";

export const containersColumn: Column = {
  name: "Containers",
  type: "string",
  priority: 1,
  description: "Names of each container in the template.",
};

export const imagesColumn: Column = {
  name: "Images",
  type: "string",
  priority: 1,
  description: "Images referenced by each container in the template.",
};

interface HasContainers {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[] | null;
}

export function containerNames(spec: HasContainers | undefined): string {
  return (spec?.containers ?? []).map((container) => container.name).join(",");
}

export function containerImages(spec: HasContainers | undefined): string {
  return (spec?.containers ?? []).map((container) => container.image ?? "").join(",");
}
