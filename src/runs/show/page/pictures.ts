/** Pure: the pictures of the report as SVG. They scale with the page and use its colours. */
import { formatLength, formatTime } from "../progress.ts";
import type { Durations } from "./histogram.ts";
import { html } from "./html.ts";
import type { Block, Timeline } from "./timeline.ts";

const WIDTH = 1000;
const LEFT = 34;
const AXIS = 22;

export function timelinePicture(timeline: Timeline): string {
  const { startMs, endMs, blocks, drawnSlots } = timeline;
  const row = drawnSlots > 24 ? 8 : 16;
  const height = drawnSlots * row;
  const perMs = (WIDTH - LEFT) / Math.max(1, endMs - startMs);
  const drawn = blocks.map((block) => blockRect(block, { startMs, perMs, row }));
  const labels = [0, drawnSlots - 1]
    .filter((slot, at, all) => all.indexOf(slot) === at)
    .map((slot) => `<text x="0" y="${slot * row + row - 3}">${slot + 1}</text>`);
  const axis = timeAxis(height, endMs - startMs);
  return picture(height + AXIS, "what ran when", [...labels, ...drawn, axis]);
}

interface Scale {
  readonly startMs: number;
  readonly perMs: number;
  readonly row: number;
}

function blockRect(block: Block, { startMs, perMs, row }: Scale): string {
  const x = LEFT + (block.startMs - startMs) * perMs;
  // An attempt without duration is visible, too.
  const width = Math.max(0.6, (block.endMs - block.startMs) * perMs - 0.3);
  const took = formatLength((block.endMs - block.startMs) / 1000);
  const title = block.attempts > 1 ? `${block.attempts} attempts` : `${block.title}, ${took}`;
  return (
    `<rect class="${block.hasFailed ? "no" : "ok"}" x="${x.toFixed(1)}" ` +
    `y="${block.slot * row}" width="${width.toFixed(1)}" height="${row - 2}">` +
    `<title>${html(title)}</title></rect>`
  );
}

const TICKS = 5;

function timeAxis(y: number, spanMs: number): string {
  const marks = Array.from({ length: TICKS + 1 }, (_, n) => {
    const x = LEFT + ((WIDTH - LEFT) * n) / TICKS;
    const anchor = n === 0 ? "start" : n === TICKS ? "end" : "middle";
    const text = formatTime((spanMs * n) / TICKS);
    return `<text x="${x}" y="${y + 16}" text-anchor="${anchor}">${text}</text>`;
  });
  return `<path class="axis" d="M${LEFT} ${y + 1}H${WIDTH}"/>${marks.join("")}`;
}

const BARS = 160;

export function histogramPicture({ bins }: Durations): string {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const width = (WIDTH - LEFT) / Math.max(1, bins.length);
  const every = Math.max(1, Math.ceil(bins.length / 8));
  const parts = bins.flatMap(({ fromSeconds, toSeconds, count }, n) => {
    const height = count === 0 ? 0 : Math.max(1.5, (count / most) * BARS);
    const x = LEFT + n * width;
    const range = `${formatLength(fromSeconds)} to ${formatLength(toSeconds)}`;
    const bar =
      `<rect class="ok" x="${x.toFixed(1)}" y="${(BARS - height).toFixed(1)}" ` +
      `width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}">` +
      `<title>${count} took ${range}</title></rect>`;
    const label = `<text x="${x.toFixed(1)}" y="${BARS + 16}">${formatLength(fromSeconds)}</text>`;
    return n % every === 0 ? [bar, label] : [bar];
  });
  const scale = `<text x="0" y="10">${most}</text>`;
  const axis = `<path class="axis" d="M${LEFT} ${BARS + 1}H${WIDTH}"/>`;
  return picture(BARS + AXIS, "how long attempts took", [scale, ...parts, axis]);
}

function picture(height: number, label: string, parts: readonly string[]): string {
  const size = `viewBox="0 0 ${WIDTH} ${height}"`;
  return `<svg ${size} role="img" aria-label="${label}">\n${parts.join("\n")}\n</svg>`;
}
