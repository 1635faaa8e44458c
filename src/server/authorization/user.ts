/** Pure: the user of a request, as authenticated. */
import type { UserInfo } from "../../api/generated/authentication.ts";

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  /** The user who impersonates this one. */
  readonly impersonator?: User;
}

export function userInfo({ name, uid, groups, extra }: User): UserInfo {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}

export const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Members of this group may do everything, whatever the rules say. */
const ALMIGHTY = "system:masters";

export function isAlmighty({ groups }: User): boolean {
  return groups.includes(ALMIGHTY);
}

export const AUTHENTICATED = "system:authenticated";
