/**
 * Which of Kubernetes' switchable features are on. A value that is passed on: the server gives it
 * to the rules of kinds, the composition root to controllers.
 *
 * Most of these can no longer be switched in Kubernetes 1.36. Here they can, with the effect each
 * had while it was a gate, for who wants to see what a rollback does to Jobs that are running.
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
  /** In Kubernetes' words. */
  | { readonly problem: string };

/** The one component there is; a name that says none means it too. */
const COMPONENTS: readonly string[] = ["", "kube"];

/** "A=true,B=false", of which the last word on a gate counts; ":A=true" and "kube:A=true" too. */
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

/** The spellings that Go takes. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);
