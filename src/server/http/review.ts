/** Questions of who may do what: asked by creating an object that is answered and never stored. */
import { answerReview } from "../../kinds/review/answer.ts";
import { timestamp } from "../context.ts";
import type { Answer } from "./answer.ts";
import { readObject } from "./body.ts";
import { parseWriteQuery } from "./options.ts";
import { representObject, type View } from "./represent.ts";
import type { ApiServer, ResourceRequest, User } from "./request.ts";

export function serveReview(server: ApiServer, request: ResourceRequest, view: View): Answer {
  const { kind } = request;
  const options = parseWriteQuery(request.query, "CreateOptions");
  const decoded = readObject(server, request, kind, options.fieldValidation);
  const answered = answerReview(kind, decoded.object, {
    user: userInfo(request.user),
    findUser: (token) => {
      const user = server.findUser(`Bearer ${token}`);
      return user && userInfo(user);
    },
    now: timestamp(server.clock),
  });
  const represented = representObject(kind, answered, view);
  return { type: "bytes", status: 201, ...represented, warnings: decoded.warnings, revision: 0 };
}

function userInfo({ name, groups }: User): { username: string; groups: readonly string[] } {
  return { username: name, groups };
}
