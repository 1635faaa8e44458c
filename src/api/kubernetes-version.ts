/** Pure: the Kubernetes that server and node pass for. */

export const KUBERNETES_VERSION = "v1.36.4";
