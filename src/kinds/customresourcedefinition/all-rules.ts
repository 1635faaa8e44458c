/** Pure: everything that is loaded with the first definition. */
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import { customKind } from "../customresource/custom-kind.ts";
import { validateAnyMetaUpdate } from "../meta/object-meta.ts";
import { registry } from "../registry.ts";
import { formatWarnings } from "./format-warnings.ts";
import type { DefinitionRules } from "./rules.ts";
import { validateDefinition, validateDefinitionUpdate } from "./validate.ts";
import { conversionWarnings } from "./validate-conversion.ts";
import { validateStatus } from "./validate-status.ts";

export const allRules: DefinitionRules = {
  validate: validateDefinition,
  validateUpdate: validateDefinitionUpdate,
  validateStatusUpdate: (next, old) => [
    ...validateAnyMetaUpdate(next.metadata, old.metadata, "metadata"),
    ...validateStatus(next),
  ],
  warnings: (definition) => [
    ...formatWarnings(definition),
    ...conversionWarnings(definition),
    ...builtInWarnings(definition),
  ],
  customKind,
};

/**
 * Tally's own kinds are also available as definitions for clusters, which a user may install here.
 */
function builtInWarnings({ metadata, spec }: CustomResourceDefinition): string[] {
  const { group, names } = spec;
  const isBuiltIn = registry.kinds.some((kind) => {
    return kind.group === group && kind.resource === names.plural;
  });
  if (!isBuiltIn) return [];
  return [`${metadata.name} is built into this server, which does not use the definition`];
}
