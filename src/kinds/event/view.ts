/** Pure: converts an event between core/v1, which is the stored form, and events.k8s.io/v1. */
import type { Event } from "../../api/generated/core.ts";
import type { Event as EventView } from "../../api/generated/events.ts";

export function toStored(event: EventView): Event {
  const { reason, note, type, deprecatedCount, series, action, related } = event;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: event.metadata,
    involvedObject: event.regarding,
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { message: note }),
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
    ...(type === undefined ? {} : { type }),
    eventTime: event.eventTime ?? null,
    ...(series === undefined ? {} : { series: storedSeries(series) }),
    ...(action === undefined ? {} : { action }),
    ...(related === undefined ? {} : { related }),
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  };
}

export function fromStored(event: Event): EventView {
  const { series, reportingComponent, reportingInstance, action, reason, related } = event;
  const { message, type, count } = event;
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: event.metadata,
    eventTime: event.eventTime ?? null,
    ...(series === undefined ? {} : { series: { ...series, count: series.count ?? 0 } }),
    ...(reportingComponent === "" ? {} : { reportingController: reportingComponent }),
    ...(reportingInstance === "" ? {} : { reportingInstance }),
    ...(action === undefined ? {} : { action }),
    ...(reason === undefined ? {} : { reason }),
    regarding: event.involvedObject,
    ...(related === undefined ? {} : { related }),
    ...(message === undefined ? {} : { note: message }),
    ...(type === undefined ? {} : { type }),
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp ?? null,
    deprecatedLastTimestamp: event.lastTimestamp ?? null,
    ...(count === undefined ? {} : { deprecatedCount: count }),
  };
}

/** A count of zero is printed by one group and omitted by the other. */
function storedSeries({ count, ...rest }: NonNullable<EventView["series"]>): Event["series"] & {} {
  return count === 0 ? rest : { count, ...rest };
}
