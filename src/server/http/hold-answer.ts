/** Counts an answer as unread until the client has read it. */
import type { ServerResponse } from "node:http";
import type { Holder, Unread } from "./unread.ts";

/** Called with the body that is about to be sent. */
export type HoldAnswer = (body: Uint8Array | string) => void;

export function holdAnswer(unread: Unread, user: string, response: ServerResponse): HoldAnswer {
  return (body) => {
    const thing = typeof body === "string" ? response : body;
    const holder: Holder = {
      user,
      drop: () => {
        release();
        response.destroy();
      },
    };
    let isHeld = true;
    const release = (): void => {
      if (isHeld) unread.release(holder, thing);
      isHeld = false;
    };
    unread.hold(holder, thing, body.length);
    response.once("finish", release);
    response.once("close", release);
  };
}
