/**
 * Pure: the parts that all versions of a definition have in common. Kubernetes stores them once,
 * for the definition as a whole, and reports errors in them with that path.
 */
import { isEqual } from "../../api/equal.ts";
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "../../api/generated/apiextensions.ts";

type Part = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

const PARTS: readonly Part[] = [
  "schema",
  "subresources",
  "additionalPrinterColumns",
  "selectableFields",
];

export interface SharedParts {
  readonly shared: Pick<CustomResourceDefinitionVersion, Part>;
  /** The versions without the common parts. */
  readonly versions: readonly CustomResourceDefinitionVersion[];
}

export function sharedParts({ versions }: CustomResourceDefinitionSpec): SharedParts {
  const [first, ...others] = versions ?? [];
  if (!first) return { shared: {}, versions: [] };
  const common = PARTS.filter((part) =>
    others.every((version) => isEqual(version[part], first[part])),
  );
  const shared = Object.fromEntries(common.map((part) => [part, first[part]]));
  const without = Object.fromEntries(common.map((part) => [part, undefined]));
  return { shared, versions: [first, ...others].map((version) => ({ ...version, ...without })) };
}
