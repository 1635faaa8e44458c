/** Pure: the report of a run as one self-contained HTML page. */

import { type ItemResult, secondsOf } from "../item-result.ts";
import { endText } from "../item-text.ts";
import { formatCount, formatLength, formatTime } from "../progress.ts";
import { type RunState, tookMsOf } from "../run-state.ts";
import type { Durations } from "./histogram.ts";
import { html, link } from "./html.ts";
import { histogramPicture, timelinePicture } from "./pictures.ts";
import type { Timeline } from "./timeline.ts";

export interface Report {
  readonly state: RunState;
  /** The command that runs for each item. */
  readonly command: string;
  readonly failed: number;
  readonly timeline: Timeline;
  readonly durations: Durations;
  /** The first of them, up to a limit. */
  readonly failures: readonly ReportedFailure[];
  readonly nowMs: number;
}

export interface ReportedFailure {
  readonly result: ItemResult;
  /** The path of its log, relative to the page. */
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

/** Light and dark, as the reader's system prefers. */
const STYLE = `
:root { --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --page: #fff; --tile: #f5f7fa;
  --good: #2f7d4f; --block: #7fb898; --bad: #c23b3b; --mark: #e06c6c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #333c48;
  --page: #14181e; --tile: #1d232b; --good: #6cc48f; --block: #3f7f5c; --bad: #f08080;
  --mark: #c85050; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p { color: var(--soft); margin: .3rem 0; } code { overflow-wrap: anywhere; }
.phase { font-size: .9rem; font-weight: 600; padding: .15rem .6rem; border-radius: 1rem;
  border: 1px solid currentColor; vertical-align: middle; }
.succeeded { color: var(--good); } .failed { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1rem; }
.figures div { background: var(--tile); border-radius: .5rem; padding: .5rem .9rem; }
.figures b { display: block; font-size: 1.25rem; } .figures span { color: var(--soft); }
svg { display: block; width: 100%; height: auto; margin-top: .5rem; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .axis { stroke: var(--line); } svg .ok { fill: var(--block); } svg .no { fill: var(--mark); }
svg rect:hover { opacity: .7; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th { text-align: left; color: var(--soft); font-weight: 500; }
td, th { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; }
td:first-child { overflow-wrap: anywhere; } a { color: inherit; }
footer { color: var(--soft); margin-top: 2.5rem; font-size: .85rem; }
`;
