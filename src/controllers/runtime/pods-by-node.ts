/** Pure: the index of pods by node. It is shared, so that the cache maintains it only once. */
import type { Pod } from "../../api/generated/core.ts";

export const BY_NODE = "node";

export const podsByNode = {
  [BY_NODE]: ({ spec }: Pod): readonly string[] => (spec.nodeName ? [spec.nodeName] : []),
};
