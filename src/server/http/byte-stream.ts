/** Sends bytes as they are produced, at the pace of the client, until either side ends. */
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

  /** Settles at the end; rejects if there is nothing to send, or not all of it. */
  async send(): Promise<void> {
    const { response, answer, ending } = this;
    const pieces = await answer.open(ending.signal);
    if (response.destroyed) return;
    response.writeHead(200, streamHeaders(answer.contentType, answer.warnings ?? []));
    // Send the headers at once, so that a client that follows knows that the stream is open.
    response.flushHeaders();
    try {
      for await (const piece of pieces) {
        if (!response.write(piece)) await this.drained();
        if (ending.signal.aborted) break;
      }
      response.end();
    } catch (error) {
      // It is too late for an error status: break the connection, so that the client notices.
      response.destroy();
      if (!ending.signal.aborted) throw error;
    }
  }

  /** Data already written still arrives; no more is read. */
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
