import { expect, test } from "vitest";
import { privilegesIn } from "./enter.ts";

test("a command beside a container has its user, its groups and no more rights", () => {
  const status =
    "Name:\tsh\nUid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t9 10 \nNStgid:\t5\n" +
    "CapBnd:\t0000000000000021\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n";
  const expected = ["-c0000000000000021", "-u7", "-g8", "-G9,10", "-n"];
  expect(privilegesIn(status, {})).toEqual(expected);
  const rootless = { hostname: "/bin/hostname", uid: 7, gid: 8 };
  expect(privilegesIn(status, { rootless })).toEqual(["-c0000000000000021", "-n"]);
});

test("a command beside a privileged container without groups has all rights and no groups", () => {
  const status =
    "Uid:\t0\t0\nGid:\t0\t0\nGroups:\t \nNStgid:\t5\nCapBnd:\tff\nNoNewPrivs:\t0\nSeccomp:\t0\n";
  expect(privilegesIn(status, {})).toEqual(["-u0", "-g0", "-G"]);
});
