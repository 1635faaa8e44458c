import { expect, test } from "vitest";
import { PathError } from "../../api/json-path.ts";
import { parseTemplate, printTemplate } from "./json-path.ts";

const PODS = {
  kind: "List",
  items: [
    { name: "a", ready: true, count: 1, "x.io/y": "dotted", ports: [80, 81] },
    { name: "b", ready: false, count: 12, ports: [] },
  ],
};

test.each([
  ["{.kind}", "List"],
  ["{$.kind}", "List"],
  ["{@.kind}", "List"],
  ["{kind}", "List"],
  ["text {.kind} text", "text List text"],
  ["{.items[*].name}", "a b"],
  ["{.items[0].name}", "a"],
  ["{.items[-1].name}", "b"],
  ["{.items[0:1].name}", "a"],
  ["{.items[0,1].name}", "a b"],
  ["{.items[0]['name','count']}", "a 1"],
  ["{.items[0].x\\.io/y}", "dotted"],
  ["{.items[0]['x.io/y']}", "dotted"],
  ["{..name}", "a b"],
  ["{.items[0].ports}", "[80,81]"],
  ["{.items[0].ready}", "true"],
  ["{.items[?(@.name=='b')].count}", "12"],
  ['{.items[?(@.name!="b")].count}', "1"],
  ["{.items[?(@.count>1)].name}", "b"],
  ["{.items[?(@.count<=12)].name}", "a b"],
  ["{.items[?(@.ready==true)].name}", "a"],
  ["{.items[?(@.x\\.io/y)].name}", "a"],
  ["{.none}", ""],
  ["{.items[*].none}", ""],
  ["{range .items[*]}{.name}={.count}{'\\n'}{end}", "a=1\nb=12\n"],
  ["{range .items[*]}{range .ports[*]}{@}{','}{end}{end}", "80,81,"],
  ["{'}'}{\"\\t\"}", "}\t"],
])("%s is %j", (template, text) => {
  expect(printTemplate(parseTemplate(template), PODS)).toBe(text);
});

test.each(["{.a", "{end}", "{range .a}", "{.a[}", "{.a[x]}"])("%s is no template", (template) => {
  expect(() => parseTemplate(template)).toThrow(PathError);
});

test("an index beyond the end is told", () => {
  expect(() => printTemplate(parseTemplate("{.items[5]}"), PODS)).toThrow(
    "array index out of bounds: index 5, length 2",
  );
});
