/** A process that judges one portion of seeds after the other, as its parent asks. */
import { judgePortion, type Portion } from "./portion.ts";

process.on("message", (portion: Portion) => {
  process.send?.(judgePortion(portion));
});
