import { expect, test } from "vitest";
import { allVariables, inheritedVariables } from "./inherited.ts";

test("programs, libraries, home, language and time zone are inherited, and nothing else", () => {
  const server = {
    PATH: "/usr/bin",
    LD_LIBRARY_PATH: "/opt/lib",
    HOME: "/home/me",
    USER: "me",
    LOGNAME: "me",
    SHELL: "/bin/sh",
    TMPDIR: "/var/tmp",
    TZ: "Europe/Berlin",
    LANG: "C.UTF-8",
    LANGUAGE: "en",
    LC_ALL: "C",
    LC_TIME: "de_DE",
  };
  const secret = {
    KUBECONFIG: "/k",
    GITHUB_TOKEN: "t",
    LC_: "x",
    NODE_OPTIONS: "-r x",
    TERM: "vt",
  };
  expect(inheritedVariables({ ...server, ...secret })).toEqual(Object.entries(server));
});

test("there is always a path to look for programs", () => {
  const path = [["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]];
  expect(inheritedVariables({})).toEqual(path);
  expect(inheritedVariables({ PATH: "", TZ: undefined })).toEqual(path);
});

test("for one's own tasks everything is handed on, but for what a shell knows of itself", () => {
  const server = { PATH: "/bin", TOKEN: "t", EMPTY: "", PWD: "/x", SHLVL: "2", _: "node" };
  expect(allVariables(server)).toEqual([
    ["PATH", "/bin"],
    ["TOKEN", "t"],
    ["EMPTY", ""],
  ]);
});
