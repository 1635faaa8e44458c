/**
 * Requests that a web page in a browser of this machine can send to the port that needs no token.
 */
import { type Attack, CONFIG_MAPS, DEFAULT, request } from "./attack.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const CHANGING = ["POST", "PUT", "PATCH"];
const NEW = { metadata: { name: "by-a-page" } };

const ORIGINS = [
  "https://example.com",
  "https://127.0.0.1.example.com",
  "https://127.0.0.1@example.com",
  "https://example.com#127.0.0.1",
  "https://example.com:443/127.0.0.1",
  "file://",
  "null",
  // Pages served by other programs of this machine.
  "http://localhost:3000",
  "http://127.0.0.1:3000",
  "http://localhost",
  "https://localhost",
];

/** Content types that a page may send without a preflight request. */
const SIMPLE_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];

const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol": "v4.channel.k8s.io",
};

export const BROWSER_ATTACKS: readonly Attack[] = [
  ...METHODS.map((method) =>
    request(`${method} from a page of another site`, 403, {
      method,
      port: "insecure",
      path: method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/victim`,
      headers: { Origin: "https://example.com" },
      ...(CHANGING.includes(method) && { body: NEW }),
    }),
  ),
  ...METHODS.map((method) =>
    request(`${method} under a host name that was rebound to this machine`, 403, {
      method,
      port: "insecure",
      path: method === "POST" ? CONFIG_MAPS : `${CONFIG_MAPS}/victim`,
      headers: { Host: "rebound.example.com" },
      ...(CHANGING.includes(method) && { body: NEW }),
    }),
  ),
  ...ORIGINS.map((origin) =>
    request(`a page of ${origin}`, 403, {
      path: CONFIG_MAPS,
      port: "insecure",
      headers: { Origin: origin },
    }),
  ),
  ...SIMPLE_TYPES.map((type) =>
    request(`a form of another site, as ${type}`, 403, {
      method: "POST",
      port: "insecure",
      path: CONFIG_MAPS,
      headers: { Origin: "https://example.com", "Content-Type": type },
      body: JSON.stringify(NEW),
    }),
  ),
  ...["no-cors", "navigate"].map((mode) =>
    request(`an image or a link of another site, without an Origin header (${mode})`, 403, {
      path: CONFIG_MAPS,
      port: "insecure",
      headers: { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode },
    }),
  ),
  request("a WebSocket from a page of another site", 403, {
    path: `${DEFAULT}/pods/victim/exec?command=id&stdout=1`,
    port: "insecure",
    headers: { ...UPGRADE, Origin: "https://example.com" },
  }),
  request("a WebSocket from a page of another port of this machine", 403, {
    path: `${DEFAULT}/pods/victim/exec?command=id&stdout=1`,
    port: "insecure",
    headers: { ...UPGRADE, Origin: "http://localhost:3000" },
  }),
  request("a WebSocket under a rebound host name", 403, {
    path: `${DEFAULT}/pods/victim/exec?command=id&stdout=1`,
    port: "insecure",
    headers: { ...UPGRADE, Host: "rebound.example.com" },
  }),
  request("a Host with a port that hides a name", 403, {
    path: CONFIG_MAPS,
    port: "insecure",
    headers: { Host: "127.0.0.1:80@example.com" },
  }),
  request("a preflight request of a browser", 403, {
    method: "OPTIONS",
    path: CONFIG_MAPS,
    headers: { Origin: "https://example.com", "Access-Control-Request-Method": "DELETE" },
  }),
];
