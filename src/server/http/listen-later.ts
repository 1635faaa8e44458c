/** Listens when it is time for it: what that needs is loaded then, and a socket can come late. */
import { systemClock } from "../../base/clock.ts";
import { OPEN_GUARD } from "./guards.ts";
import type { Listener, ListenOptions } from "./listen.ts";
import type { ApiServer } from "./request.ts";

/**
 * The mode of the socket says who may speak. An engine inside a command has its own work to begin
 * first: others find it a moment later, or never, if it is through by then.
 */
export function listenPrivately(
  server: ApiServer,
  socket: string | undefined,
  afterMs: number,
): LateListener | undefined {
  if (socket === undefined) return undefined;
  let open: Promise<Listener> | undefined;
  let onBegun: (listener?: Listener) => void = () => {};
  const begun = new Promise<Listener | undefined>((resolve) => {
    onBegun = resolve;
  });
  const timer = systemClock.schedule(afterMs, () => {
    open = listen(server, { socket, guard: OPEN_GUARD });
    open.then(onBegun, (error: unknown) => {
      server.log.error("nobody else can reach this engine", { error });
      onBegun();
    });
  });
  return {
    begun,
    close: async () => {
      timer.cancel();
      if (open) await (await begun)?.close();
    },
  };
}

export interface LateListener extends Pick<Listener, "close"> {
  readonly begun: Promise<unknown>;
}

/** With it come readers and writers of YAML and protobuf, which a run alone does not need. */
export async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const http = await import("./listen.ts");
  return http.listen(server, options);
}
