/** Pure: the Kubernetes version that the server and the node report. */

export const KUBERNETES_VERSION = "v1.36.4";
