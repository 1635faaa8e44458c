import { expect, test } from "vitest";
import { privilegesIn } from "./enter.ts";

const tools = {
  unshare: "/usr/bin/unshare",
  nsenter: "/usr/bin/nsenter",
  setpriv: "/usr/bin/setpriv",
  mount: "/usr/bin/mount",
  umount: "/usr/bin/umount",
};

test("a command beside a run has its user, its groups and no more rights", () => {
  const status =
    "Name:\tsh\nUid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t9 10 \nNStgid:\t5\n" +
    "CapBnd:\t0000000000000021\nNoNewPrivs:\t1\n";
  expect(privilegesIn(status, tools)).toEqual([
    "/usr/bin/setpriv",
    "--bounding-set=-all,+cap_0,+cap_5",
    "--reuid=7",
    "--regid=8",
    "--groups=9,10",
    "--no-new-privs",
  ]);
});

test("one without groups is given none", () => {
  const status = "Uid:\t0\t0\nGid:\t0\t0\nGroups:\t \nNStgid:\t5\nCapBnd:\t0\nNoNewPrivs:\t0\n";
  expect(privilegesIn(status, tools)).toContain("--clear-groups");
  expect(privilegesIn(status, tools)).not.toContain("--no-new-privs");
});
