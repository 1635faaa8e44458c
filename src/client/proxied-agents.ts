/** Node HTTP agents whose connections go through a proxy. */
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions as TlsOptions } from "node:tls";
import { dialThrough } from "./proxy.ts";

type Connected = (error: Error | null, stream: Duplex) => void;

interface Place {
  readonly host?: string | null | undefined;
  readonly hostname?: string | null | undefined;
  readonly port?: number | string | null | undefined;
}

export class ProxiedHttpAgent extends HttpAgent {
  constructor(
    private readonly proxyUrl: string,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(options: Place, connected?: Connected): undefined {
    hand(dial(this.proxyUrl, options), connected);
  }
}

export class ProxiedHttpsAgent extends HttpsAgent {
  constructor(
    private readonly proxyUrl: string,
    options: HttpsAgent["options"],
  ) {
    super(options);
  }

  override createConnection(options: Place, connected?: Connected): undefined {
    const secured = dial(this.proxyUrl, options).then((socket) =>
      // The agent passes its own options, including those for TLS, to this method.
      connectTls({ ...(options as TlsOptions), socket }),
    );
    hand(secured, connected);
  }
}

function dial(proxyUrl: string, { host, hostname, port }: Place): Promise<Socket> {
  return dialThrough(proxyUrl, { host: host ?? hostname ?? "", port: Number(port) });
}

function hand(dialled: Promise<Duplex>, connected: Connected | undefined): void {
  // Node ignores the stream argument if there is an error.
  const fail = (error: Error) => connected?.(error, undefined as unknown as Duplex);
  dialled.then((stream) => connected?.(null, stream), fail);
}
