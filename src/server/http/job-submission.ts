/** POST of a Job with everything that belongs to it, in one commit: see verbs/submit-job. */
import type { JobSubmission } from "../../api/client.ts";
import { badRequest, methodNotAllowed, unknownResource } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { LEDGER_VERSION } from "../ledger/job-index.ts";
import { submitJob } from "../verbs/submit-job.ts";
import type { Answer } from "./answer.ts";
import { negotiate } from "./negotiate.ts";
import { managerOfAgent, parseWriteQuery } from "./options.ts";
import { representPlain } from "./represent.ts";
import type { ApiServer, Request } from "./request.ts";
import type { ResourceRoute } from "./route.ts";

/** The subresource name, of tallyjob.io jobs. */
export const SUBMISSION = "submission";

export function serveSubmission(server: ApiServer, request: Request, route: ResourceRoute): Answer {
  const { namespace, name, version, watch } = route;
  if (version !== LEDGER_VERSION || namespace === undefined || name === undefined || watch) {
    throw unknownResource();
  }
  if (request.method !== "POST") throw methodNotAllowed();
  const options = parseWriteQuery(request.query, "CreateOptions");
  const submission = parseSubmission(request.body, { namespace, name });
  const { user, userAgent } = request;
  const manager = options.fieldManager || managerOfAgent(userAgent);
  const job = submitJob(server, submission, { dryRun: false, isQuiet: true, user, manager });
  const { media } = negotiate(request.accept, { shape: "object", tables: false, media: ["json"] });
  const { revision } = server.store;
  return { type: "bytes", status: 201, ...representPlain(media, job, ""), revision };
}

function parseSubmission(
  body: Uint8Array,
  place: { readonly namespace: string; readonly name: string },
): JobSubmission {
  const { job, support = [], former, settled } = parseFields(body);
  if (!isObject(job) || !isObject(job["metadata"])) throw badRequest("job is required");
  const isMeant = job["metadata"]["name"] === place.name;
  if (!isMeant) throw badRequest("the name of the Job does not match the request");
  if (!Array.isArray(support) || !support.every(isKubeObject)) {
    throw badRequest("support must be a list of objects");
  }
  const metadata = { ...job["metadata"], namespace: place.namespace };
  return {
    job: { ...job, metadata, status: {} } as unknown as JobSubmission["job"],
    support,
    ...(former === undefined ? {} : { former: parseFormer(former) }),
    ...(settled === undefined ? {} : { settled: parseSettled(settled) }),
  };
}

function parseFields(body: Uint8Array): { readonly [field: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw badRequest("the body is not valid JSON");
  }
  if (!isObject(value)) throw badRequest("the body is not a JSON object");
  return value;
}

function parseFormer(value: unknown): NonNullable<JobSubmission["former"]> {
  const { uid, resourceVersion, leavesSupport } = isObject(value) ? value : {};
  if (typeof uid !== "string" || typeof resourceVersion !== "string") {
    throw badRequest("former must have a uid and a resourceVersion");
  }
  return { uid, resourceVersion, leavesSupport: leavesSupport === true };
}

function parseSettled(value: unknown): NonNullable<JobSubmission["settled"]> {
  const { completed, failed } = isObject(value) ? value : {};
  if (typeof completed !== "string" || typeof failed !== "string") {
    throw badRequest("settled must have the strings completed and failed");
  }
  return { completed, failed };
}

function isKubeObject(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value["metadata"]);
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
