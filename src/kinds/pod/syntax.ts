/** Pure: the syntax of single values in a pod: ports, paths, variable names, IDs, addresses. */
import { type Finding, invalid } from "../../api/finding.ts";
import { regexProblem, SUBDOMAIN_MAX, tooLong } from "../../api/names.ts";

/** One finding for each problem that a rule found in a value. */
export function invalidEach(field: string, value: unknown, problems: readonly string[]): Finding[] {
  return problems.map((problem) => invalid(field, value, problem));
}

export function inclusiveRange(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

export function portNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [inclusiveRange(1, 65535)];
}

export function portName(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push(tooLong(15));
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (/^-|-$/.test(name)) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function validatePort(port: number | string, field: string): Finding[] {
  const problems = typeof port === "number" ? portNumber(port) : portName(port);
  return invalidEach(field, port, problems);
}

/** Everything that the kernel accepts in an environment, not only C identifiers. */
export function environmentName(name: string): string[] {
  if (/^[ -<>-~]+$/.test(name)) return [];
  const rule = "a valid environment variable name must consist only of printable ASCII characters";
  return [`${rule} other than '='`];
}

const CONFIG_KEY = "[-._a-zA-Z0-9]+";
const configKey = new RegExp(`^${CONFIG_KEY}$`);

export function configMapKey(key: string): string[] {
  const problems = key.length > SUBDOMAIN_MAX ? [tooLong(SUBDOMAIN_MAX)] : [];
  if (!configKey.test(key)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(regexProblem(rule, CONFIG_KEY, ["key.name", "KEY_NAME", "key-name"]));
  }
  if (key === "." || key === "..") problems.push(`must not be '${key}'`);
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

const HEADER_NAME = "[-A-Za-z0-9]+";
const headerName = new RegExp(`^${HEADER_NAME}$`);

export function httpHeaderName(name: string): string[] {
  if (headerName.test(name)) return [];
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [regexProblem(rule, HEADER_NAME, ["X-Header-Name"])];
}

/** A user or group ID: Linux has 32 bits, Kubernetes allows only 31. */
export function numericId(id: number): string[] {
  return id >= 0 && id <= 2147483647 ? [] : [inclusiveRange(0, 2147483647)];
}

export function isFileMode(mode: number): boolean {
  return mode >= 0 && mode <= 0o777;
}

export const FILE_MODE_RULE = "must be a number between 0 and 0777 (octal), both inclusive";

export function validateFileMode(mode: number | undefined, field: string): Finding[] {
  return mode === undefined || isFileMode(mode) ? [] : [invalid(field, mode, FILE_MODE_RULE)];
}

export function validateNoBacksteps(path: string, field: string): Finding[] {
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

/** A path below a directory: relative and without "..". */
export function validateDescendingPath(path: string, field: string): Finding[] {
  const relative = path.startsWith("/") ? [invalid(field, path, "must be a relative path")] : [];
  return [...relative, ...validateNoBacksteps(path, field)];
}

/** Names that start with ".." are reserved: volumes use them for their own versions. */
export function validateUnreservedPath(path: string, field: string): Finding[] {
  const findings = validateDescendingPath(path, field);
  if (path.startsWith("..") && !path.startsWith("../")) {
    findings.push(invalid(field, path, "must not start with '..'"));
  }
  return findings;
}

const UNDERSCORED = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const UNDERSCORED_SUBDOMAIN = `${UNDERSCORED}(\\.${UNDERSCORED})*`;
const underscoredSubdomain = new RegExp(`^${UNDERSCORED_SUBDOMAIN}$`);

/** A DNS search path. Unlike Kubernetes' own subdomains it may contain underscores. */
export function dnsSearchPath(text: string): string[] {
  const problems = text.length > SUBDOMAIN_MAX ? [tooLong(SUBDOMAIN_MAX)] : [];
  if (underscoredSubdomain.test(text)) return problems;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' " +
    "or '.', and must start and end with an alphanumeric character";
  return [...problems, regexProblem(rule, UNDERSCORED_SUBDOMAIN, ["example.com"])];
}
