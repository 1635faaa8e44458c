import { expect, test } from "vitest";
import { findingsInSpec } from "../../../test/builders/pod.ts";

test.each<[string, object, string[]]>([
  [
    "an address must not have leading zeros or be IPv4-mapped",
    {
      dnsConfig: { nameservers: ["010.0.0.1", "::ffff:1.2.3.4"] },
      hostAliases: [{ ip: "1.2.3.04" }],
    },
    [
      'dnsConfig.nameservers[0]: Invalid value: "010.0.0.1": must not have leading 0s',
      'dnsConfig.nameservers[1]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped ' +
        "IPv6 address",
      'hostAliases[0].ip: Invalid value: "1.2.3.04": must not have leading 0s',
    ],
  ],
  ["an operating system has a name", { os: { name: "" } }, ["os.name: Required value"]],
  [
    "hostnameOverride excludes host networking and setHostnameAsFQDN",
    { hostnameOverride: "a", hostNetwork: true, setHostnameAsFQDN: true },
    [
      "hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
      "hostnameOverride: Forbidden: may not be specified when hostNetwork is true",
    ],
  ],
])("%s", (_, spec, findings) => {
  expect(findingsInSpec({ ...spec })).toEqual(findings.map((finding) => `t.spec.${finding}`));
});
