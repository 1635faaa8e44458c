/** Pure: validates the conversion between versions. Here only apiVersion changes. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  WebhookClientConfig,
} from "../../api/generated/apiextensions.ts";
import { dns1035Label } from "../../api/names.ts";
import { repetitions } from "../../api/repetitions.ts";
import { validateWebhookService, validateWebhookUrl } from "./validate-webhook.ts";

const STRATEGIES = ["None", "Webhook"];
const PATH = "spec.conversion";

export function validateConversion(spec: CustomResourceDefinitionSpec): Finding[] {
  const { strategy = "", webhook } = spec.conversion ?? { strategy: "None" };
  const reviewVersions = webhook?.conversionReviewVersions ?? [];
  return [
    ...validateStrategy(strategy, spec.preserveUnknownFields === true),
    ...(strategy === "Webhook"
      ? [
          ...validateClient(webhook?.clientConfig),
          ...validateReviewVersions(reviewVersions),
          ...validateCalls(spec),
        ]
      : validateNoWebhook(webhook?.clientConfig, reviewVersions)),
  ];
}

function validateStrategy(strategy: string, keepsUnknown: boolean): Finding[] {
  const path = `${PATH}.strategy`;
  const findings: Finding[] = [];
  if (keepsUnknown && strategy !== "None") {
    const problem = "must be None if spec.preserveUnknownFields is true";
    findings.push(invalid(path, strategy, problem));
  }
  if (strategy === "") findings.push(required(path));
  else if (!STRATEGIES.includes(strategy)) findings.push(notSupported(path, strategy, STRATEGIES));
  return findings;
}

function validateClient(config: WebhookClientConfig | undefined): Finding[] {
  const path = `${PATH}.webhookClientConfig`;
  if (!config) return [required(path, "required when strategy is set to Webhook")];
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (url !== undefined) return validateWebhookUrl(url, `${path}.url`);
  return service ? validateWebhookService(service, `${path}.service`) : [];
}

const REVIEW_VERSIONS = ["v1", "v1beta1"];

function validateReviewVersions(versions: readonly string[]): Finding[] {
  const path = `${PATH}.conversionReviewVersions`;
  if (versions.length === 0) return [required(path)];
  const repeated = repetitions(versions);
  const findings = versions.flatMap((version, at) => {
    const place = `${path}[${at}]`;
    if (repeated.has(at)) return [invalid(place, version, "duplicate version")];
    return dns1035Label(version).map((problem) => invalid(place, version, problem));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return findings;
  const problem = `must include at least one of ${REVIEW_VERSIONS.join(", ")}`;
  return [...findings, invalid(path, versions, problem)];
}

function validateCalls({ versions }: CustomResourceDefinitionSpec): Finding[] {
  // With one version there is nothing to convert.
  if ((versions ?? []).length <= 1) return [];
  const problem = "this server calls no webhooks: versions can be converted by strategy None only";
  return [forbidden(`${PATH}.strategy`, problem)];
}

function validateNoWebhook(
  config: WebhookClientConfig | undefined,
  reviewVersions: readonly string[],
): Finding[] {
  const problem = "should not be set when strategy is not set to Webhook";
  return [
    ...(config ? [forbidden(`${PATH}.webhookClientConfig`, problem)] : []),
    ...(reviewVersions.length > 0 ? [forbidden(`${PATH}.conversionReviewVersions`, problem)] : []),
  ];
}

export function conversionWarnings({ spec }: CustomResourceDefinition): string[] {
  if (spec.conversion?.strategy !== "Webhook") return [];
  return ["spec.conversion.webhook: this server calls no webhooks"];
}
