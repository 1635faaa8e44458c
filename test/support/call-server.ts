/** Sends one request to a server, without checking its certificate, and returns the raw answer. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
  readonly json: any;
}

export interface CalledServer {
  readonly url: string;
  readonly token: string;
}

export function call(
  { url, token }: CalledServer,
  method: string,
  where: string,
  body?: unknown,
  headers: object = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isText = typeof body === "string" || Buffer.isBuffer(body);
    const payload = body === undefined ? undefined : isText ? body : JSON.stringify(body);
    const type = payload === undefined ? {} : { "Content-Type": "application/json" };
    const send = url.startsWith("http:") ? httpRequest : httpsRequest;
    const request = send(
      `${url}${where}`,
      {
        method,
        rejectUnauthorized: false,
        headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(payload);
  });
}
