/** Pure: what the well-known types of Secret ask of their data. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { Secret } from "../../api/generated/core.ts";
import { jsonObjectProblem } from "./json-syntax.ts";

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

/** A pair that no TLS library could load is stored, but its owner hears of it. */
export function tlsWarnings({ type, data = {} }: Secret): string[] {
  if (type !== "kubernetes.io/tls") return [];
  if (!hasPem(data["tls.crt"])) return ["tls: failed to find any PEM data in certificate input"];
  if (!hasPem(data["tls.key"])) return ["tls: failed to find any PEM data in key input"];
  return [];
}

function validateJson(data: { readonly [key: string]: string }, key: string): Finding[] {
  const value = data[key];
  if (value === undefined) return [requiredKey(key)];
  const problem = jsonObjectProblem(decode(value));
  if (problem === undefined) return [];
  return [invalid(`data[${key}]`, "<secret contents redacted>", problem)];
}

function requiredKey(key: string): Finding {
  return required(`data[${key}]`);
}

function hasPem(value = ""): boolean {
  return /-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/.test(decode(value));
}

function decode(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}
