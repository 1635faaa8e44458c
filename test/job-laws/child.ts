/** A process that judges portions of seeds as its parent sends them. */
import { judgePortion, type Portion } from "./portion.ts";

process.on("message", (portion: Portion) => {
  process.send?.(judgePortion(portion));
});
