/** Commands beside the process of a container, in its surroundings. */
import type { Socket } from "node:net";
import type { ExecRequest } from "../runtime.ts";
import type { EngineApi } from "./engine-api.ts";

export interface ExecStreams {
  readonly stdin: boolean;
  readonly tty: boolean;
}

export interface OpenExec {
  readonly socket: Socket;
  /** Known once the socket has ended. */
  exitCode(): Promise<number>;
  resize(width: number, height: number): Promise<void>;
  /** Of the command, as the host numbers it; 0 where it is over. */
  pid(): Promise<number>;
}

interface InspectedExec {
  readonly Running: boolean;
  readonly ExitCode: number | null;
  readonly Pid: number;
}

/** An engine says how it ended a moment after its output does. */
const LOOKS = 50;
const LOOK_AGAIN_MS = 20;

export async function openExec(
  api: EngineApi,
  container: string,
  { command, environment, workingDirectory }: ExecRequest,
  { stdin, tty }: ExecStreams,
): Promise<OpenExec> {
  const { Id } = await api.ask<{ Id: string }>({
    method: "POST",
    path: `/containers/${container}/exec`,
    body: {
      Cmd: command,
      Env: environment.map(([name, value]) => `${name}=${value}`),
      ...(workingDirectory === undefined ? {} : { WorkingDir: workingDirectory }),
      AttachStdin: stdin,
      AttachStdout: true,
      AttachStderr: true,
      Tty: tty,
    },
  });
  const inspect = () => api.ask<InspectedExec>({ method: "GET", path: `/exec/${Id}/json` });
  const { socket, head } = await api.hijack({
    method: "POST",
    path: `/exec/${Id}/start`,
    body: { Detach: false, Tty: tty },
  });
  if (head.length > 0) socket.unshift(head);
  return {
    socket,
    exitCode: () => settledCode(inspect),
    resize: (width, height) =>
      api.ask({ method: "POST", path: `/exec/${Id}/resize?w=${width}&h=${height}` }),
    pid: async () => (await inspect()).Pid,
  };
}

async function settledCode(inspect: () => Promise<InspectedExec>): Promise<number> {
  for (let look = 0; look < LOOKS; look++) {
    const { Running, ExitCode } = await inspect();
    if (!Running && ExitCode !== null) return ExitCode;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error("the engine does not say how the command ended");
}
