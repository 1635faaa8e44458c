/** Pure: the name of a run, which is that of its Job. */
import { dns1123Label, LABEL_MAX } from "../../api/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { RunRequest } from "./run-request.ts";

/** Long enough to tell commands apart, short enough to type. */
const MADE_UP_MAX = 20;

export function runName({ name, command, suffix }: RunRequest, completions: number): string {
  if (name === undefined) return `${nameOfCommand(command)}-${suffix}`;
  // The hostname of a pod is the name and the index.
  const longest = LABEL_MAX - `-${completions - 1}`.length;
  const [problem] = dns1123Label(name);
  if (problem !== undefined) {
    throw new UsageError(
      `the name ${JSON.stringify(name)} must be of lower-case letters, digits and "-", with a ` +
        "letter or digit first and last",
    );
  }
  if (name.length <= longest) return name;
  throw new UsageError(
    `the name ${JSON.stringify(name)} has ${name.length} characters: with ${completions} items ` +
      `it can have ${longest}`,
  );
}

/** The program without its folder and extension, or the first word of a script. */
function nameOfCommand([program = ""]: readonly string[]): string {
  const [word = ""] = program.trim().split(/\s/);
  const plain = word.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
  const fit = plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return fit.slice(0, MADE_UP_MAX).replace(/-+$/, "") || "run";
}
