import { expect, test } from "vitest";
import { TablePrinter, type WireTable } from "./table.ts";

const COLUMNS = [
  { name: "Name", type: "string", format: "name" },
  { name: "Age", type: "string" },
  { name: "Node", type: "string", priority: 1 },
];

function aTable(...rows: readonly (readonly unknown[])[]): WireTable {
  const object = { metadata: { namespace: "ns", labels: { b: "2", "x.io/a": "1" } } };
  return { columnDefinitions: COLUMNS, rows: rows.map((cells) => ({ cells, object })) };
}

test("columns are as wide as their widest cell and three spaces, the last one as it is", () => {
  const table = aTable(["a", "1s", "n"], ["a-longer-name", "10s", "n"]);
  expect(new TablePrinter({}).print([table])).toBe(
    "NAME            AGE\na               1s\na-longer-name   10s\n",
  );
  expect(new TablePrinter({ isWide: true }).print([table])).toBe(
    "NAME            AGE   NODE\na               1s    n\na-longer-name   10s   n\n",
  );
});

test("namespace, kind and labels are added on request", () => {
  const options = {
    withNamespace: true,
    namePrefix: "pod/",
    labelColumns: ["x.io/a", "none"],
    withLabels: true,
  };
  expect(new TablePrinter(options).print([aTable(["p", "1s"])])).toBe(
    "NAMESPACE   NAME    AGE   A     NONE   LABELS\n" +
      "ns          pod/p   1s    1            b=2,x.io/a=1\n",
  );
});

test("headers come once, and later rows keep to the widths there were", () => {
  const printer = new TablePrinter({});
  expect(printer.print([aTable()])).toBe("");
  expect(printer.print([aTable(["a-longer-name", "1s"])])).toMatch(/^NAME/);
  const next = { columnDefinitions: null, rows: aTable(["b", "2s"]).rows ?? [] };
  expect(printer.print([next])).toBe("b               2s\n");
  expect(new TablePrinter({ hasHeaders: false }).print([aTable(["b", "2s"])])).toBe("b     2s\n");
});

test("a cell is one line, and nothing where it is null", () => {
  const print = (cell: unknown) =>
    new TablePrinter({ hasHeaders: false }).print([aTable(["x", cell])]);
  expect(print("one\ntwo")).toBe("x     one...\n");
  expect(print(null)).toBe("x     \n");
  expect(print(7)).toBe("x     7\n");
  expect(print("\u001b[1m")).toBe("x     ^[[1m\n");
});
