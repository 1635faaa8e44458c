/** Credentials of a client that change over time: from a file or from a program. */

export interface Credentials {
  /** A bearer token. */
  readonly token?: string;
  /** In PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface CredentialSource {
  /** The credentials to use now; cached as long as they are valid. */
  current(): Promise<Credentials>;
  /** The server rejected these credentials: the next call of current() gets new ones. */
  refused(credentials: Credentials): void;
}
