/** Requests on the indexes of a Job, as a list or single. They are read-only. */
import {
  ApiError,
  badRequest,
  expired,
  methodNotAllowed,
  notFound,
  unknownResource,
} from "../../api/errors.ts";
import {
  checkFields,
  type FieldRequirement,
  findFieldEquality,
  matchesFields,
  parseFieldSelector,
} from "../../api/selectors/field-selector-query.ts";
import { matchesLabels, parseLabelSelector } from "../../api/selectors/label-selector-query.ts";
import { STATES } from "../../ledger/index-states.ts";
import type { JobName } from "../../ledger/keys.ts";
import {
  type JobIndex,
  jobIndexCells,
  jobIndexColumns,
  LEDGER_API,
  LEDGER_GROUP,
  LEDGER_VERSION,
} from "../ledger/job-index.ts";
import { findIndex, type IndexQuery, listIndexes } from "../ledger/list-indexes.ts";
import { formatContinue, parseContinue } from "../verbs/continue-token.ts";
import {
  type ListOptions,
  parseRevision,
  refuseFuture,
  validateListOptions,
} from "../verbs/list.ts";
import type { Answer } from "./answer.ts";
import { type Endpoint, negotiate, type Representation } from "./negotiate.ts";
import { parseGetQuery, parseListQuery } from "./options.ts";
import { representPlain } from "./represent.ts";
import type { ApiServer, Request } from "./request.ts";
import type { ResourceRoute } from "./route.ts";
import { type Printed, type TableOptions, toPartialMetadata, toTable } from "./table.ts";

export function serveLedger(server: ApiServer, request: Request, route: ResourceRoute): Answer {
  const { namespace, name, subresource = "", version, watch } = route;
  const [part, index, ...more] = subresource.split("/");
  const isServed = version === LEDGER_VERSION && route.resource === "jobs" && part === "indexes";
  if (!isServed || namespace === undefined || name === undefined || watch || more.length > 0) {
    throw unknownResource();
  }
  if (request.method !== "GET") throw methodNotAllowed();
  const job = { namespace, jobName: name };
  return index === undefined
    ? serveList(server, request, job)
    : serveOne(server, request, job, index);
}

/**
 * Limits the size of a page, so that one request cannot block others; a client reads the next page.
 */
const MAX_ITEMS = 10_000;

function serveList(server: ApiServer, request: Request, job: JobName): Answer {
  const representation = representationOf(request, "list");
  const options = parseListQuery(request.query);
  if (options.watch) throw methodNotAllowed();
  validateListOptions(options);
  const query = parseIndexQuery(server, job, options);
  const page = listIndexes(server.store, job, query);
  const { revision } = server.store;
  const { last, following } = page;
  const isFiltered = Boolean(options.fieldSelector || options.labelSelector);
  const next = last === undefined ? undefined : { name: String(last) };
  const metadata = {
    resourceVersion: String(revision),
    ...(next ? { continue: formatContinue(revision, next, job.namespace) } : {}),
    ...(following && !isFiltered ? { remainingItemCount: following } : {}),
  };
  const shown = showList(server, request, representation, page.items, metadata);
  return {
    type: "bytes",
    status: 200,
    ...representPlain(representation.media, shown, ""),
    revision,
  };
}

function serveOne(server: ApiServer, request: Request, job: JobName, text: string): Answer {
  const representation = representationOf(request, "object");
  const { resourceVersion = "0" } = parseGetQuery(request.query);
  parseRevision(resourceVersion);
  refuseFuture(server, resourceVersion);
  const found = findIndex(server.store, job, parseIndex(text));
  if (!found) throw notFound({ group: LEDGER_GROUP, resource: "jobs/indexes" }, text);
  const { revision } = server.store;
  const shown = showOne(server, request, representation, found);
  return {
    type: "bytes",
    status: 200,
    ...representPlain(representation.media, shown, ""),
    revision,
  };
}

function representationOf({ accept }: Request, shape: Endpoint["shape"]): Representation {
  return negotiate(accept, { shape, tables: true, media: ["json", "yaml"] });
}

