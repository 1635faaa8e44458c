/** What a server judges pods by: the defaults of its mode, and a file of the administrator. */
import { KUBERNETES_CHECKS } from "../podsecurity/evaluate.ts";
import { NO_EXEMPTIONS, policyOf } from "../podsecurity/policy.ts";
import type { PodSecurityOptions } from "./pod-security.ts";
import { HOST_PROCESS } from "./sharing.ts";

/** Namespaces decide for themselves, as on a kube-apiserver that is not configured otherwise. */
export const ALONE: PodSecurityOptions = {
  defaults: policyOf("privileged"),
  checks: KUBERNETES_CHECKS,
  exemptions: NO_EXEMPTIONS,
};

/** Whoever may create pods in a namespace does not get the host by it. */
const SHARED: PodSecurityOptions = {
  defaults: policyOf("baseline"),
  checks: [...KUBERNETES_CHECKS, HOST_PROCESS],
  exemptions: NO_EXEMPTIONS,
};

export interface AdmissionFile {
  readonly file: string;
  readonly text: string;
}

/** The reader of the file comes with one of YAML, and is loaded only if there is a file. */
export async function podSecurityOptions({
  isShared,
  admission,
}: {
  readonly isShared: boolean;
  readonly admission?: AdmissionFile;
}): Promise<PodSecurityOptions> {
  const mode = isShared ? SHARED : ALONE;
  if (admission === undefined) return mode;
  const { readConfiguration } = await import("../podsecurity/configuration.ts");
  try {
    return { ...mode, ...readConfiguration(admission.text, mode) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`${admission.file}: ${problem}`, { cause: error });
  }
}
