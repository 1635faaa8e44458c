/** Tests that need a real control plane. Without one they are skipped, with the reason. */
import { afterAll, beforeAll, type TestContext, test } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type Binaries, type FoundBinaries, findBinaries } from "./find-binaries.ts";

export interface BinaryTest {
  readonly binaries: Binaries;
  readonly atEnd: TestContext["onTestFinished"];
}

export interface ClusterTest extends BinaryTest {
  readonly cluster: ControlPlane;
}

type Check<Context> = (name: string, check: (context: Context) => Promise<void>) => void;

const BUILD_MS = 3_600_000;

/** Each test starts the programs that it needs. */
export function binaryTests(): Check<BinaryTest> {
  let found: FoundBinaries = { missing: "not looked for yet" };
  beforeAll(async () => {
    found = await findBinaries();
  }, BUILD_MS);
  return (name, check) => {
    test(name, async (context) => {
      if ("missing" in found) return context.skip(`no control plane: ${found.missing}`);
      await check({ binaries: found, atEnd: context.onTestFinished });
    });
  };
}

/** All tests of a file share one control plane. */
export function clusterTests(): Check<ClusterTest> {
  let cluster: ControlPlane | undefined;
  const check = binaryTests();
  afterAll(() => cluster?.dispose());
  return (name, checkOn) => {
    check(name, async (context) => {
      cluster ??= await startControlPlane(context.binaries);
      await checkOn({ ...context, cluster });
    });
  };
}
