/** Pure: the text of a kubeconfig, and the names of our entries in it. */

export const CLUSTER = "tally";
export const USER = "tally-admin";
export const CONTEXT = "tally";

export interface Access {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Access of a user who is authenticated by a certificate. */
export interface UserAccess {
  readonly url: string;
  readonly user: string;
  /** PEM texts. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Built without a YAML library, because loading one would delay the start of the server. */
export function formatKubeconfig({ url, ca, token }: Access): string {
  return format({ url, ca, user: USER }, [`token: ${JSON.stringify(token)}`]);
}

export function formatUserKubeconfig({ url, ca, user, cert, key }: UserAccess): string {
  return format({ url, ca, user: JSON.stringify(user) }, [
    `client-certificate-data: ${base64(cert)}`,
    `client-key-data: ${base64(key)}`,
  ]);
}

function format(
  { url, ca, user }: { readonly url: string; readonly ca: string; readonly user: string },
  credentials: readonly string[],
): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${CLUSTER}
  cluster:
    certificate-authority-data: ${base64(ca)}
    server: ${JSON.stringify(url)}
users:
- name: ${user}
  user:
    ${credentials.join("\n    ")}
contexts:
- name: ${CONTEXT}
  context:
    cluster: ${CLUSTER}
    user: ${user}
current-context: ${CONTEXT}
`;
}

/** The encoding of PEM texts in a kubeconfig. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
