/**
 * Pure: the rules of Events. An event with an eventTime comes from a new recorder and must name its
 * reporter. One without comes from an old recorder and only has to be in the namespace of its
 * object.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { Event } from "../../api/generated/core.ts";
import { dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import { byteLength } from "../meta/labels.ts";
import {
  IMMUTABLE,
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";

const NAME_MAX_BYTES = 128;
const MESSAGE_MAX_BYTES = 1024;
const NAMESPACE_MISMATCH = "does not match event.namespace";

/** The name of the field for the reporter in the API group of the request. */
export type ReporterField = "reportingComponent" | "reportingController";

export function validateEvent(event: Event, reporterField: ReporterField): Finding[] {
  const { namespace = "" } = event.metadata;
  return [
    ...(isUnset(event.eventTime) ? validateOld(event) : validateNew(event, reporterField)),
    ...dns1123Subdomain(namespace).map((problem) => invalid("namespace", namespace, problem)),
  ];
}

/** The rules of events.k8s.io/v1 for a new event. */
export function validateStrictEvent(event: Event): Finding[] {
  const { type = "", source, count = 0 } = event;
  const findings = [
    ...validateEvent(event, "reportingController"),
    ...validateObjectMeta(event.metadata, { namespaced: true, nameRule: dns1123Subdomain }),
    ...validateSeries(event),
  ];
  if (isUnset(event.eventTime)) findings.push(required("eventTime"));
  if (type !== "Normal" && type !== "Warning") {
    findings.push(invalid("type", "", `has invalid value: ${type}`));
  }
  const isSet = {
    firstTimestamp: !isUnset(event.firstTimestamp),
    lastTimestamp: !isUnset(event.lastTimestamp),
    count: count !== 0,
    source: (source.component ?? source.host) !== undefined,
  };
  for (const [field, set] of Object.entries(isSet)) {
    if (set) findings.push(invalid(field, "", "needs to be unset"));
  }
  return findings;
}

/** The rules of events.k8s.io/v1 for an update: only the series may change. */
export function validateStrictEventUpdate(next: Event, old: Event): Finding[] {
  const text = (field: "reason" | "message" | "type" | "action") =>
    validateImmutable(next[field] ?? "", old[field] ?? "", field);
  const time = (field: "firstTimestamp" | "lastTimestamp" | "eventTime") =>
    validateImmutable(next[field], old[field], field);
  return [
    ...validateEvent(next, "reportingController"),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...(isEqual(next.series, old.series) ? [] : validateSeries(next)),
    ...validateReference(next.involvedObject, old.involvedObject, "involvedObject"),
    ...text("reason"),
    ...text("message"),
    ...validateSource(next, old),
    ...time("firstTimestamp"),
    ...time("lastTimestamp"),
    ...validateImmutable(next.count ?? 0, old.count ?? 0, "count"),
    ...text("reason"),
    ...text("type"),
    ...time("eventTime"),
    ...text("action"),
    ...validateReference(next.related, old.related, "related"),
    ...validateImmutable(next.reportingComponent, old.reportingComponent, "reportingController"),
    ...validateImmutable(next.reportingInstance, old.reportingInstance, "reportingInstance"),
  ];
}

function validateOld({ metadata, involvedObject }: Event): Finding[] {
  const { namespace = "" } = metadata;
  const of = involvedObject.namespace ?? "";
  const allowed = of === "" ? ["", "default"] : [of];
  if (allowed.includes(namespace)) return [];
  return [invalid("involvedObject.namespace", of, NAMESPACE_MISMATCH)];
}

function validateNew(event: Event, reporterField: ReporterField): Finding[] {
  const { namespace = "" } = event.metadata;
  const { reportingComponent, message = "" } = event;
  const findings: Finding[] = [];
  const isUnplaced = (event.involvedObject.namespace ?? "") === "";
  if (isUnplaced && namespace !== "default" && namespace !== "kube-system") {
    findings.push(invalid("involvedObject.namespace", "", NAMESPACE_MISMATCH));
  }
  if (reportingComponent === "") findings.push(required(reporterField));
  const problems = qualifiedName(reportingComponent);
  findings.push(...problems.map((problem) => invalid(reporterField, reportingComponent, problem)));
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const value = event[field] ?? "";
    if (value === "") findings.push(required(field));
    findings.push(...validateLength(value, NAME_MAX_BYTES, field));
  }
  return [...findings, ...validateLength(message, MESSAGE_MAX_BYTES, "message")];
}

/** A series needs at least two occurrences. */
function validateSeries({ series }: Event): Finding[] {
  if (series === undefined) return [];
  const { count = 0, lastObservedTime } = series;
  return [
    ...(count < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(isUnset(lastObservedTime) ? [required("series.lastObservedTime")] : []),
  ];
}

function validateLength(text: string, max: number, path: string): Finding[] {
  return byteLength(text) > max ? [invalid(path, "", `can have at most ${max} characters`)] : [];
}

function validateReference(next: Event["related"], old: Event["related"], path: string): Finding[] {
  if (isEqual(next, old)) return [];
  if (next === undefined) return [invalid(path, null, IMMUTABLE)];
  const shown = {
    Kind: next.kind ?? "",
    Namespace: next.namespace ?? "",
    Name: next.name ?? "",
    UID: next.uid ?? "",
    APIVersion: next.apiVersion ?? "",
    ResourceVersion: next.resourceVersion ?? "",
    FieldPath: next.fieldPath ?? "",
  };
  return [invalid(path, shown, IMMUTABLE)];
}

function validateSource({ source }: Event, old: Event): Finding[] {
  if (isEqual(source, old.source)) return [];
  const shown = { Component: source.component ?? "", Host: source.host ?? "" };
  return [invalid("source", shown, IMMUTABLE)];
}

function isUnset(time: string | null | undefined): boolean {
  return time === undefined || time === null;
}