function parseIndexQuery(server: ApiServer, job: JobName, options: ListOptions): IndexQuery {
  const labels = parseLabelSelector(options.labelSelector ?? "");
  const fields = parseFieldSelector(options.fieldSelector ?? "");
  checkFields(fields, SELECTABLE);
  const byState = fields.filter(({ field }) => field === "status.state");
  // Indexes have no labels: a label selector matches all of them or none.
  const states = matchesLabels(labels, {})
    ? STATES.filter((state) => matchesFields(byState, () => state))
    : [];
  const named = nameOf(fields, job);
  return {
    states: new Set(states),
    from: Math.max(startOf(server, job, options), named ?? 0),
    end: named === undefined ? Number.POSITIVE_INFINITY : named + 1,
    limit: Math.min(options.limit || MAX_ITEMS, MAX_ITEMS),
    matches: (index) => matchesFields(fields, (field) => fieldOf(index, field)),
  };
}

const SELECTABLE = {
  kind: "JobIndex",
  namespaced: true,
  selectableFields: { "spec.index": true, "status.state": true },
};

/** The only index that the selector can match, so that the others need not be read. */
function nameOf(fields: readonly FieldRequirement[], { jobName }: JobName): number | undefined {
  const index = findFieldEquality(fields, "spec.index");
  const name = findFieldEquality(fields, "metadata.name");
  const text = index ?? (name?.startsWith(`${jobName}-`) ? name.slice(jobName.length + 1) : name);
  if (text === undefined) return undefined;
  return parseIndex(text) ?? Number.MAX_SAFE_INTEGER - 1;
}

function parseIndex(text: string): number | undefined {
  return /^(0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : undefined;
}

function fieldOf({ metadata, spec, status }: JobIndex, field: string): string {
  switch (field) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "spec.index":
      return String(spec.index);
    default:
      return status.state;
  }
}

/**
 * Each page shows the state at its own time. No index is missed or repeated, because the indexes of
 * a Job do not move. Past states are not stored, so that an exact past revision cannot be listed.
 */
function startOf(server: ApiServer, job: JobName, options: ListOptions): number {
  const { continue: token, resourceVersion = "" } = options;
  if (token) {
    const { after } = parseContinue(token, job.namespace);
    const last = parseIndex(after.name);
    if (last !== undefined && ["", "0"].includes(resourceVersion)) return last + 1;
    throw badRequest(
      last === undefined
        ? `invalid continue token: continue key is not valid: ${after.name}`
        : "specifying resource version is not allowed when using continue",
    );
  }
  const revision = parseRevision(resourceVersion || "0", "invalid resource version: ");
  refuseFuture(server, String(revision));
  if (options.resourceVersionMatch === "Exact" && revision < server.store.revision) {
    throw expired("The resourceVersion for the provided list is too old.");
  }
  return 0;
}

const PRINTED: Printed = {
  columns: jobIndexColumns,
  cells: (index, now) => jobIndexCells(index as JobIndex, now),
};

interface Typed {
  readonly kind: string;
  readonly apiVersion: string;
}

function showList(
  server: ApiServer,
  request: Request,
  { as, version = "v1" }: Representation,
  items: readonly JobIndex[],
  metadata: object,
): Typed {
  switch (as) {
    case "Table":
      return toTable(PRINTED, items, metadata, tableOptions(server, request, version));
    case "PartialObjectMetadataList": {
      const apiVersion = `meta.k8s.io/${version}`;
      const shown = items.map((item) => toPartialMetadata(item, version));
      return { kind: as, apiVersion, metadata, items: shown } as Typed;
    }
    case "PartialObjectMetadata":
      throw notAcceptable("a list", as);
    default:
      return { kind: "JobIndexList", apiVersion: LEDGER_API, metadata, items } as Typed;
  }
}

function showOne(
  server: ApiServer,
  request: Request,
  { as, version = "v1" }: Representation,
  item: JobIndex,
): Typed {
  switch (as) {
    case "Table":
      return toTable(PRINTED, [item], {}, tableOptions(server, request, version));
    case "PartialObjectMetadata":
      return toPartialMetadata(item, version) as Typed;
    case "PartialObjectMetadataList":
      throw notAcceptable("not a list", as);
    default:
      return item;
  }
}

function tableOptions(server: ApiServer, { query }: Request, version: string): TableOptions {
  const now = new Date(server.clock.nowMs());
  return { version, includeObject: query.get("includeObject"), now };
}

function notAcceptable(what: string, asked: string): ApiError {
  const message = `you requested ${asked}, but the requested object is ${what}`;
  return new ApiError(406, "NotAcceptable", message);
}
