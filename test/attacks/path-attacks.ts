/** Paths that try to reach other namespaces, or to leave the API. */
import { type Attack, DEFAULT, request } from "./attack.ts";

const OWN = "/api/v1/namespaces/own";
const REFUSED = [400, 403, 404];

const FROM_OWN: readonly (readonly [name: string, path: string])[] = [
  ["two dots", `${OWN}/../default/secrets/victim`],
  ["escaped dots", `${OWN}/%2e%2e/default/secrets/victim`],
  ["dots that are escaped twice", `${OWN}/%252e%252e/default/secrets/victim`],
  ["two dots and a semicolon", `${OWN}/..;/default/secrets/victim`],
  ["escaped slashes", `${OWN}%2f..%2fdefault/secrets/victim`],
  ["backslashes", `${OWN}\\..\\default\\secrets\\victim`],
  ["escaped backslashes", `${OWN}%5c..%5cdefault%5csecrets%5cvictim`],
  ["dots in overlong UTF-8", `${OWN}/%c0%ae%c0%ae/default/secrets/victim`],
  ["full-width dots", `${OWN}/%ef%bc%8e%ef%bc%8e/default/secrets/victim`],
  ["a NUL after the namespace", `${OWN}%00/../default/secrets/victim`],
  ["a line break in the namespace", `${OWN}%0d%0a/default/secrets/victim`],
  ["empty segments", `//api//v1//namespaces//default//secrets//victim`],
  ["another namespace", `${DEFAULT}/secrets/victim`],
  ["all namespaces", "/api/v1/secrets"],
  ["the deprecated watch path", "/api/v1/watch/namespaces/default/secrets/victim"],
  ["a field selector with its name", "/api/v1/secrets?fieldSelector=metadata.name%3Dvictim"],
  ["an unknown subresource", `${OWN}/pods/own/../../default/secrets`],
  ["the proxy of a Service", `${DEFAULT}/services/kubernetes/proxy/api/v1/secrets`],
  ["the proxy of a pod", `${DEFAULT}/pods/victim/proxy/`],
  ["the proxy of a node", "/api/v1/nodes/victim/proxy/run/default/victim/c?cmd=id"],
  ["files of the machine", "/openapi/v3/../../../../etc/passwd"],
  ["logs of the machine", "/logs/../../etc/passwd"],
  ["the profiler", "/debug/pprof/heap"],
  ["the metrics of the server", "/metrics"],
];

const PUBLIC: readonly (readonly [name: string, path: string])[] = [
  ["out of the health check", `/healthz/../api/v1/secrets`],
  ["out of the health check by an escaped slash", `/healthz%2f..%2fapi/v1/secrets`],
  ["out of the version", `/version/..${DEFAULT}/secrets/victim`],
  ["out of the version by a semicolon", `/version;${DEFAULT}/secrets/victim`],
];

export const PATH_ATTACKS: readonly Attack[] = [
  ...FROM_OWN.map(([name, path]) =>
    request(`access to another user's Secret by ${name}`, REFUSED, { path, as: "mallory" }),
  ),
  ...PUBLIC.map(([name, path]) =>
    request(`${name}, without a token`, REFUSED, { path, as: "nobody" }),
  ),
  request("an invalid escape", 400, { path: `${OWN}/configmaps/%zz` }),
  request("a name of two dots", 400, { path: `${OWN}/configmaps/%2e%2e`, method: "DELETE" }),
  request("a name with a slash", 422, {
    path: `${OWN}/configmaps`,
    method: "POST",
    body: { metadata: { name: "a/../../b" } },
  }),
];
