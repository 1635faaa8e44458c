/** Listens later, after other work has started: the code for it is loaded only then. */
import { systemClock } from "../../base/clock.ts";
import { OPEN_GUARD } from "./guards.ts";
import type { Listener, ListenOptions } from "./listen.ts";
import type { ApiServer } from "./request.ts";

/**
 * Opens the private socket; its file mode controls access. An engine inside a command starts its
 * own work first. Other processes can connect a moment later, or never, if it has finished by then.
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
      server.log.error("other processes cannot reach this engine", { error });
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

/** Loads the YAML and protobuf codecs too, which a run without other clients does not need. */
export async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const http = await import("./listen.ts");
  return http.listen(server, options);
}
