/** Pure: the groups of Kubernetes itself, whose kinds need its approval. */

export const APPROVAL = "api-approved.kubernetes.io";

export function isProtected(group: string): boolean {
  return /(^|\.)(k8s\.io|kubernetes\.io)$/.test(group);
}
