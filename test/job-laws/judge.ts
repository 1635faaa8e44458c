/** Plays a history once for all laws, and reports which laws it breaks. */
import { COUNTING_LAWS } from "./counting.ts";
import { DECIDING_LAWS } from "./deciding.ts";
import { type History, play } from "./history.ts";
import type { Laws } from "./law.ts";
import type { Witness } from "./world.ts";

export const NEVER_THROWS = "the controller never throws";

export const LAWS: Laws = {
  [NEVER_THROWS]: () => {},
  ...COUNTING_LAWS,
  ...DECIDING_LAWS,
};

/** The first complaint for each broken law, by its sentence. Empty if no law is broken. */
export type Complaints = ReadonlyMap<string, string>;

export interface Judgement {
  readonly complaints: Complaints;
  readonly syncs: number;
}

export function judge(history: History, laws: Laws = LAWS): Judgement {
  const complaints = new Map<string, string>();
  const hold = (sentence: string, look: () => void): void => {
    if (complaints.has(sentence)) return;
    try {
      look();
    } catch (error) {
      complaints.set(sentence, error instanceof Error ? error.message : String(error));
    }
  };
  const witnesses = witnessesOf(laws);
  let syncs = 0;
  hold(NEVER_THROWS, () => {
    const world = play(history, (sync) => {
      syncs++;
      for (const [sentence, see] of witnesses) hold(sentence, () => see(sync));
    });
    for (const [sentence, law] of Object.entries(laws)) {
      if ("aftermath" in law) hold(sentence, () => law.aftermath(world.copy()));
    }
  });
  return { complaints, syncs };
}

function witnessesOf(laws: Laws): readonly (readonly [string, Witness])[] {
  return Object.entries(laws).flatMap(([sentence, law]) => {
    if (typeof law === "function") return [[sentence, law] as const];
    return "afresh" in law ? [[sentence, law.afresh()] as const] : [];
  });
}
