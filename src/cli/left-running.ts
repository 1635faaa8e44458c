/** Pure: what is said of pods that go on without their server, and how to end them. */
import { shellWord } from "../command/shell-word.ts";

export interface LeftBy {
  /** The command that adopts them: "tally up". */
  readonly adoptedBy: string;
  /** As the user gave it; absent: the usual directory. */
  readonly data: string | undefined;
}

/** Undefined where there are none. */
export function leftRunningLine(pods: number, { adoptedBy, data }: LeftBy): string | undefined {
  if (pods === 0) return undefined;
  const [who, them] = pods === 1 ? ["1 pod keeps", "it"] : [`${pods} pods keep`, "them"];
  const down = data === undefined ? "tally down" : `tally down --data ${shellWord(data)}`;
  return `${who} running: the next "${adoptedBy}" adopts ${them}, "${down}" ends ${them}`;
}
