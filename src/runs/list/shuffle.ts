/** Pure: the same items in another order. */
import { itemCount, type WorkList } from "../../api/work-list/work-list.ts";

/** The draw is a whole number below the limit. */
export function shuffleList(list: WorkList, draw: (limit: number) => number): WorkList {
  const order = Array.from({ length: itemCount(list) }, (_, index) => index);
  for (let left = order.length - 1; left > 0; left--) {
    const other = draw(left + 1);
    const moved = order[left] ?? 0;
    order[left] = order[other] ?? 0;
    order[other] = moved;
  }
  const columns = list.columns.map((column) => order.map((index) => column[index] ?? ""));
  return { ...list, columns };
}
