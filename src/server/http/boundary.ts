/**
 * The error boundary of one request. If its code throws, directly or in a callback, the error
 * becomes the answer if nothing was sent yet; otherwise its connection is closed. Other requests
 * are not affected.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../api/errors.ts";
import { type BytesAnswer, plainText } from "./answer.ts";
import type { Contain } from "./contain.ts";
import { errorAnswer } from "./error-answer.ts";
import { holdAnswer } from "./hold-answer.ts";
import type { ApiServer, Request } from "./request.ts";
import { send } from "./respond.ts";
import { PlainRefusal } from "./stream-errors.ts";
import type { Unread } from "./unread.ts";

export class Boundary {
  /**
   * Absent once the connection has switched to another protocol: then no HTTP answer can be sent.
   */
  private response: ServerResponse | undefined;

  /** Counts answers until the client has read them; set once the user is known. */
  unread: { readonly unread: Unread; readonly user: string } | undefined;

  constructor(
    private readonly server: Pick<ApiServer, "log" | "exceptions">,
    private readonly asked: Pick<Request, "accept" | "method" | "path">,
    private readonly message: IncomingMessage,
    response: ServerResponse,
  ) {
    this.answerOn(response);
  }

  run(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  readonly contain: Contain =
    (step) =>
    (...given) =>
      this.run(() => step(...given));

  settle(promise: Promise<unknown>): void {
    promise.catch((error) => this.fail(error));
  }

  send(answer: BytesAnswer): void {
    const { response, message, contain, unread } = this;
    const hold = response && unread && holdAnswer(unread.unread, unread.user, response);
    if (response) send(answer, message, response, { contain, hold });
  }

  answerOn(response: ServerResponse): void {
    response.on("error", (error) => this.breakOff(error));
    this.response = response;
  }

  leaveHttp(): void {
    this.response = undefined;
  }

  /** Never throws. */
  fail(error: unknown): void {
    const { response, server, asked } = this;
    try {
      if (!response || response.headersSent || response.destroyed) this.breakOff(error);
      else this.send(refusalAnswer(error) ?? errorAnswer(server, asked, error));
    } catch (another) {
      this.breakOff(another);
    }
  }

  private breakOff(error: unknown): void {
    this.message.socket.destroy();
    // An API error that can no longer be sent is not a failure of the server.
    if (error instanceof ApiError || error instanceof PlainRefusal) return;
    const { log, exceptions } = this.server;
    const { method, path } = this.asked;
    const stack = error instanceof Error ? error.stack : undefined;
    try {
      exceptions?.add({ outcome: "closed" });
      log.error("request failed, connection closed", { method, path, error: String(error), stack });
    } catch {
      // If the log itself fails, the failure cannot be reported.
    }
  }
}

/** The text of a node that could not start a stream; undefined for any other error. */
function refusalAnswer(error: unknown): BytesAnswer | undefined {
  return error instanceof PlainRefusal ? plainText(500, error.message) : undefined;
}
