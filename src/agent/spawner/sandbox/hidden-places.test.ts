import {
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { notePlace } from "../../../base/known-places.ts";
import { findHiddenPlaces } from "./hidden-places.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "tally-hidden-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test("the server's own data, known places and $KUBECONFIG are hidden, each once", () => {
  const at = (...names: readonly string[]) => join(home, ...names);
  for (const name of ["data/agent", "other"]) mkdirSync(at(name), { recursive: true });
  for (const name of ["config", "data/kubeconfig"]) writeFileSync(at(name), "");
  symlinkSync(at("config"), at("link"));
  const environment = {
    XDG_STATE_HOME: at("state"),
    KUBECONFIG: `${at("link")}:${at("none")}:relative`,
  };
  for (const name of ["other", "data/kubeconfig"]) notePlace(at(name), { home, environment });
  const found = findHiddenPlaces({ dataDir: at("data"), environment, isRoot: false });
  expect(found.filter(({ path }) => path.startsWith(home))).toEqual([
    { path: at("config"), isFolder: false },
    { path: at("data"), isFolder: true },
    { path: at("other"), isFolder: true },
    { path: at("state", "tally"), isFolder: true },
  ]);
});

test.skipIf(process.getuid?.() !== 0)(
  "a link of another user does not hide files of others [needs root]",
  () => {
    const state = join(home, "state");
    mkdirSync(join(state, "tally"), { recursive: true });
    const [link, own] = [join(home, "link"), join(home, "own")];
    mkdirSync(own);
    symlinkSync("/usr/bin", link);
    writeFileSync(
      join(state, "tally", "places"),
      `${JSON.stringify(link)}\n${JSON.stringify(own)}\n`,
    );
    for (const path of [link, own, join(state, "tally"), join(state, "tally", "places")]) {
      lchownSync(path, NOBODY, NOBODY);
    }
    const environment = { XDG_STATE_HOME: state };
    const found = findHiddenPlaces({ dataDir: join(home, "none"), environment, isRoot: true });
    const paths = found.map(({ path }) => path);
    expect(paths).toContain(own);
    expect(paths).not.toContain("/usr/bin");
  },
);

const NOBODY = 65534;

test("settings that the host keeps from its users are hidden, two levels deep", () => {
  const at = (...names: readonly string[]) => join(home, "etc", ...names);
  mkdirSync(at("ssh", "deep"), { recursive: true });
  mkdirSync(at("private"), { mode: 0o700 });
  for (const name of ["passwd", "ssh/key.pub"]) writeFileSync(at(name), "", { mode: 0o644 });
  for (const name of ["shadow", "ssh/key", "ssh/deep/key"]) {
    writeFileSync(at(name), "", { mode: 0o640 });
  }
  const facts = { dataDir: home, environment: {}, settings: at() };
  const within = (isRoot: boolean) =>
    findHiddenPlaces({ ...facts, dataDir: at("none"), isRoot }).filter(({ path }) =>
      path.startsWith(at()),
    );
  expect(within(true)).toEqual([
    { path: at("private"), isFolder: true },
    { path: at("shadow"), isFolder: false },
    { path: at("ssh", "key"), isFolder: false },
  ]);
  expect(within(false)).toEqual([]);
});
