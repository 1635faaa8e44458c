/** A server that authorizes requests, with the default roles and bindings of Kubernetes. */
import { openAdmission } from "../../src/server/admission/admission.ts";
import { openAuthorizer } from "../../src/server/authorization/authorizer.ts";
import { openDefaultRoles } from "../../src/server/authorization/ensure-default-roles.ts";
import type { User } from "../../src/server/authorization/user.ts";
import { aServer, type TestServer } from "./server.ts";

export function aGuardedServer(): TestServer {
  const open = aServer();
  const authorizer = openAuthorizer(open.store);
  const admission = openAdmission(open.store, { serviceCidr: "10.96.0.0/16", authorizer });
  const server = { ...open, admission, authorizer };
  openDefaultRoles(server).ensure();
  return server;
}

export function aUser(name: string, ...groups: readonly string[]): User {
  return { name, groups: [...groups, "system:authenticated"] };
}
