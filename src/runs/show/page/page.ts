/** Pure: the report of a run: one page that needs nothing but itself. */

import { type ItemResult, secondsOf } from "../item-result.ts";
import { formatCount, formatTime } from "../progress.ts";
import { type RunState, tookMsOf } from "../run-state.ts";
import { endText } from "../words.ts";
import type { Durations } from "./histogram.ts";
import { html, link } from "./html.ts";
import { formatLength } from "./lengths.ts";
import { STYLE } from "./page-style.ts";
import { histogramPicture, timelinePicture } from "./pictures.ts";
import type { Timeline } from "./timeline.ts";

export interface Report {
  readonly state: RunState;
  /** As it is run for each item. */
  readonly command: string;
  readonly failed: number;
  readonly timeline: Timeline;
  readonly durations: Durations;
  /** The first of them. */
  readonly failures: readonly ReportedFailure[];
  readonly nowMs: number;
}

export interface ReportedFailure {
  readonly result: ItemResult;
  /** The path of its log as seen from the page. */
  readonly log: string | undefined;
}

export function reportPage(report: Report): string {
  const { state, command, nowMs } = report;
  const title = `${state.name}: ${state.phase}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${html(state.name)} <span class="phase ${state.phase.toLowerCase()}">${state.phase}</span></h1>
${command === "" ? "" : `<p><code>${html(command)}</code></p>`}
</header>
<section class="figures">${figures(report)}</section>
<section><h2>Timeline</h2>${timelineSection(report.timeline)}</section>
<section><h2>How long attempts took</h2>${durationSection(report.durations)}</section>
<section><h2>Failures</h2>${failureSection(report)}</section>
<footer>Written by tally at ${html(new Date(nowMs).toISOString())}.</footer>
</body>
</html>
`;
}

function figures({ state, failed, timeline, nowMs }: Report): string {
  const took = tookMsOf(state, nowMs);
  const { total, succeeded } = state;
  const left = total === undefined ? 0 : Math.max(0, total - succeeded - failed);
  const rate = took && took > 0 ? (succeeded + failed - state.before) / (took / 1000) : undefined;
  const all: readonly (readonly [string, string | undefined])[] = [
    ["items", total === undefined ? undefined : formatCount(total)],
    ["succeeded", formatCount(succeeded)],
    ["failed", formatCount(failed)],
    ["not run", left === 0 ? undefined : formatCount(left)],
    ["attempts", formatCount(timeline.attempts)],
    ["at a time, at most", formatCount(timeline.slots)],
    ["took", took === undefined ? undefined : formatTime(took)],
    ["per second", rate === undefined ? undefined : rate.toFixed(rate < 10 ? 1 : 0)],
  ];
  return all
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`<div><b>${html(value)}</b><span>${name}</span></div>`],
    )
    .join("");
}

function timelineSection(timeline: Timeline): string {
  const { attempts, isBinned, slots, drawnSlots } = timeline;
  if (attempts === 0) return "<p>Nothing has run.</p>";
  const notes = ["Each row is a slot, each block an attempt; those that failed are marked."];
  if (isBinned) {
    notes.push(
      `There were ${formatCount(attempts)} attempts: blocks stand for several that followed each ` +
        "other closely.",
    );
  }
  if (drawnSlots < slots) notes.push(`Shown are the first ${drawnSlots} of ${slots} slots.`);
  return `<p>${notes.join(" ")}</p>${timelinePicture(timeline)}`;
}

function durationSection(durations: Durations): string {
  const { count, mean, median, p95, longest } = durations;
  if (count === 0) return "<p>Nothing has run.</p>";
  const figures = [
    ["median", median],
    ["mean", mean],
    ["95 % within", p95],
    ["longest", longest],
  ] as const;
  const text = figures.map(([name, seconds]) => `${name} ${formatLength(seconds)}`).join(", ");
  return `<p>${text}</p>${histogramPicture(durations)}`;
}

function failureSection({ failures, failed }: Report): string {
  if (failed === 0) return "<p>None.</p>";
  const rows = failures.map(({ result, log }) => {
    const seconds = secondsOf(result);
    const cells = [
      html(result.item ?? ""),
      String(result.index),
      html(endText(result)),
      String(result.attempts),
      seconds === undefined ? "" : formatLength(seconds),
      log === undefined ? "" : link(log, "log"),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const head = ["item", "index", "end", "attempts", "last took", ""];
  const more = failed - failures.length;
  const note = more > 0 ? `<p>And ${formatCount(more)} more.</p>` : "";
  return (
    `<div class="wide"><table><thead><tr>${head.map((name) => `<th>${name}</th>`).join("")}` +
    `</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>${note}`
  );
}
