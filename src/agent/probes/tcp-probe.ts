/** Whether somebody accepts connections. */
import { connect } from "node:net";
import { connectionProblem } from "./go-words.ts";
import type { ProbeResult } from "./results.ts";

export function probeTcp(host: string, port: number, signal: AbortSignal): Promise<ProbeResult> {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const settle = (isSuccess: boolean, output: string): void => {
      socket.destroy();
      resolve({ isSuccess, output });
    };
    socket.once("connect", () => settle(true, ""));
    socket.once("error", (error) => {
      const late = `dial tcp ${address}: i/o timeout`;
      settle(false, signal.aborted ? late : connectionProblem(error, address));
    });
  });
}
