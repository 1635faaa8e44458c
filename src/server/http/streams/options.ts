/** Pure: parses the query of a stream request. */
import { badRequest } from "../../../api/errors.ts";
import { quote } from "../../../api/finding.ts";
import type { ExecRequest } from "../../../api/stream-source.ts";

export type CommandOptions = Omit<ExecRequest, "container">;

/** A problem is answered in plain text, like by kubelet. */
export function parseCommandQuery(
  query: URLSearchParams,
): CommandOptions | { readonly problem: string } {
  const tty = isSet(query, "tty");
  const options: CommandOptions = {
    command: query.getAll("command"),
    stdin: isSet(query, "stdin"),
    stdout: isSet(query, "stdout"),
    // A terminal has a single output stream.
    stderr: isSet(query, "stderr") && !tty,
    tty,
  };
  if (options.stdin || options.stdout || options.stderr) return options;
  return { problem: "you must specify at least 1 of stdin, stdout, stderr" };
}

/** True if present, unless it is "0" or "false". */
function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

const LARGEST_PORT = 65_535;

/** The ports of the older WebSocket protocol, with a pair of channels each. */
export function parsePorts(query: URLSearchParams): readonly number[] {
  const words = query.getAll("ports").flatMap((each) => each.split(","));
  if (words.length === 0) throw badRequest('query parameter "port" is required');
  return words.map((word) => {
    const port = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (!(port <= LARGEST_PORT)) throw badRequest(`unable to parse ${quote(word)} as a port`);
    if (port < 1) throw badRequest(`port ${quote(word)} must be > 0`);
    return port;
  });
}
