/** Pure: the string formats that Kubernetes checks. Unknown formats are accepted. */
import { isReadableIp } from "../meta/addresses.ts";

/** Whether a text matches the format; true for an unknown format. */
export function isOfFormat(format: string, text: string): boolean {
  return FORMATS[format.replaceAll("-", "").toLowerCase()]?.(text) ?? true;
}

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUIDS: { readonly [version: string]: RegExp } = {
  3: /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i,
  4: /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
  5: /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i,
};
const HOSTNAME = /^(?=.{1,255}$)[a-z0-9]([a-z0-9-]{0,62})?(\.[a-z0-9]([a-z0-9-]{0,62})?)*\.?$/i;
const DURATION = /^\s*\d+(\.\d+)?\s*[a-zµμ]+\s*$/i;
const GO_DURATION =
  /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: (text) => /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i.test(text),
  cidr: (text) => isCidr(text),
  creditcard: (text) => /^\d{13,19}$/.test(text.replace(/[^0-9]/g, "")),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text),
  datetime: (text) => DATE_TIME.test(text) && isDay(text.slice(0, 10)) && isTime(text),
  duration: (text) => text === "0" || GO_DURATION.test(text) || DURATION.test(text),
  email: (text) => /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+$/.test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  hostname: (text) => HOSTNAME.test(text),
  ipv4: (text) => isReadableIp(text) && !text.includes(":"),
  ipv6: (text) => isReadableIp(text) && text.includes(":"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  mac: (text) =>
    /^([0-9a-f]{2}[:-]){5,7}[0-9a-f]{2}$|^([0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i.test(text),
  rgbcolor: (text) => /^rgb\(\s*(\d{1,3}%?\s*,\s*){2}\d{1,3}%?\s*\)$/.test(text),
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isUri,
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUIDS["3"]?.test(text) ?? false,
  uuid4: (text) => UUIDS["4"]?.test(text) ?? false,
  uuid5: (text) => UUIDS["5"]?.test(text) ?? false,
};

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  const [, hour = "", minute = "", second = ""] = DATE_TIME.exec(text) ?? [];
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61;
}

function isCidr(text: string): boolean {
  const [address = "", length = "", ...more] = text.split("/");
  if (more.length > 0 || !isReadableIp(address) || !/^\d{1,3}$/.test(length)) return false;
  return Number(length) <= (address.includes(":") ? 128 : 32);
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S*$/i.test(text) || /^\/\S*$/.test(text);
}

function isIsbn10(text: string): boolean {
  return /^\d{9}[\dX]$/.test(text.replace(/[\s-]/g, ""));
}

function isIsbn13(text: string): boolean {
  return /^\d{13}$/.test(text.replace(/[\s-]/g, ""));
}
