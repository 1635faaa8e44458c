/** Pure: parses and validates the query of a log request (PodLogOptions) like Kubernetes. */
import { badRequest, invalidObject } from "../../api/errors.ts";
import { type Finding, forbidden, invalid } from "../../api/finding.ts";
import type { LogRequest } from "../../api/log-source.ts";
import { parseTime } from "../../api/time.ts";
import { flag, integer } from "./options.ts";

/** If the container is "", the pod chooses. */
export function parseLogQuery(query: URLSearchParams, podName: string): LogRequest {
  const sinceTime = query.get("sinceTime");
  const request = {
    container: query.get("container") ?? "",
    follow: false,
    previous: false,
    timestamps: false,
    ...flag(query, "follow"),
    ...flag(query, "previous"),
    ...integer(query, "sinceSeconds"),
    ...(sinceTime === null ? {} : parseSinceTime(sinceTime)),
    ...flag(query, "timestamps"),
    ...integer(query, "tailLines"),
    ...integer(query, "limitBytes"),
  };
  const given = { hasSinceTime: sinceTime !== null, hasStream: query.has("stream") };
  const findings = validateLogRequest(request, given);
  if (findings.length === 0) return request;
  throw invalidObject({ group: "", kind: "PodLogOptions" }, podName, findings);
}

/** The node gets whole seconds. Go's zero time, as text "" or "null", means no bound. */
function parseSinceTime(text: string): { readonly sinceMs?: number } {
  if (text === "" || text === "null") return {};
  const time = parseTime(text);
  if ("problem" in time) throw badRequest(time.problem);
  return { sinceMs: time.seconds * 1000 };
}

const POSITIVE = "must be greater than 0";

function validateLogRequest(
  { tailLines = 0, limitBytes = 1, sinceSeconds }: LogRequest,
  { hasSinceTime, hasStream }: { readonly hasSinceTime: boolean; readonly hasStream: boolean },
): Finding[] {
  const findings: Finding[] = [];
  if (tailLines < 0) {
    findings.push(invalid("tailLines", tailLines, "must be greater than or equal to 0"));
  }
  if (limitBytes < 1) findings.push(invalid("limitBytes", limitBytes, POSITIVE));
  if (sinceSeconds !== undefined && hasSinceTime) {
    findings.push(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    findings.push(invalid("sinceSeconds", sinceSeconds, POSITIVE));
  }
  // Allowed only with the feature PodLogsQuerySplitStreams, which is off.
  if (hasStream) findings.push(forbidden("stream", "may not be specified"));
  return findings;
}
