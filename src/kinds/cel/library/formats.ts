/** Pure: the formats of Kubernetes names, and the problems of a text that does not match. */
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  type NameRule,
  prefixOf,
  qualifiedName,
} from "../../../api/names.ts";
import { isOfFormat } from "../../customresource/formats.ts";
import type { Library } from "../functions.ts";
import { Opaque, Optional } from "../value.ts";

const is = (format: string): NameRule => {
  return (text) => (isOfFormat(format, text) ? [] : [`invalid ${format}`]);
};

const RULES: { readonly [name: string]: NameRule } = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  labelValue,
  dns1123LabelPrefix: prefixOf(dns1123Label),
  dns1123SubdomainPrefix: prefixOf(dns1123Subdomain),
  dns1035LabelPrefix: prefixOf(dns1035Label),
  uri: is("uri"),
  uuid: is("uuid"),
  byte: is("byte"),
  date: is("date"),
  datetime: is("datetime"),
};

const named = (name: string) => new Opaque("Format", RULES[name], name);

export const formats: Library = {
  ...Object.fromEntries(
    Object.keys(RULES).map((name) => [`@format.${name}(): Format`, () => named(name)]),
  ),
  "@format.named(string): optional<Format>": ([name]) =>
    Object.hasOwn(RULES, name as string) ? new Optional(named(name as string)) : new Optional(),
  "Format.validate(string): optional<list<string>>": ([format, text], step) => {
    step((text as string).length / 10);
    const problems = ((format as Opaque).content as NameRule)(text as string);
    return problems.length === 0 ? new Optional() : new Optional(problems);
  },
};
