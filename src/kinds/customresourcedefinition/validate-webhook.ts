/** Pure: validates the address of a webhook: a URL or a service. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { ServiceReference } from "../../api/generated/apiextensions.ts";
import { dns1123Subdomain } from "../../api/names.ts";

const FORM = "; desired format: https://host[/path]";
/** scheme, user, host, query, fragment */
const URL_PARTS = new RegExp(
  "^(?:([a-z][a-z0-9+.-]*):)?(?://(?:([^@/?#]*)@)?([^/?#]*))?[^?#]*" + "(?:\\?([^#]*))?(?:#(.*))?$",
  "is",
);

export function validateWebhookUrl(url: string, path: string): Finding[] {
  if (url.startsWith(":")) {
    const problem = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [required(path, `url must be a valid URL: ${problem}${FORM}`)];
  }
  const [, scheme = "", user, host = "", query = "", fragment = ""] = URL_PARTS.exec(url) ?? [];
  const findings: Finding[] = [];
  if (scheme.toLowerCase() !== "https") {
    const problem = `'https' is the only allowed URL scheme${FORM}`;
    findings.push(invalid(path, scheme.toLowerCase(), problem));
  }
  if (host === "") findings.push(invalid(path, "", `host must be specified${FORM}`));
  if (user !== undefined) {
    findings.push(invalid(path, user, "user information is not permitted in the URL"));
  }
  if (fragment !== "") {
    findings.push(invalid(path, fragment, "fragments are not permitted in the URL"));
  }
  if (query !== "") {
    findings.push(invalid(path, query, "query parameters are not permitted in the URL"));
  }
  return findings;
}

const MAX_PORT = 65_535;

export function validateWebhookService(service: ServiceReference, path: string): Finding[] {
  const { name, namespace, port = 0, path: urlPath = "" } = service;
  const findings: Finding[] = [];
  if (name === "") findings.push(required(`${path}.name`));
  if (namespace === "") findings.push(required(`${path}.namespace`));
  if (port < 1 || port > MAX_PORT) {
    const problem = `port is not valid: must be between 1 and ${MAX_PORT}, inclusive`;
    findings.push(invalid(`${path}.port`, port, problem));
  }
  const problems = pathProblems(urlPath);
  return [...findings, ...problems.map((problem) => invalid(`${path}.path`, urlPath, problem))];
}

function pathProblems(urlPath: string): string[] {
  if (urlPath === "" || urlPath === "/") return [];
  if (urlPath === "//") return ["segment[0] may not be empty"];
  const problems = urlPath.startsWith("/") ? [] : ["must start with a '/'"];
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  for (const [at, step] of steps.entries()) {
    if (step === "") problems.push(`segment[${at}] may not be empty`);
    else problems.push(...dns1123Subdomain(step).map((problem) => `segment[${at}]: ${problem}`));
  }
  return problems;
}
