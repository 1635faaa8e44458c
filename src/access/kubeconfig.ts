/** Pure: the text of a kubeconfig, and the names of our entries in one. */

export const CLUSTER = "tally";
export const USER = "tally-admin";
export const CONTEXT = "tally";

export interface Access {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Composed by hand: it is on the way to readiness, and loading a YAML library takes its time. */
export function formatKubeconfig({ url, ca, token }: Access): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${CLUSTER}
  cluster:
    certificate-authority-data: ${base64(ca)}
    server: ${JSON.stringify(url)}
users:
- name: ${USER}
  user:
    token: ${JSON.stringify(token)}
contexts:
- name: ${CONTEXT}
  context:
    cluster: ${CLUSTER}
    user: ${USER}
current-context: ${CONTEXT}
`;
}

/** How a kubeconfig holds a PEM text. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
