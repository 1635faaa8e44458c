/**
 * Pure: the proxy that the environment defines for a server, by the rules that Go programs use for
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY. This machine itself is never reached through a proxy.
 */
import { cidrContains, isLoopback, parseAddress, parseCidr } from "../base/address.ts";

export interface ProxyEnvironment {
  readonly [name: string]: string | undefined;
}

export function proxyFor(server: string, environment: ProxyEnvironment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const isSecure = protocol === "https:";
  const proxy = variable(environment, isSecure ? "HTTPS_PROXY" : "HTTP_PROXY");
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (proxy === "" || isHere(host)) return undefined;
  const place = { host, port: port || (isSecure ? "443" : "80") };
  const exceptions = variable(environment, "NO_PROXY")
    .split(",")
    .map((each) => each.trim());
  if (exceptions.some((each) => each !== "" && isMeant(each.toLowerCase(), place)))
    return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function variable(environment: ProxyEnvironment, name: string): string {
  return environment[name] || environment[name.toLowerCase()] || "";
}

function isHere(host: string): boolean {
  const address = parseAddress(host);
  return host === "localhost" || (address !== undefined && isLoopback(address));
}

interface Place {
  readonly host: string;
  readonly port: string;
}

/**
 * "*", an address, a CIDR range, or a name including its subdomains; ".name" means only subdomains.
 */
function isMeant(exception: string, { host, port }: Place): boolean {
  if (exception === "*") return true;
  const range = parseCidr(exception);
  const address = parseAddress(host);
  if (range) return address !== undefined && cidrContains(range, address);
  const [, name = exception, only] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(exception) ?? [];
  const isAddress = parseAddress(exception) !== undefined;
  const wanted = isAddress ? exception : name;
  if (!isAddress && only !== undefined && only !== port) return false;
  if (isAddress || parseAddress(wanted) !== undefined) return host === wanted;
  const below = wanted.replace(/^\*?\.?/, ".");
  return host.endsWith(below) || (!/^\*?\./.test(wanted) && `.${host}` === below);
}
