/** Answers an upgrade request and switches the socket to SPDY. */
import type { Duplex } from "node:stream";
import type { RawUpgrade } from "./websocket.ts";

export function openSpdy({ socket, head }: RawUpgrade, protocol: string | undefined): Duplex {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    ...(protocol === undefined ? [] : [`X-Stream-Protocol-Version: ${protocol}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return socket;
}
