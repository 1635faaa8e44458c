/** Pure: whole objects as text, in the form that --output names. */
import type { ResourceType } from "../../api/client.ts";
import { PathError } from "../../api/json-path.ts";
import type { KubeObject } from "../../api/object.ts";
import { formatYaml } from "../../api/schema/yaml-format.ts";
import { UsageError } from "../../base/usage-error.ts";
import { formatJson } from "../../command/json-format.ts";
import { formatKindName } from "../cluster/discovery.ts";
import { parseTemplate, printTemplate } from "./json-path.ts";

export interface Printable {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface PrinterOptions {
  readonly withManagedFields?: boolean;
}

export interface ObjectPrinter {
  readonly one: (printable: Printable) => string;
  /** Several things, or what was not asked for by name: a List of them. */
  readonly many: (printables: readonly Printable[]) => string;
}

/** Undefined where the output is a table or a sentence; throws for a format that is not known. */
export function objectPrinter(
  output: string | undefined,
  options: PrinterOptions = {},
  others: readonly string[] = [],
): ObjectPrinter | undefined {
  if (output === undefined || output === "" || others.includes(output)) return undefined;
  if (output === "name") {
    const one = ({ type, object }: Printable) =>
      `${formatKindName(type, object.metadata.name ?? "")}\n`;
    return { one, many: (printables) => printables.map(one).join("") };
  }
  const print = valuePrinter(output, others);
  const shown = ({ object }: Printable) =>
    options.withManagedFields ? object : withoutManagedFields(object);
  return {
    one: (printable) => print(shown(printable)),
    many: (printables) => print(listOf(printables.map(shown))),
  };
}

function valuePrinter(output: string, others: readonly string[]): (value: unknown) => string {
  if (output === "json") return formatJson;
  if (output === "yaml") return formatYaml;
  const template = /^jsonpath=(.*)$/s.exec(output)?.[1];
  if (template === undefined) {
    const known = [...others, "json", "yaml", "name", "jsonpath=TEMPLATE"].join(", ");
    throw new UsageError(`--output must be one of ${known}, not ${JSON.stringify(output)}`);
  }
  try {
    const parsed = parseTemplate(template);
    return (value) => printTemplate(parsed, value);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new UsageError(`--output: error parsing jsonpath ${template}, ${error.message}`);
  }
}

function listOf(items: readonly object[]): object {
  return { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
}

/** Who set which field is of no interest to those who read the fields. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
