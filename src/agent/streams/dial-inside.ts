/** A connection that begins in the network of a pod: a process there passes on what it carries. */
import { once } from "node:events";
import { Duplex } from "node:stream";
import { commandStream } from "./command-stream.ts";
import type { StreamsChild } from "./streams-child.ts";

export interface Inside {
  /** What starts a command in that network. */
  readonly enter: readonly string[];
  readonly run: string;
  readonly port: number;
}

export type Dialled = { readonly connection: Duplex } | { readonly error: { code: string } };

export async function dialInside(
  child: Pick<StreamsChild, "open">,
  { enter, run, port }: Inside,
): Promise<Dialled> {
  const socket = await child.open({
    order: "exec",
    command: [...enter, process.execPath, "-e", RELAY, String(port)],
    environment: [],
    directory: "/",
    run,
    stdin: true,
    tty: false,
  });
  const stream = commandStream(socket, { stdin: true, stdout: true, stderr: true });
  const { stdin, stdout, stderr } = stream;
  const said = stderr && (await Promise.race([once(stderr, "data"), stream.ended.then(() => [])]));
  const code = String(said?.[0] ?? "");
  if (code !== CONNECTED || stdin === undefined || stdout === undefined) {
    stream.close();
    return { error: { code } };
  }
  const connection = Duplex.from({ readable: stdout, writable: stdin });
  connection.once("close", () => stream.close());
  return { connection };
}

const CONNECTED = "connected";

/** Says whether it came to a connection, or why not, before it passes on anything. */
const RELAY = `
const to = { host: "127.0.0.1", port: Number(process.argv[1]), allowHalfOpen: true };
const socket = require("node:net").connect(to);
socket.once("connect", () => {
  process.stderr.write("${CONNECTED}");
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.once("end", () => process.stdout.write("", () => process.exit(0)));
socket.once("error", ({ code }) => process.stderr.write(code, () => process.exit(1)));
`;
