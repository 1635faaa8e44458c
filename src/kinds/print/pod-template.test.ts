import { expect, test } from "vitest";
import { containerImages, containerNames } from "./pod-template.ts";

test("containers are joined by commas, and a missing image is empty", () => {
  const spec = { containers: [{ name: "a", image: "x:1" }, { name: "b" }] };
  expect(containerNames(spec)).toBe("a,b");
  expect(containerImages(spec)).toBe("x:1,");
  expect(containerNames({ containers: null })).toBe("");
});
