/** Pure: a label selector as the query that it stands for. */
import type { LabelSelector } from "../../api/generated/meta.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";

/** One that selects everything is an empty query. */
export function selectorText(selector: LabelSelector | undefined): string {
  const text = formatLabelSelector(selector);
  return text === "<none>" ? "" : text;
}
