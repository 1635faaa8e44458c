import { expect, test } from "vitest";
import { FILES, tear } from "./torn-files.ts";

test.each(Object.keys(FILES))("%s may be cut off anywhere", async (file) => {
  const report = await tear(file, 97);
  expect(report.problems).toEqual([]);
});

test("certificates and kubeconfigs are made anew, keys to what others hold are not", async () => {
  expect(await tear("pki/server.key", 101)).toMatchObject({ isRefused: 0 });
  expect(await tear("kubeconfig", 101)).toMatchObject({ isRefused: 0, isMadeAnew: 0 });
  expect(await tear("service-accounts.key", 53)).toMatchObject({ isMadeAnew: 0 });
  expect(await tear("store/data.mdb", 500)).toMatchObject({ isMadeAnew: 0 });
});
