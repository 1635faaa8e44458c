/** Pure: validates how a pod resolves names, and its own hostname. */
import {
  type Finding,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "../../api/finding.ts";
import type { HostAlias, PodDNSConfig, PodSpec } from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { validateIp } from "../meta/addresses.ts";
import { dnsSearchPath, invalidEach } from "./syntax.ts";

const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** The limits of the resolver in a Linux libc. */
const NAMESERVERS_MAX = 3;
const SEARCH_PATHS_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;

/** The maximum length of a hostname in the Linux kernel. */
const HOSTNAME_MAX = 64;

export function validateDnsPolicy(policy: string | undefined, field: string): Finding[] {
  if (policy === undefined) return [required(field)];
  return DNS_POLICIES.includes(policy) ? [] : [notSupported(field, policy, DNS_POLICIES)];
}

export function validateDnsConfig(spec: PodSpec, path: string): Finding[] {
  const { dnsConfig: config, dnsPolicy } = spec;
  if (dnsPolicy === "None") {
    if (config === undefined) {
      return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")];
    }
    if ((config.nameservers ?? []).length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return [required(`${path}.nameservers`, detail)];
    }
  }
  if (config === undefined) return [];
  return [
    ...validateNameservers(config.nameservers ?? [], `${path}.nameservers`),
    ...validateSearches(config.searches ?? [], `${path}.searches`),
    ...validateOptions(config.options ?? [], `${path}.options`),
  ];
}

export function validateHostname(spec: PodSpec, path: string): Finding[] {
  const { hostname = "", subdomain = "" } = spec;
  return [
    ...invalidEach(`${path}.hostname`, hostname, hostname === "" ? [] : dns1123Label(hostname)),
    ...invalidEach(`${path}.subdomain`, subdomain, subdomain === "" ? [] : dns1123Label(subdomain)),
    ...validateHostnameOverride(spec, `${path}.hostnameOverride`),
  ];
}

export function validateHostAliases(aliases: readonly HostAlias[], path: string): Finding[] {
  return aliases.flatMap(({ ip, hostnames = [] }, at) => [
    ...validateIp(ip, `${path}[${at}].ip`),
    ...hostnames.flatMap((name, index) =>
      invalidEach(`${path}[${at}].hostnames[${index}]`, name, dns1123Subdomain(name)),
    ),
  ]);
}

function validateNameservers(nameservers: readonly string[], path: string): Finding[] {
  const findings: Finding[] = [];
  if (nameservers.length > NAMESERVERS_MAX) {
    const detail = `must not have more than ${NAMESERVERS_MAX} nameservers`;
    findings.push(invalid(path, nameservers, detail));
  }
  return [...findings, ...nameservers.flatMap((ip, at) => validateIp(ip, `${path}[${at}]`))];
}

function validateSearches(searches: readonly string[], path: string): Finding[] {
  const findings: Finding[] = [];
  if (searches.length > SEARCH_PATHS_MAX) {
    const detail = `must not have more than ${SEARCH_PATHS_MAX} search paths`;
    findings.push(invalid(path, searches, detail));
  }
  if (searches.join(" ").length > SEARCH_CHARACTERS_MAX) {
    const rule = `must not have more than ${SEARCH_CHARACTERS_MAX} characters`;
    findings.push(invalid(path, searches, `${rule} (including spaces) in the search list`));
  }
  for (const [at, search] of searches.entries()) {
    if (search === ".") continue;
    const name = search.replace(/\.$/, "");
    findings.push(...invalidEach(`${path}[${at}]`, name, dnsSearchPath(name)));
  }
  return findings;
}

function validateOptions(options: NonNullable<PodDNSConfig["options"]>, path: string): Finding[] {
  return options.flatMap(({ name = "" }, at) =>
    name === "" ? [required(`${path}[${at}]`, "must not be empty")] : [],
  );
}

function validateHostnameOverride(spec: PodSpec, field: string): Finding[] {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return [];
  const findings: Finding[] = [];
  if (spec.setHostnameAsFQDN) {
    findings.push(forbidden(field, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork) {
    findings.push(forbidden(field, "may not be specified when hostNetwork is true"));
  }
  if (name.length > HOSTNAME_MAX) findings.push(tooLong(field, HOSTNAME_MAX));
  return [...findings, ...invalidEach(field, name, dns1123Subdomain(name))];
}
