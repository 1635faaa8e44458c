/** Pure: how objects go from version to version. Here only apiVersion changes. */
import { type Finding, forbidden, notSupported, required } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from "../../api/generated/apiextensions.ts";

const STRATEGIES = ["None", "Webhook"];

export function validateConversion({
  conversion,
  versions,
}: CustomResourceDefinitionSpec): Finding[] {
  const path = "spec.conversion";
  const { strategy = "None", webhook } = conversion ?? {};
  if (!STRATEGIES.includes(strategy)) {
    return [notSupported(`${path}.strategy`, strategy, STRATEGIES)];
  }
  if (strategy === "None") {
    const problem = "should not be set when strategy is not set to Webhook";
    return webhook ? [forbidden(`${path}.webhook`, problem)] : [];
  }
  if (!webhook?.clientConfig) {
    return [required(`${path}.webhook.clientConfig`, "required when strategy is set to Webhook")];
  }
  // With one version there is nothing to convert.
  if ((versions ?? []).length <= 1) return [];
  const problem = "this server calls no webhooks: versions can be converted by strategy None only";
  return [forbidden(`${path}.strategy`, problem)];
}

export function conversionWarnings({ spec }: CustomResourceDefinition): string[] {
  if (spec.conversion?.strategy !== "Webhook") return [];
  return ["spec.conversion.webhook: this server calls no webhooks"];
}
