/** Pure: validates the data of the well-known types of Secrets. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { Secret } from "../../api/generated/core.ts";
import { jsonObjectProblem } from "./json-syntax.ts";

const CERTIFICATE = "CERTIFICATE";
const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

export function validateByType(secret: Secret): Finding[] {
  const { data = {}, metadata } = secret;
  switch (secret.type) {
    case "kubernetes.io/service-account-token": {
      if ((metadata.annotations?.[SERVICE_ACCOUNT_NAME] ?? "") !== "") return [];
      return [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)];
    }
    case "kubernetes.io/dockercfg":
      return validateJson(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateJson(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const keys = ["username", "password"];
      return keys.some((key) => Object.hasOwn(data, key)) ? [] : keys.map(requiredKey);
    }
    case "kubernetes.io/ssh-auth":
      return (data["ssh-privatekey"] ?? "") === "" ? [requiredKey("ssh-privatekey")] : [];
    case "kubernetes.io/tls":
      return ["tls.crt", "tls.key"].filter((key) => !Object.hasOwn(data, key)).map(requiredKey);
    default:
      return [];
  }
}

/** A pair that no TLS library could load is stored, but with a warning. */
export function tlsWarnings({ type, data = {} }: Secret): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const problem =
    certificateProblem(pemTypes(data["tls.crt"])) ?? keyProblem(pemTypes(data["tls.key"]));
  return problem === undefined ? [] : [`tls: ${problem}`];
}

function certificateProblem(types: readonly string[]): string | undefined {
  if (types.includes(CERTIFICATE)) return undefined;
  if (types.length === 0) return "failed to find any PEM data in certificate input";
  if (types.length === 1 && isPrivateKey(types[0] ?? "")) {
    const found = "but did find a private key; PEM inputs may have been switched";
    return `failed to find certificate PEM data in certificate input, ${found}`;
  }
  const missing = `failed to find "${CERTIFICATE}" PEM block in certificate input`;
  return `${missing} after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function keyProblem(types: readonly string[]): string | undefined {
  if (types.some(isPrivateKey)) return undefined;
  if (types.length === 0) return "failed to find any PEM data in key input";
  if (types.length === 1 && types[0] === CERTIFICATE) {
    return "found a certificate rather than a key in the PEM for the private key";
  }
  const missing = 'failed to find PEM block with type ending in "PRIVATE KEY" in key input';
  return `${missing} after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function isPrivateKey(type: string): boolean {
  return type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");
}

function validateJson(data: { readonly [key: string]: string }, key: string): Finding[] {
  const value = data[key];
  if (value === undefined) return [requiredKey(key)];
  const problem = jsonObjectProblem(Buffer.from(value, "base64").toString("latin1"));
  if (problem === undefined) return [];
  return [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
}

function requiredKey(key: string): Finding {
  return required(`data[${key}]`);
}

/** The types of the PEM blocks in a text, in order. */
function pemTypes(value = ""): string[] {
  const blocks = decode(value).matchAll(/-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g);
  return [...blocks].map(([, type = ""]) => type);
}

function decode(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}
