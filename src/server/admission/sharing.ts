/**
 * Additions of a shared server to Pod Security: pods may use only allowed runtimes, a process of
 * the host counts as privileged, and every Node lists the allowed runtimes, so that remote agents
 * reject the others too.
 */
import { forbidden } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import { ALLOWED_RUNTIMES, formatRuntimes, isAllowedRuntime } from "../../api/shared-runtimes.ts";
import type { Check } from "../podsecurity/check.ts";
import { findTemplate } from "./find-template.ts";
import { type AdmissionRequest, isAbout } from "./plugin.ts";

export interface Sharing {
  readonly allowedRuntimes: readonly string[];
}

export const HOST_PROCESS: Check = {
  id: "hostProcess",
  level: "baseline",
  versions: [
    {
      since: 0,
      check: ({ spec }) => {
        if (spec.runtimeClassName !== "process") return undefined;
        return { reason: "host process", detail: "pod must not set runtimeClassName=process" };
      },
    },
  ],
};

/** Returns warnings, or throws an ApiError. */
export function judgeRuntime(
  request: AdmissionRequest,
  { allowedRuntimes }: Sharing,
): readonly string[] {
  const { operation, kind, object, part } = request;
  if (operation === "delete" || part !== undefined) return [];
  const pod = findTemplate(request);
  const name = pod?.spec.runtimeClassName;
  if (name === undefined || isAllowedRuntime(name, allowedRuntimes)) return [];
  const allowed = `allowed on this server: ${allowedRuntimes.join(", ")}`;
  const problem = `runtimeClassName ${quote(name)} is not allowed (${allowed})`;
  if (!isAbout(request, "Pod")) return [`pods will be rejected: ${problem}`];
  if (operation !== "create") return [];
  const { group, resource } = kind;
  throw forbidden({ group, resource }, object.metadata.name ?? "", problem);
}

/** A server that is not shared removes the restrictions that an earlier one has left. */
export function stampNode(request: AdmissionRequest, sharing: Sharing | undefined): void {
  if (request.operation === "delete" || !isAbout(request, "Node")) return;
  const { metadata } = request.object;
  const { [ALLOWED_RUNTIMES]: present, ...others } = metadata.annotations ?? {};
  if (sharing) {
    const allowed = formatRuntimes(sharing.allowedRuntimes);
    metadata.annotations = { ...others, [ALLOWED_RUNTIMES]: allowed };
  } else if (present !== undefined) metadata.annotations = others;
}
