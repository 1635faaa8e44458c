/**
 * Pure: what is different where the server is not root. A sandbox then begins with a user
 * namespace, in which the server's user has the rights over the other namespaces and over nothing
 * else; the command has a second one in that, where it is itself again, without these rights.
 *
 * See root-parts.ts for the roots of such sandboxes.
 */

/** Begins a sandbox. */
export const OWN_USERS = ["--user", "--map-root-user"] as const;

/** Enters one that was begun so. */
export const THOSE_USERS = ["--user", "--preserve-credentials"] as const;

/** Becomes oneself again, with rights over nothing, which confine.c is to give up. */
export function asOneself({ uid, gid }: { readonly uid: number; readonly gid: number }) {
  return ["--user", "--keep-caps", `--map-user=${uid}`, `--map-group=${gid}`] as const;
}
