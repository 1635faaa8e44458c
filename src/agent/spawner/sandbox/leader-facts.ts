/**
 * What a container may change of the process that leads its seat, if both have the same user: its
 * limits, priority, processors and score for the out-of-memory killer. Later containers in the seat
 * would inherit it.
 */
import { readFileSync } from "node:fs";

/** Equal texts mean that nothing was changed. */
export function readLeader(pid: number): string {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "latin1");
    const status = read("status").match(/^(Cpus|Mems)_allowed:.*$/gm) ?? [];
    const stat = read("stat");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const scheduling = [PRIORITY, NICE, REALTIME_PRIORITY, POLICY].map((at) => fields[at - FIRST]);
    return [read("limits"), read("oom_score_adj"), ...status, ...scheduling].join("\n");
  } catch {
    return `process ${pid} is gone`;
  }
}

/** Numbers of fields in proc_pid_stat(5). The first after the name of the program is 3. */
const FIRST = 3;
const PRIORITY = 18;
const NICE = 19;
const REALTIME_PRIORITY = 40;
const POLICY = 41;
