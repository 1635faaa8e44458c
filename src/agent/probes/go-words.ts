/** Pure: how Go, and so kubelet, words what is wrong with a connection. */

export function connectionProblem(error: unknown, address: string): string {
  const { code = "", message = String(error) } = error as NodeJS.ErrnoException;
  const known = DIALS[code];
  if (known !== undefined) return `dial tcp ${address}: connect: ${known}`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${address.split(":")[0]}: no such host`;
  if (code === "ECONNRESET") return /hang up/.test(message) ? "EOF" : "connection reset by peer";
  return message;
}

const DIALS: { readonly [code: string]: string } = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};

/** "1s", as a duration is printed. */
export function formatSeconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
