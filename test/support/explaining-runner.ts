/** Runs tests as Vitest does, and prints for one that fails what it waited for and why. */
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";
import { explain } from "./waits.ts";

export default class ExplainingRunner extends TestRunner {
  /** After the test itself, when its servers still run, and before any hook that ends them. */
  async onTaskFinished(test: RunnerTestCase): Promise<void> {
    if (test.result?.state === "fail") await printExplanation(test.name);
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    // A hook: the server may not even have started.
    const isOwn = suite.result?.errors !== undefined && suite.result.errors.length > 0;
    if (suite.result?.state === "fail" && isOwn) await printExplanation(suite.name);
  }
}

async function printExplanation(name: string): Promise<void> {
  const text = await explain();
  if (text !== "") process.stderr.write(`\nWhen "${name}" failed:\n${text}\n\n`);
}
