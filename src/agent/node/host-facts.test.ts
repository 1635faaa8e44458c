import { expect, test } from "vitest";
import { labelValue } from "../../api/names.ts";
import { architectureOf, nodeNameOf, operatingSystemOf, osImageOf } from "./host-facts.ts";

test.each([
  ["Laptop", "laptop"],
  ["my_host.local", "my-host.local"],
  [" -odd-.. ", "odd"],
  ["Åse's Mac", "se-s-mac"],
  ["", "localhost"],
  ["___", "localhost"],
  [`${"a".repeat(62)}.example`, "a".repeat(62)],
])("the host %j is the node %j", (hostName, expected) => {
  expect(nodeNameOf(hostName)).toBe(expected);
  expect(labelValue(expected)).toEqual([]);
});

test("machines are called what Go calls them", () => {
  expect(["x64", "arm64", "ia32"].map(architectureOf)).toEqual(["amd64", "arm64", "386"]);
  expect(["linux", "darwin", "win32"].map(operatingSystemOf)).toEqual([
    "linux",
    "darwin",
    "windows",
  ]);
});

test.each([
  [
    'NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "Debian GNU/Linux 12 (bookworm)",
  ],
  ["PRETTY_NAME=Alpine", "Alpine"],
  ["NAME=x", undefined],
])("the system of %j is %j", (text, expected) => {
  expect(osImageOf(text)).toBe(expected);
});
