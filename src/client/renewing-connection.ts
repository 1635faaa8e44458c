/**
 * A connection with credentials that change: a token that expires, or a certificate from an exec
 * plugin. Requests in progress finish on the connection with the old credentials.
 */
import type { CredentialSource, Credentials } from "../base/credentials.ts";
import {
  type Connection,
  type ConnectionOptions,
  connect,
  type HttpAnswer,
  wholeText,
} from "./http-connection.ts";

export interface AccessOptions extends ConnectionOptions {
  /** Used instead of the token and certificate in the options. */
  readonly credentials?: CredentialSource;
}

export function openConnection({ credentials, ...options }: AccessOptions): Connection {
  return credentials ? renewing(options, credentials) : connect(options);
}

const UNAUTHORIZED = 401;

function renewing(options: ConnectionOptions, source: CredentialSource): Connection {
  const opened: Connection[] = [];
  let used: { readonly credentials: Credentials; readonly connection: Connection } | undefined;
  const current = async () => {
    const credentials = await source.current();
    if (used?.credentials !== credentials) {
      const connection = connect({ ...options, ...credentials });
      opened.push(connection);
      used = { credentials, connection };
    }
    return used;
  };
  const ask = async (
    begin: (connection: Connection) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> => {
    const { credentials, connection } = await current();
    const answer = await begin(connection);
    if (answer.status !== UNAUTHORIZED) return answer;
    source.refused(credentials);
    const fresh = await current();
    if (fresh.credentials === credentials) return answer;
    await wholeText(answer);
    return begin(fresh.connection);
  };
  return {
    send: (request) => ask((connection) => connection.send(request)),
    stream: (request, signal) => ask((connection) => connection.stream(request, signal)),
    close: () => {
      for (const connection of opened) connection.close();
    },
  };
}
