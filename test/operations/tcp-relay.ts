/** A TCP relay between a client and a server, which can be cut and joined again. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpRelay {
  readonly url: string;
  /** Breaks every connection and accepts no new ones. */
  cut(): void;
  join(): void;
  close(): Promise<void>;
}

export async function openRelay(target: string): Promise<TcpRelay> {
  const { hostname, port, protocol } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const hold = (socket: Socket, peer: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sockets.delete(socket);
      peer.destroy();
    });
    socket.pipe(peer);
  };
  const server = createServer((incoming) => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(Number(port), hostname);
    hold(incoming, outgoing);
    hold(outgoing, incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sever = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      sever();
    },
    join: () => {
      isCut = false;
    },
    close: async () => {
      sever();
      server.close();
      await once(server, "close");
    },
  };
}
