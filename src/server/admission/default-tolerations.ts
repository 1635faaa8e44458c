/** By default a pod tolerates a lost node for five minutes. */
import type { Pod, Toleration } from "../../api/generated/core.ts";
import { type Draft, kept } from "../../api/object.ts";
import { type AdmissionRequest, isAbout } from "./plugin.ts";

const SECONDS = 300;
const TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export function defaultTolerations(request: AdmissionRequest): void {
  if (request.operation === "delete" || !isAbout(request, "Pod")) return;
  const { spec } = request.object as unknown as Draft<Pod>;
  const given = spec.tolerations ?? [];
  const missing = TAINTS.filter((key) => !given.some((toleration) => covers(toleration, key)));
  if (missing.length === 0) return;
  const isUsual = given.length === 0 && missing.length === TAINTS.length;
  spec.tolerations = isUsual ? kept(USUAL) : [...given, ...missing.map(tolerationOf)];
}

function tolerationOf(key: string): Toleration {
  return { key, operator: "Exists", effect: "NoExecute", tolerationSeconds: SECONDS };
}

/** Most pods have exactly these, so they share one list. */
const USUAL: readonly Toleration[] = TAINTS.map(tolerationOf);

function covers(toleration: Toleration, key: string): boolean {
  const { key: of = "", effect = "" } = toleration;
  return (of === "" || of === key) && (effect === "" || effect === "NoExecute");
}
