/** Reads the file that kube-apiserver takes as --admission-control-config-file. */
import { parse } from "yaml";
import {
  type Exemptions,
  LATEST,
  LEVELS,
  type Level,
  type LevelVersion,
  type PodSecurityConfiguration,
  type Policy,
  parseVersion,
} from "./policy.ts";

/**
 * Values that the file omits are taken from `given`. Throws an Error that describes the mistake.
 */
export function readConfiguration(
  text: string,
  given: PodSecurityConfiguration,
): PodSecurityConfiguration {
  const file = mapOf(parse(text), "the file");
  expectType(file, "apiserver.config.k8s.io/v1", "AdmissionConfiguration");
  const plugins = listOf(file["plugins"], "plugins").map((each) => mapOf(each, "a plugin"));
  const other = plugins.find(({ name }) => name !== "PodSecurity");
  if (other)
    throw new Error(`plugin ${JSON.stringify(other["name"])}: only PodSecurity is supported`);
  const configuration = plugins[0]?.["configuration"];
  if (configuration === undefined) return given;
  const own = mapOf(configuration, "configuration");
  expectType(own, "pod-security.admission.config.k8s.io/v1", "PodSecurityConfiguration");
  const defaults = mapOf(own["defaults"] ?? {}, "defaults");
  const exemptions = mapOf(own["exemptions"] ?? {}, "exemptions");
  return {
    defaults: {
      enforce: readMode(defaults, "enforce", given.defaults),
      audit: readMode(defaults, "audit", given.defaults),
      warn: readMode(defaults, "warn", given.defaults),
    },
    exemptions: {
      namespaces: namesIn(exemptions, "namespaces"),
      usernames: namesIn(exemptions, "usernames"),
      runtimeClasses: namesIn(exemptions, "runtimeClasses"),
    },
  };
}

type Fields = { readonly [field: string]: unknown };

function mapOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} must be a map`);
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${what} must be a list`);
}

function expectType({ apiVersion, kind }: Fields, version: string, name: string): void {
  if (apiVersion === version && kind === name) return;
  throw new Error(`expected apiVersion ${version} and kind ${name}`);
}

function readMode(defaults: Fields, mode: keyof Policy, given: Policy): LevelVersion {
  const level = defaults[mode] ?? given[mode].level;
  const version = defaults[`${mode}-version`] ?? LATEST.text;
  const parsed = typeof version === "string" ? parseVersion(version) : undefined;
  if (!isLevel(level)) {
    throw new Error(`defaults.${mode} must be one of ${LEVELS.join(", ")}`);
  }
  if (parsed === undefined) {
    throw new Error(`defaults.${mode}-version must be "latest" or "v1.x"`);
  }
  return { level, version: parsed };
}

function isLevel(value: unknown): value is Level {
  return LEVELS.some((level) => level === value);
}

function namesIn(exemptions: Fields, field: keyof Exemptions): readonly string[] {
  return listOf(exemptions[field], `exemptions.${field}`).map((name) => {
    if (typeof name === "string" && name !== "") return name;
    throw new Error(`exemptions.${field} must list names`);
  });
}
