import { expect, test } from "vitest";
import { Painter } from "./painter.ts";

/** A terminal as far as the painter uses it: lines, and a cursor that moves up and clears. */
class TestTerminal {
  lines: string[] = [""];
  row = 0;
  isCursorShown = true;
  writes = 0;

  write = (text: string): void => {
    this.writes++;
    for (const [token] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
      this.take(token);
    }
  };

  text(): string {
    return this.lines.join("\n").trimEnd();
  }

  private take(token: string): void {
    if (token === "\n") {
      this.row++;
      this.lines[this.row] ??= "";
    } else if (token === "\r") {
      return;
    } else if (token.endsWith("A") && token.startsWith("\u001b")) {
      this.row -= Number(token.slice(2, -1));
    } else if (token === "\u001b[J") {
      this.lines.length = this.row;
      this.lines[this.row] = "";
    } else if (token === "\u001b[?25l" || token === "\u001b[?25h") {
      this.isCursorShown = token.endsWith("h");
    } else if (token !== "\u001b[K") {
      this.lines[this.row] = token;
    }
  }
}

test("lines are replaced in place, and removed if there are fewer", () => {
  const terminal = new TestTerminal();
  const painter = new Painter(terminal);
  painter.paint(["one", "two", "three"]);
  painter.paint(["uno", "due"]);
  expect(terminal.text()).toBe("uno\ndue");
});

test("other output is printed above the lines", () => {
  const terminal = new TestTerminal();
  const painter = new Painter(terminal);
  painter.paint(["live"]);
  painter.clear();
  terminal.write("printed\n");
  painter.paint(["live"]);
  expect(terminal.text()).toBe("printed\nlive");
});

test("unchanged lines are not written again", () => {
  const terminal = new TestTerminal();
  const painter = new Painter(terminal);
  painter.paint(["same"]);
  const before = terminal.writes;
  painter.paint(["same"]);
  expect(terminal.writes).toBe(before);
});

test("the cursor is hidden while lines are live, and restored when they are removed", () => {
  const terminal = new TestTerminal();
  const painter = new Painter(terminal);
  painter.paint(["live"]);
  expect(terminal.isCursorShown).toBe(false);
  painter.close();
  expect([terminal.isCursorShown, terminal.text()]).toEqual([true, ""]);
});

test("the cursor is restored however the process ends", () => {
  const terminal = new TestTerminal();
  const before = process.listeners("exit");
  const painter = new Painter(terminal);
  painter.paint(["live"]);
  const [restore] = process.listeners("exit").filter((each) => !before.includes(each));
  restore?.(0);
  expect(terminal.isCursorShown).toBe(true);
  painter.close();
  expect(process.listeners("exit")).toEqual(before);
});
