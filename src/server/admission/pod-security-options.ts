/** The Pod Security options of a server: the defaults of its mode, and the administrator's file. */
import { KUBERNETES_CHECKS } from "../podsecurity/evaluate.ts";
import { NO_EXEMPTIONS, policyOf } from "../podsecurity/policy.ts";
import type { PodSecurityOptions } from "./pod-security.ts";
import { HOST_PROCESS } from "./sharing.ts";

/** Namespaces decide for themselves, as on a kube-apiserver without further configuration. */
export const ALONE: PodSecurityOptions = {
  defaults: policyOf("privileged"),
  checks: KUBERNETES_CHECKS,
  exemptions: NO_EXEMPTIONS,
};

/** A user who may create pods in a namespace must not get access to the host that way. */
const SHARED: PodSecurityOptions = {
  defaults: policyOf("baseline"),
  checks: [...KUBERNETES_CHECKS, HOST_PROCESS],
  exemptions: NO_EXEMPTIONS,
};

export interface AdmissionFile {
  readonly file: string;
  readonly text: string;
}

/** Reading the file needs a YAML parser, which is loaded only if there is a file. */
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
