/** What the controller could see at a moment, and the ledger at that moment. */
import type { Pod } from "../../../src/api/generated/core.ts";
import type { Call, History, Sight } from "../history.ts";
import { EMPTY, type Ledger, type Scene } from "./ledger.ts";
import { isSelected, isTracked } from "./pods.ts";

interface Page {
  readonly revision: number;
  readonly ledger: Ledger;
}

export class Scenes {
  readonly #pages = new Map<string, Page[]>();

  constructor(private readonly history: History) {}

  /** One scene for each sight; undefined if the Job did not exist. */
  ofCall(jobUid: string, { sights }: Call): readonly (Scene | undefined)[] {
    return sights.map((sight) => this.at(jobUid, sight));
  }

  at(jobUid: string, { jobs, pods, nowMs }: Sight): Scene | undefined {
    const job = this.history.jobAt(jobUid, jobs);
    if (!job) return undefined;
    const own = this.history.podsAt(jobUid, pods).filter((pod) => isSelected(job, pod));
    const ledger = this.ledgerAt(jobUid, jobs);
    return { job, pods: own, nowMs, ledger, keyOf: this.keyAt(pods) };
  }

  ledgerAt(jobUid: string, revision: number): Ledger {
    const page = this.#pages.get(jobUid)?.findLast((each) => each.revision <= revision);
    return page?.ledger ?? EMPTY;
  }

  keep(jobUid: string, revision: number, ledger: Ledger): void {
    const pages = this.#pages.get(jobUid) ?? [];
    pages.push({ revision, ledger });
    this.#pages.set(jobUid, pages);
  }

  cutAfter(revision: number): void {
    for (const [uid, pages] of this.#pages) {
      this.#pages.set(
        uid,
        pages.filter((page) => page.revision <= revision),
      );
    }
  }

  keyAt(revision: number): (pod: Pod) => string {
    return ({ metadata }) => {
      const { uid = "" } = metadata;
      let trackings = 0;
      let was = false;
      for (const state of this.history.statesOf(uid)) {
        if (state.revision > revision) break;
        const is = state.object !== undefined && isTracked(state.object as Pod);
        if (is && !was) trackings++;
        was = is;
      }
      return `${uid}#${trackings}`;
    };
  }
}
