import { expect, test } from "vitest";
import { filesOf, mountOf, parseMounts } from "./host-mounts.ts";

const MOUNTINFO = [
  "21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
  "22 21 0:5 / /proc rw - proc proc rw",
  "23 21 254:1 / /data\\040disk rw - xfs /dev/vdb rw",
  "24 21 0:9 / /tmp rw - tmpfs tmpfs rw",
  "25 21 0:10 / /run/user/1000 rw - tmpfs tmpfs rw",
  "26 21 0:11 / /scratch rw - tmpfs tmpfs rw",
  "27 21 254:2 / /boot rw - ext4 /dev/vda1 rw",
  "",
].join("\n");

test("a mount has an id, a place and a type", () => {
  expect(parseMounts(MOUNTINFO)[2]).toEqual({ id: "23", path: "/data disk", type: "xfs" });
});

test.each([
  ["/etc/hosts", "21"],
  ["/data disk/a", "23"],
  ["/data diskette", "21"],
  ["/tmp", "24"],
])("%s is on mount %s", (path, id) => {
  expect(mountOf(parseMounts(MOUNTINFO), path)?.id).toBe(id);
});

test("a later mount at the same place hides the earlier one", () => {
  const again = `${MOUNTINFO}30 24 0:30 / /tmp rw - tmpfs tmpfs rw\n`;
  expect(mountOf(parseMounts(again), "/tmp/x")?.id).toBe("30");
});

test("a root has the disks of the host and its /tmp, and nothing of the system", () => {
  expect(filesOf(parseMounts(MOUNTINFO))).toEqual(["/tmp", "/data disk"]);
});
