/** Pure: what can be done about a name that is taken. */
import type { NameTaken } from "../submit/prepare.ts";

export function takenText(
  { job, isFinished }: NameTaken,
  { replace }: { readonly replace?: boolean },
): string {
  const { name } = job.metadata;
  if (isFinished) {
    return (
      `the run ${name} is finished; give --resume to run what is left of it, or --replace to ` +
      `forget it and run all anew`
    );
  }
  const hint = replace ? `; to begin anew, first: tally delete ${name}` : "";
  return `the run ${name} is not finished; give --resume to go on with it${hint}`;
}
