/** Vitest's runner; when a test fails, it also prints what the test was waiting for and why. */
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";
import { explain } from "./waits.ts";

export default class ExplainingRunner extends TestRunner {
  /**
   * Runs after the test and before its hooks stop the servers, so that the servers can be asked.
   */
  async onTaskFinished(test: RunnerTestCase): Promise<void> {
    if (test.result?.state === "fail") await printExplanation(test.name);
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    // A hook failed: perhaps the server did not even start.
    const isOwn = suite.result?.errors !== undefined && suite.result.errors.length > 0;
    if (suite.result?.state === "fail" && isOwn) await printExplanation(suite.name);
  }
}

async function printExplanation(name: string): Promise<void> {
  const text = await explain();
  if (text !== "") process.stderr.write(`\nWhen "${name}" failed:\n${text}\n\n`);
}
