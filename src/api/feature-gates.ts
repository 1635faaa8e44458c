/**
 * Which of Kubernetes' feature gates are on. The composition root passes the value to controllers,
 * and the server passes it to the rules of kinds.
 *
 * Most of these gates are locked in Kubernetes 1.36. Here they can be switched, with the effect
 * they had as gates, so that users can see what a rollback does to running Jobs.
 */

const FEATURES = [
  "ElasticIndexedJob",
  "IndexedJob",
  "JobBackoffLimitPerIndex",
  "JobManagedBy",
  "JobPodFailurePolicy",
  "JobPodReplacementPolicy",
  "JobSuccessPolicy",
  "PodDisruptionConditions",
  "PodIndexLabel",
] as const;

export type Feature = (typeof FEATURES)[number];

export type FeatureGates = { readonly [Name in Feature]: boolean };

/** All of them are on in Kubernetes 1.36. */
export const DEFAULT_FEATURE_GATES: FeatureGates = {
  ElasticIndexedJob: true,
  IndexedJob: true,
  JobBackoffLimitPerIndex: true,
  JobManagedBy: true,
  JobPodFailurePolicy: true,
  JobPodReplacementPolicy: true,
  JobSuccessPolicy: true,
  PodDisruptionConditions: true,
  PodIndexLabel: true,
};

export type ParsedFeatureGates =
  | { readonly gates: FeatureGates }
  /** In Kubernetes' wording. */
  | { readonly problem: string };

/** There is one component; an empty name refers to it, too. */
const COMPONENTS: readonly string[] = ["", "kube"];

/**
 * "A=true,B=false"; also ":A=true" and "kube:A=true". If a gate is repeated, the last value counts.
 */
export function parseFeatureGates(text: string): ParsedFeatureGates {
  const settings = text.split(",").filter((setting) => setting !== "");
  const gates: { -readonly [Name in Feature]: boolean } = { ...DEFAULT_FEATURE_GATES };
  for (const setting of settings) {
    const { name, value, problem } = parseSetting(setting);
    if (problem !== undefined) return { problem };
    const feature = FEATURES.find((each) => each === name);
    if (feature === undefined) return { problem: `unrecognized feature gate: ${name}` };
    gates[feature] = value;
  }
  return { gates };
}

type Setting =
  | { readonly name: string; readonly value: boolean; readonly problem?: undefined }
  | { readonly name?: undefined; readonly value?: undefined; readonly problem: string };

function parseSetting(setting: string): Setting {
  const colon = setting.indexOf(":");
  const component = setting.slice(0, Math.max(0, colon)).trim();
  if (!COMPONENTS.includes(component)) return { problem: `component not registered: ${component}` };
  const pair = setting.slice(colon + 1);
  const equals = pair.indexOf("=");
  if (equals < 0) return { problem: `missing bool value for ${pair.trim()}` };
  const name = pair.slice(0, equals).trim();
  const text = pair.slice(equals + 1).trim();
  const value = BOOLEANS.get(text);
  if (value !== undefined) return { name, value };
  const cause = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
  return { problem: `invalid value of ${name}=${text}, err: ${cause}` };
}

/** The spellings that Go accepts. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);
