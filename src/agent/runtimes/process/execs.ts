/**
 * Commands beside the runs of containers, as hooks are: runs of their own to the spawner, named
 * after the one they belong to, and on record as long as that one is. So whoever asks for one a
 * second time, be it the next server, hears how the first time went.
 */
import { formatRunName, parseRunName, type RunName } from "../../spawner/protocol.ts";
import type { ExecRequest } from "../runtime.ts";

/** No container has it in its name. */
const MARK = ":";

export function execName({ of, name }: Pick<ExecRequest, "of" | "name">): RunName {
  return formatRunName({ ...of, container: `${of.container}${MARK}${name}` });
}

export function isExec(run: RunName): boolean {
  return run.includes(ESCAPED_MARK);
}

const ESCAPED_MARK = encodeURIComponent(MARK);

export class Execs {
  /** By the run they are beside. */
  private readonly known = new Map<RunName, Set<RunName>>();
  private readonly waiting = new Map<RunName, ((exitCode: number) => void)[]>();

  /** Settles when it is over. One that is beside no run is forgotten then. */
  expect(beside: RunName | undefined, exec: RunName): Promise<number> {
    if (beside !== undefined) this.add(beside, exec);
    return new Promise((resolve) => {
      this.waiting.set(exec, [...(this.waiting.get(exec) ?? []), resolve]);
    });
  }

  /** One of an earlier server's. */
  recall(run: RunName): void {
    if (isExec(run)) this.add(besideOf(run), run);
  }

  neverBegan(exec: RunName): void {
    this.waiting.delete(exec);
  }

  /** Whether anybody may still ask for it. */
  ended(exec: RunName, exitCode: number): boolean {
    for (const resolve of this.waiting.get(exec) ?? []) resolve(exitCode);
    this.waiting.delete(exec);
    return this.known.get(besideOf(exec))?.has(exec) === true;
  }

  of(beside: RunName): Iterable<RunName> {
    return this.known.get(beside) ?? NONE;
  }

  /** The run is forgotten, and with it these. */
  leave(beside: RunName): readonly RunName[] {
    if (this.known.size === 0) return NONE;
    const execs = [...(this.known.get(beside) ?? NONE)];
    this.known.delete(beside);
    return execs;
  }

  private add(beside: RunName, exec: RunName): void {
    const known = this.known.get(beside) ?? new Set();
    this.known.set(beside, known.add(exec));
  }
}

const NONE: readonly RunName[] = [];

function besideOf(exec: RunName): RunName {
  const id = parseRunName(exec);
  return formatRunName({ ...id, container: id.container.slice(0, id.container.indexOf(MARK)) });
}
