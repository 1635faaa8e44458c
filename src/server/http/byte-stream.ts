/** Sends bytes as they come, no faster than the client takes them, until either side is done. */
import type { ServerResponse } from "node:http";
import type { StreamAnswer } from "./answer.ts";
import { streamHeaders } from "./respond.ts";

export class ByteStream {
  private readonly ending = new AbortController();

  constructor(
    private readonly answer: StreamAnswer,
    private readonly response: ServerResponse,
  ) {
    response.once("close", () => this.finish());
  }

  /** Settles when all is over; rejects if there is nothing to send, or not all of it. */
  async send(): Promise<void> {
    const { response, answer, ending } = this;
    const pieces = await answer.open(ending.signal);
    if (response.destroyed) return;
    response.writeHead(200, streamHeaders(answer.contentType, answer.warnings ?? []));
    // A client that follows learns that there is a stream before there is anything in it.
    response.flushHeaders();
    try {
      for await (const piece of pieces) {
        if (!response.write(piece)) await this.drained();
        if (ending.signal.aborted) break;
      }
      response.end();
    } catch (error) {
      // Too late for a status: the client must notice that something is missing.
      response.destroy();
      if (!ending.signal.aborted) throw error;
    }
  }

  /** What is on its way arrives; no more is read. */
  finish(): void {
    this.ending.abort();
  }

  private drained(): Promise<void> {
    const { response, ending } = this;
    return new Promise((resolve) => {
      const settle = (): void => {
        response.off("drain", settle);
        ending.signal.removeEventListener("abort", settle);
        resolve();
      };
      response.on("drain", settle);
      ending.signal.addEventListener("abort", settle);
    });
  }
}
