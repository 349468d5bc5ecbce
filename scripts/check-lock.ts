// Fails when the lock file has no entry for a dependency, a peer or a platform package of one of its packages. npm
// writes such lock files without a warning, and the error appears only when the program runs.
import { readFileSync } from "node:fs";

type Entry = {
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Entry> };

/** Returns whether Node resolves `name` from `folder`, which it does in the folder and then in each folder above. */
function resolves(folder: string, name: string): boolean {
  for (let at = folder; ; at = at.includes("/") ? at.slice(0, at.lastIndexOf("/")) : "") {
    if (`${at ? `${at}/` : ""}node_modules/${name}` in packages) return true;
    if (at === "") return false;
  }
}

const missing = Object.entries(packages).flatMap(([folder, entry]) => {
  if (entry.link) return [];
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional,
  );
  const wanted = [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}), ...peers];
  return wanted.filter((name) => !resolves(folder, name)).map((name) => `${folder || "(root)"} wants ${name}`);
});

if (missing.length > 0) {
  console.error(`The lock file lacks ${missing.length} packages:\n${missing.join("\n")}`);
  process.exit(1);
}
