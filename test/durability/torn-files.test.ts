import { expect, test } from "vitest";
import { FILES, tear } from "./torn-files.ts";

test.each(Object.keys(FILES))("%s can be truncated anywhere", async (file) => {
  const report = await tear(file, 97);
  expect(report.problems).toEqual([]);
});

test("truncated certificates and kubeconfigs are recreated, shared keys are not", async () => {
  expect(await tear("pki/server.key", 101)).toMatchObject({ isRefused: 0 });
  expect(await tear("kubeconfig", 101)).toMatchObject({ isRefused: 0, isMadeAnew: 0 });
  expect(await tear("service-accounts.key", 53)).toMatchObject({ isMadeAnew: 0 });
  expect(await tear("store/data.mdb", 500)).toMatchObject({ isMadeAnew: 0 });
});
