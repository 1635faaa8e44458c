/** Pure: decides which requested names a definition gets, and composes its conditions. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from "../../api/generated/apiextensions.ts";
import { isTrue, withCondition } from "./conditions.ts";
import { APPROVAL, isProtected } from "./protected-groups.ts";

/** `others` are the other definitions of the same group. */
export function decideStatus(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): CustomResourceDefinitionStatus {
  const { status } = definition;
  const taken = takenNames(definition, others);
  const { acceptedNames, conflict } = acceptNames(definition, taken);
  const isEstablished = isTrue(status.conditions, "Established");
  let conditions = withCondition(
    status.conditions,
    conflict
      ? { type: "NamesAccepted", status: "False", ...conflict }
      : {
          type: "NamesAccepted",
          status: "True",
          reason: "NoConflicts",
          message: "no conflicts found",
        },
    now,
  );
  if (!isEstablished) {
    const message = "the initial names have been accepted";
    const refused = { reason: "NotAccepted", message: "not all names are accepted" };
    const accepted = { reason: "InitialNamesAccepted", message };
    const established = conflict
      ? { type: "Established", status: "False", ...refused }
      : { type: "Established", status: "True", ...accepted };
    conditions = withCondition(conditions, established, now);
  }
  const approval = approvalOf(definition);
  if (approval) conditions = withCondition(conditions, approval, now);
  return { ...status, acceptedNames, conditions };
}

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): Taken {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { metadata, status } of others) {
    if (metadata.name === definition.metadata.name) continue;
    const { plural, singular = "", shortNames = [], kind, listKind = "" } = status.acceptedNames;
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  resources.delete("");
  kinds.delete("");
  return { resources, kinds };
}

interface Conflict {
  readonly reason: string;
  readonly message: string;
}

interface Accepted {
  readonly acceptedNames: CustomResourceDefinitionNames;
  readonly conflict?: Conflict;
}

/**
 * A name that is taken is not accepted. If there are several conflicts, the last one is reported.
 */
function acceptNames({ spec, status }: CustomResourceDefinition, taken: Taken): Accepted {
  const { names: asked } = spec;
  const before = status.acceptedNames;
  let conflict: Conflict | undefined;
  const isFree = (name: string, own: string, used: ReadonlySet<string>, reason: string) => {
    if (name === own || !used.has(name)) return true;
    conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
    return false;
  };
  const { resources, kinds } = taken;
  const one = (name = "", own = "", used: ReadonlySet<string>, reason: string): string =>
    isFree(name, own, used, reason) ? name : own;
  const plural = one(asked.plural, before.plural, resources, "PluralConflict");
  const singular = one(asked.singular, before.singular, resources, "SingularConflict");
  const known = before.shortNames ?? [];
  const short = asked.shortNames ?? [];
  const areShortFree = short.every((name) =>
    isFree(name, known.includes(name) ? name : "", resources, "ShortNamesConflict"),
  );
  const shortNames = areShortFree ? short : known;
  const kind = one(asked.kind, before.kind, kinds, "KindConflict");
  const listKind = one(asked.listKind, before.listKind, kinds, "ListKindConflict");
  const acceptedNames = {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(asked.categories?.length ? { categories: asked.categories } : {}),
  };
  return conflict ? { acceptedNames, conflict } : { acceptedNames };
}

const CONFORMANT = "KubernetesAPIApprovalPolicyConformant";

function approvalOf({ metadata, spec }: CustomResourceDefinition) {
  if (!isProtected(spec.group)) return undefined;
  const approval = metadata.annotations?.[APPROVAL] ?? "";
  if (approval.startsWith("unapproved")) {
    const message = `not approved: ${JSON.stringify(approval)}`;
    return { type: CONFORMANT, status: "False", reason: "UnapprovedAnnotation", message };
  }
  const message = `approved in ${approval}`;
  return { type: CONFORMANT, status: "True", reason: "ApprovedAnnotation", message };
}
