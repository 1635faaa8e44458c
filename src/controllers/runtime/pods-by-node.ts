/** Pure: the index of pods by their node, one for all who ask by it. */
import type { Pod } from "../../api/generated/core.ts";

export const BY_NODE = "node";

export const podsByNode = {
  [BY_NODE]: ({ spec }: Pod): readonly string[] => (spec.nodeName ? [spec.nodeName] : []),
};
