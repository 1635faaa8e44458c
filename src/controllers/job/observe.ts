/**
 * Updates the scoreboard of a Job with the pods that changed since the last sync. If there is no
 * scoreboard, or it no longer matches the Job, it is rebuilt from all pods. Also finds the pods to
 * adopt and to release.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { formatIndexes, parseIndexes } from "../../api/index-set.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import type { Cache } from "../../client/cache.ts";
import type { Claims } from "./claim-pods.ts";
import { isBeingDeleted } from "./job-facts.ts";
import type { JobMemory } from "./memory.ts";
import { selectorOf } from "./ownership.ts";
import { acceptReruns } from "./reruns.ts";
import {
  forgetPod,
  isOver,
  isUpToDate,
  openScoreboard,
  recordPod,
  type Scoreboard,
  settleBoard,
} from "./scoreboard.ts";

/**
 * The names of the pod cache's indexes: by owner UID, and by namespace for pods without an owner.
 */
export const OWNER_INDEX = "owner";
export const ORPHAN_INDEX = "orphan";

export interface Observed {
  readonly board: Scoreboard;
  readonly claims: Claims;
}

export function observe(memory: JobMemory, job: Job, pods: Cache<Pod>): Observed {
  const isSelected = selectorOf(job);
  const isOwn = (pod: Pod): boolean => {
    if (isSelected(pod)) return true;
    memory.claimable.add(pod.metadata.name ?? "");
    return false;
  };
  const fitting = losesAnEnd(memory, isOwn) ? undefined : fittingBoard(memory, job);
  const board = fitting ?? openBoard(memory, job, pods, isOwn);
  for (const [uid, pod] of memory.changed) {
    if (pod && isOwn(pod)) recordPod(board, pod);
    else forgetPod(board, uid);
  }
  memory.changed.clear();
  settleBoard(board);
  acceptReruns(board, job);
  const claims = isBeingDeleted(job) ? NO_CLAIMS : findClaims(memory, job, pods, isSelected);
  return { board, claims };
}

const NO_CLAIMS: Claims = { adopted: [], released: [] };

/**
 * True if a finished pod disappeared whose result no status contains. The board would then keep a
 * result that a board rebuilt after a restart could not know.
 */
function losesAnEnd({ board, basis, changed }: JobMemory, isOwn: (pod: Pod) => boolean): boolean {
  if (!board) return false;
  const hasLeft = ([uid, pod]: readonly [string, Pod | undefined]): boolean => {
    const known = board.known.get(uid);
    const isEnd = known?.isTracked && known.index !== undefined && isOver(known);
    return isEnd === true && !(pod && isOwn(pod));
  };
  if (![...changed].some(hasLeft)) return false;
  const { completed, failed } = basis;
  return formatIndexes(board.completed) !== completed || formatIndexes(board.failed) !== failed;
}

/**
 * Returns the board if it still matches the Job. It does not if somebody else edited the status or
 * changed the number of completions.
 */
function fittingBoard({ board, basis }: JobMemory, job: Job): Scoreboard | undefined {
  const { completedIndexes = "", failedIndexes = "" } = job.status;
  if (!board || basis.uid !== job.metadata.uid || !isUpToDate(board, job)) return undefined;
  const isSame = basis.completed === completedIndexes && basis.failed === failedIndexes;
  return isSame ? board : undefined;
}

function openBoard(
  memory: JobMemory,
  job: Job,
  pods: Cache<Pod>,
  isOwn: (pod: Pod) => boolean,
): Scoreboard {
  const { uid = "", namespace = "" } = job.metadata;
  const former = memory.basis.uid === uid ? memory.board : undefined;
  const { completedIndexes: completed = "", failedIndexes: failed = "" } = job.status;
  memory.changed.clear();
  if (memory.basis.uid !== uid) delete memory.unwritten;
  memory.board = openScoreboard(job, pods.find(OWNER_INDEX, uid).filter(isOwn), former);
  const failedCount = parseIndexes(failed, job.spec.completions ?? 0).size;
  memory.basis = { uid, completed, failed, failedCount };
  for (const { metadata } of pods.find(ORPHAN_INDEX, namespace)) {
    memory.claimable.add(metadata.name ?? "");
  }
  return memory.board;
}

function findClaims(
  { claimable }: JobMemory,
  { metadata }: Job,
  pods: Cache<Pod>,
  isSelected: (pod: Pod) => boolean,
): Claims {
  const adopted: Pod[] = [];
  const released: Pod[] = [];
  for (const name of claimable) {
    const pod = pods.get(metadata.namespace ?? "", name);
    const owner = pod && controllerOf(pod);
    const isGoing = pod?.metadata.deletionTimestamp !== undefined;
    if (pod && !owner && !isGoing && isSelected(pod)) adopted.push(pod);
    else if (pod && owner?.uid === metadata.uid && !isSelected(pod)) released.push(pod);
    else claimable.delete(name);
  }
  return { adopted, released };
}
