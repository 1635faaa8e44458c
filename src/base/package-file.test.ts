import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFile } from "./package-file.ts";

test("files of the package are found from its sources", () => {
  expect(JSON.parse(readFileSync(packageFile("package.json"), "utf8")).name).toBe("tallyjob");
});
