/** Connects to a server through a proxy: with CONNECT for http and https proxies, or SOCKS 5. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { urlToHttpOptions } from "node:url";

export interface Target {
  readonly host: string;
  readonly port: number;
}

export const PROXY_SCHEMES: readonly string[] = ["http:", "https:", "socks5:", "socks5h:"];

/** Returns a connection to the target, after the handshake with the proxy. */
export async function dialThrough(proxyUrl: string, target: Target): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  if (!PROXY_SCHEMES.includes(proxy.protocol)) {
    throw new Error(`unsupported proxy scheme ${proxy.protocol}//`);
  }
  return proxy.protocol.startsWith("socks5") ? dialSocks(proxy, target) : dialHttp(proxy, target);
}

const DIAL_TIMEOUT_MS = 30_000;

function dialHttp(proxy: URL, { host, port }: Target): Promise<Socket> {
  const begin = proxy.protocol === "https:" ? httpsRequest : httpRequest;
  const { hostname, port: proxyPort } = urlToHttpOptions(proxy);
  const where = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = begin({
      hostname,
      ...(proxyPort ? { port: proxyPort } : {}),
      method: "CONNECT",
      path: where,
      headers: { Host: where, ...authorizationOf(proxy) },
      agent: false,
      timeout: DIAL_TIMEOUT_MS,
    });
    asked.once("connect", ({ statusCode, statusMessage }, socket) => {
      if (statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answers ${statusCode} ${statusMessage}`));
    });
    asked.once("timeout", () =>
      asked.destroy(new Error(`the proxy ${proxy.host} does not answer`)),
    );
    asked.once("error", reject);
    asked.end();
  });
}

function authorizationOf({ username, password }: URL): { readonly [name: string]: string } {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "Proxy-Authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

const SOCKS_PORT = 1080;
const VERSION = 5;
const [NO_LOGIN, BY_PASSWORD] = [0, 2] as const;
const [CONNECT, BY_NAME, DONE] = [1, 3, 0] as const;

/** RFC 1928, and RFC 1929 for the password. The proxy resolves host names. */
async function dialSocks(proxy: URL, { host, port }: Target): Promise<Socket> {
  const socket = connectTcp(Number(proxy.port) || SOCKS_PORT, proxy.hostname);
  socket.setTimeout(DIAL_TIMEOUT_MS, () =>
    socket.destroy(new Error(`the proxy ${proxy.host} does not answer`)),
  );
  try {
    await once(socket, "connect");
    const answers = new Answers(socket);
    const methods = proxy.username === "" ? [NO_LOGIN] : [NO_LOGIN, BY_PASSWORD];
    socket.write(Buffer.from([VERSION, methods.length, ...methods]));
    const [, method] = await answers.take(2);
    if (method === BY_PASSWORD) await logIn(socket, answers, proxy);
    else if (method !== NO_LOGIN)
      throw new Error(`the proxy ${proxy.host} requires an unsupported login method`);
    const name = Buffer.from(host, "utf8");
    const ports = [port >> 8, port & 0xff];
    socket.write(Buffer.from([VERSION, CONNECT, 0, BY_NAME, name.length, ...name, ...ports]));
    const [, reply = -1, , kind = 0] = await answers.take(4);
    if (reply !== DONE)
      throw new Error(`the proxy ${proxy.host} refused the connection (code ${reply})`);
    const bound = kind === BY_NAME ? ((await answers.take(1))[0] ?? 0) : kind === 4 ? 16 : 4;
    await answers.take(bound + 2);
    answers.giveBack();
    socket.setTimeout(0);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function logIn(
  socket: Socket,
  answers: Answers,
  { username, password, host }: URL,
): Promise<void> {
  const [user, secret] = [username, password].map((text) => Buffer.from(decodeURIComponent(text)));
  if (!user || !secret) return;
  socket.write(Buffer.from([1, user.length, ...user, secret.length, ...secret]));
  const [, answer] = await answers.take(2);
  if (answer !== DONE) throw new Error(`the proxy ${host} rejected the password`);
}

/** Returns exactly as many bytes as requested: all bytes after the handshake are the target's. */
class Answers {
  private held = Buffer.alloc(0);

  constructor(private readonly socket: Socket) {}

  async take(count: number): Promise<Buffer> {
    while (this.held.length < count) {
      const bytes: Buffer | null = this.socket.read();
      if (bytes) this.held = Buffer.concat([this.held, bytes]);
      else if (this.socket.readableEnded) throw new Error("the proxy closed the connection");
      else await once(this.socket, "readable");
    }
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  giveBack(): void {
    if (this.held.length > 0) this.socket.unshift(this.held);
  }
}
