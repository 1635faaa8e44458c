import { expect, test } from "vitest";
import { isTimeZone } from "./time-zone.ts";

test.each([
  "UTC",
  "Europe/Paris",
  "America/Argentina/Buenos_Aires",
  "America/Port-au-Prince",
  "America/Port_of_Spain",
  "Africa/Dar_es_Salaam",
  "US/Pacific",
  "Etc/GMT+5",
  "EST5EDT",
  "GB-Eire",
  "NZ-CHAT",
  "W-SU",
  "Asia/Calcutta",
  "Asia/Kolkata",
  "Europe/Kyiv",
  "Zulu",
])("%s is a time zone", (name) => {
  expect(isTimeZone(name)).toBe(true);
});

test.each([
  "Mars/Olympus",
  "utc",
  "europe/paris",
  "EUROPE/PARIS",
  "ETC/GMT+5",
  "us/pacific",
  "ZULU",
  "PST",
  "SystemV/PST8",
  "Local",
  " UTC",
  "+01:00",
])("%s is not a time zone", (name) => {
  expect(isTimeZone(name)).toBe(false);
});
