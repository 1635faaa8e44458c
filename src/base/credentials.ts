/** How a client proves who it is, where that changes with time: by a file, or by a program. */

export interface Credentials {
  /** A bearer token. */
  readonly token?: string;
  /** In PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface CredentialSource {
  /** Those to use now; kept as long as they are good. */
  current(): Promise<Credentials>;
  /** The server did not take them: the next ones are asked for anew. */
  refused(credentials: Credentials): void;
}
