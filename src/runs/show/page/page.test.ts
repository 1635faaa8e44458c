import fc from "fast-check";
import { expect, test } from "vitest";
import { anAttempt } from "../../../../test/builders/attempt.ts";
import { resultOf } from "../item-result.ts";
import type { RunState } from "../run-state.ts";
import { composeDurations } from "./histogram.ts";
import { reportPage } from "./page.ts";
import { composeTimeline, type Span } from "./timeline.ts";

const span = fc
  .record({ startMs: fc.nat(10_000), tookMs: fc.nat(500), hasFailed: fc.boolean() })
  .map(({ startMs, tookMs, hasFailed }): Span => {
    return { startMs, endMs: startMs + tookMs, hasFailed, title: "x" };
  });

test("a slot has one attempt at a time, and there are as many slots as concurrent attempts", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 60 }), (spans) => {
      const { blocks, slots } = composeTimeline(spans);
      expect(blocks).toHaveLength(spans.length);
      for (const one of blocks) {
        for (const other of blocks) {
          if (one === other || one.slot !== other.slot) continue;
          expect(one.endMs <= other.startMs || other.endMs <= one.startMs).toBe(true);
        }
      }
      const together = spans.map(
        ({ startMs }) => spans.filter((s) => s.startMs <= startMs && startMs <= s.endMs).length,
      );
      expect(slots).toBeLessThanOrEqual(Math.max(0, ...together));
    }),
  );
});

test("in a long run blocks contain several attempts, and none is lost", () => {
  const spans = Array.from({ length: 20_000 }, (_, n): Span => {
    const startMs = Math.floor(n / 4) * 10;
    return { startMs, endMs: startMs + 9, hasFailed: n % 1000 === 0, title: "x" };
  });
  const { blocks, slots, isBinned } = composeTimeline(spans);
  expect([slots, isBinned]).toEqual([4, true]);
  expect(blocks.length).toBeLessThan(5000);
  expect(blocks.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(20_000);
  expect(blocks.filter(({ hasFailed }) => hasFailed)).toHaveLength(20);
});

test("every duration is in exactly one bin, and the bins are contiguous", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 5000, noNaN: true })), (seconds) => {
      const { bins, count } = composeDurations(Float64Array.from(seconds));
      expect(count).toBe(seconds.length);
      expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(seconds.length);
      bins.forEach((bin, n) => {
        if (n > 0) expect(bin.fromSeconds).toBe(bins[n - 1]?.toSeconds);
      });
    }),
  );
});

test("mean, median and percentile are computed as usual", () => {
  const seconds = Float64Array.from({ length: 100 }, (_, n) => n + 1);
  const { median, p95, longest, mean } = composeDurations(seconds);
  expect({ median, p95, longest, mean }).toEqual({ median: 51, p95: 96, longest: 100, mean: 50.5 });
});

test("the page is self-contained and escapes text", () => {
  const item = '<script>alert("x")</script>';
  const attempts = [anAttempt({ exitCode: 3 })];
  const result = resultOf({ index: 1, state: "Failed", attempts }, item);
  const page = aPage({ failures: [{ result, log: "logs/a b#1.log" }], failed: 2 });
  expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/);
  expect(page).toContain("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;");
  expect(page).toContain('href="logs/a%20b%231.log"');
  expect(page).toContain("And 1 more.");
  expect(page).toContain("prefers-color-scheme: dark");
});

test("a run without attempts has a page", () => {
  expect(aPage({})).toContain("Nothing has run.");
});

test("the page states which slots and failures it leaves out", () => {
  const spans = Array.from({ length: 70 }, (): Span => {
    return { startMs: 0, endMs: 10, hasFailed: false, title: "x" };
  });
  expect(aPage({ timeline: composeTimeline(spans) })).toContain("first 64 of 70 slots");
});

function aPage(more: Partial<Parameters<typeof reportPage>[0]>): string {
  const state: RunState = {
    ...{ name: "fetch", phase: "Failed", reason: undefined, total: 10, succeeded: 8, before: 0 },
    ...{ failed: 2, active: 0, createdMs: 0, startMs: 0, endMs: 4000 },
  };
  return reportPage({
    ...{ state, command: "curl {}", failed: 0, failures: [], nowMs: 0 },
    timeline: composeTimeline([]),
    durations: composeDurations(new Float64Array()),
    ...more,
  });
}
