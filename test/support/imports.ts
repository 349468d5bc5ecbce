import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** One import of a source file. */
export type Import = { file: string; target: string; typeOnly: boolean };

/** Every source file of the packages. */
export const sources = globSync("packages/*/src/**/*.{ts,tsx}");
/** Every import of every source file. */
export const imports = sources.flatMap(importsOf);

/** Returns every import of a file. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)";|import\("([^"]+)"\)|new URL\("(\.[^"]+)", import\.meta\.url\)/gm,
  );
  return [...found].map(([, type, from, dynamic, url]) => ({
    file,
    target: (from ?? dynamic ?? url)!,
    typeOnly: type !== undefined,
  }));
}

/** Returns the name of the folder of a file's package. */
export const packageOf = (file: string) => file.split("/")[1]!;

/** Returns the path of the file that a relative import names. */
export function resolved({ file, target }: Import): string {
  return normalize(join(dirname(file), target));
}

/** Returns the files of `test` that a file of it loads, directly or through other files. */
export function filesLoadedBy(file: string, loaded = new Set<string>()): Set<string> {
  for (const one of importsOf(file)) {
    const target = resolved(one);
    if (one.typeOnly || !target.startsWith("test/") || !target.endsWith(".ts") || loaded.has(target)) continue;
    loaded.add(target);
    if (existsSync(target)) filesLoadedBy(target, loaded);
  }
  return loaded;
}

/** Returns imports as lines for the message of a failed check. */
export const offenders = (list: Import[]): string[] => list.map(({ file, target }) => `${file} imports ${target}`);

/** Returns every cycle of a graph of files. */
export function cyclesOf(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) cycles.push([...trail.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
