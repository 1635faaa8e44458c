/** Metrics about the requests of a server, with the names that /metrics shows. */
import type { Metrics } from "../../base/metrics.ts";
import type { ApiServer } from "./request.ts";
import { UNREAD_ANSWER_LIMITS, Unread } from "./unread.ts";

export function measured(
  metrics: Metrics,
): Pick<ApiServer, "metrics" | "exceptions" | "unread" | "unreadAnswers"> {
  const help = "Exceptions of single requests, which were answered with 500 or closed.";
  const exceptions = metrics.counter("tally_http_exceptions_total", help, ["outcome"]);
  for (const outcome of ["answered", "closed"]) exceptions.add({ outcome }, 0);
  const unread = new Unread();
  const unreadAnswers = new Unread(UNREAD_ANSWER_LIMITS);
  const held = "Bytes that clients have not taken yet; what connections share counts once.";
  metrics
    .gauge("tally_http_unread_bytes", held)
    .follow({}, () => unread.bytes + unreadAnswers.bytes);
  const dropped = "Connections that were closed because their client did not read.";
  const closed = metrics.counter("tally_http_unread_closed_total", dropped);
  closed.add({}, 0);
  for (const each of [unread, unreadAnswers]) each.onClosed = () => closed.add({});
  return { metrics, exceptions, unread, unreadAnswers };
}
