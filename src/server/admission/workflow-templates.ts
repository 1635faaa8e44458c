/** Rejects a Workflow if a JobTemplate that it names does not exist. */
import { invalidObject } from "../../api/errors.ts";
import { notFound } from "../../api/finding.ts";
import type { Workflow } from "../../api/generated/tallyjob.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { StoreView } from "./plugin.ts";

const TEMPLATES = "jobtemplates.tallyjob.io";

export function refuseUnknownTemplates(
  { group, kind }: Kind,
  object: Draft<KubeObject>,
  store: StoreView,
): void {
  if (kind !== "Workflow" || group !== "tallyjob.io") return;
  const { metadata, spec } = object as unknown as Workflow;
  const { namespace = "", name = "" } = metadata;
  const findings = (spec.jobs ?? []).flatMap(({ templateRef }, at) => {
    if (!templateRef) return [];
    const key = { resource: TEMPLATES, namespace, name: templateRef.name };
    if (store.get(key)) return [];
    return [notFound(`spec.jobs[${at}].templateRef.name`, templateRef.name)];
  });
  if (findings.length > 0) throw invalidObject({ group, kind }, name, findings);
}
