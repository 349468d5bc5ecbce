import { cpSync, existsSync, globSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";

/** Writes a file, and creates its folder if necessary. */
export function writeIn(folder: string, file: string, content: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Returns code without the reference to its source map, which no pack contains. */
const withoutSourceMap = (code: string): string => code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");

/**
 * Copies the compiled modules of one of this project's packages. Copies only modules that have a source, because the compiler's
 * folder can also contain modules of deleted sources.
 */
export function copyCompiled(name: string, folder: string): void {
  const root = `packages/${name}`;
  for (const source of globSync("**/*.ts", { cwd: `${root}/src` })) {
    const file = source.replace(/\.ts$/, ".js");
    writeIn(folder, file, withoutSourceMap(readFileSync(join(root, "dist", file), "utf8")));
  }
  for (const file of globSync("**/*.json", { cwd: `${root}/src` })) cpSync(join(root, "src", file), join(folder, file));
}

const SPECIFIER = /(\bfrom |\bimport\(|\bimport )"([^"]+)"/g;
const isComment = (line: string) => /^\s*(\*|\/[/*])/.test(line);

/**
 * Copies the type declarations that the entry files import, directly or through others. Copies declarations of the contract into
 * `folder/contract`, and changes imports of `@svc/contract` to this folder.
 */
export function copyDeclarations(entries: readonly string[], folder: string): void {
  const copied = new Set<string>();
  const copy = (path: string): string => {
    const place = path.replace(/^packages\/contract\/dist\//, "contract/").replace(/^packages\/[\w-]+\/dist\//, "");
    if (copied.has(path)) return place;
    copied.add(path);
    const lines = readFileSync(path, "utf8").split("\n");
    const changed = lines.map((line) => (isComment(line) ? line : line.replaceAll(SPECIFIER, changeSpecifier)));
    writeIn(folder, place, changed.join("\n"));
    return place;

    function changeSpecifier(whole: string, keyword: string, specifier: string): string {
      const target = declarationOf(specifier, path);
      if (target === undefined) return whole;
      const to = relative(dirname(place), copy(target)).replace(/\.d\.ts$/, ".js");
      return `${keyword}"${to.startsWith(".") ? to : `./${to}`}"`;
    }
  };
  for (const entry of entries) copy(entry);
}

/** Returns the declaration file for an import; undefined if the import is of another package or of Node. */
function declarationOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(from), specifier).replace(/\.(ts|js)$/, ".d.ts");
  if (!specifier.startsWith("@svc/")) return undefined;
  const [, entry = "index"] = /^@svc\/contract(?:\/(\w+))?$/.exec(specifier) ?? [undefined, "missing"];
  const path = `packages/contract/dist/${entry}.d.ts`;
  if (!existsSync(path)) throw new Error(`${from} imports ${specifier}, and its types are not in the pack.`);
  return path;
}
