import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions, type OutputFile, type Plugin } from "esbuild";
import { COMMANDS } from "../../packages/cli/src/command-table.ts";
import { ENTRIES } from "../../packages/server/src/assets.ts";
import { packageFolder } from "./packages.ts";

const root = join(import.meta.dirname, "../..");
const sources = join(root, "packages/server/src");
const here = (name: string) => join(import.meta.dirname, name);

/** The start files of the service's threads and processes. The code expects them in its own folder. */
const ofService = Object.fromEntries(
  Object.entries(ENTRIES).map(([name, path]) => [name, join(sources, `${path}.ts`)]),
);

const FLAT: BuildOptions = {
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node24",
  conditions: ["svc-source"],
  legalComments: "none",
  logOverride: { "direct-eval": "silent" },
  // CommonJS packages load Node's modules by `require`, which ES modules do not have.
  banner: {
    js: 'import { createRequire as svcRequire } from "node:module"; const require = svcRequire(import.meta.url);',
  },
};

/** Native libraries. The key is the path in the program's folder, and the value is the file to copy. */
type Libraries = Map<string, string>;

/**
 * Writes the code of the program into `folder`: all modules in one level, and each start file of the service under its name.
 * Returns the native libraries that the code loads. `native` is the name of the system in the names of native packages.
 */
export async function writeCode(folder: string, native: string): Promise<Libraries> {
  const libraries: Libraries = new Map();
  await build({
    ...FLAT,
    entryPoints: { main: here("main.ts"), ...ofService },
    outdir: folder,
    // Shortening identifiers as well would add a call for each function to restore its name.
    minifySyntax: true,
    minifyWhitespace: true,
    // The package for WebSockets would otherwise look for native modules in the folders above the program.
    define: { "process.env.WS_NO_BUFFER_UTIL": '"1"', "process.env.WS_NO_UTF_8_VALIDATE": '"1"' },
    plugins: [commandTable, builtPages, noTracingOfSignIn, packageFiles, nativeLibraries(native, libraries)],
  });
  escapeLetters(folder);
  await build({
    entryPoints: { start: here("start.cts") },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    platform: "node",
    format: "cjs",
    target: "node24",
  });
  return libraries;
}

/**
 * Returns the code of programs in a checkout, together with the start files of the service, as files of `folder`. Native libraries,
 * the pages and files of packages stay where npm installed them.
 */
export async function codeOfCheckout(programs: Record<string, string>, folder: string): Promise<OutputFile[]> {
  const { outputFiles } = await build({
    ...FLAT,
    entryPoints: { ...programs, ...ofService },
    outdir: folder,
    write: false,
    // Specs import ClickHouse's client, a CommonJS package, by the names of its exports.
    external: ["better-sqlite3", "@duckdb/node-bindings", "@clickhouse/client", "*.node"],
    plugins: [commandTable, sourcesOfPages, noTracingOfSignIn],
  });
  return outputFiles;
}

/** Writes the boot code of the executable into `file`. */
export async function writeBoot(file: string): Promise<void> {
  await build({
    entryPoints: [here("boot.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    minify: true,
  });
}

/** Replaces the search for the files of commands by a table of these files. */
const commandTable: Plugin = {
  name: "command-table",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]cli[\\/]src[\\/]command-table\.ts$/ }, ({ path }) => {
      const entries = Object.entries(COMMANDS).map(([id, { summary }]) => {
        const file = JSON.stringify(`./commands/${id.replaceAll(":", "/")}.ts`);
        return `${JSON.stringify(id)}: { summary: () => ${JSON.stringify(summary())}, load: () => import(${file}) },`;
      });
      return {
        contents: `export const COMMANDS = {\n${entries.join("\n")}\n};`,
        loader: "ts",
        resolveDir: dirname(path),
      };
    });
  },
};

/** Includes only the built pages, and not the program that builds them. */
const builtPages: Plugin = {
  name: "built-pages",
  setup({ onResolve }) {
    onResolve({ filter: /^@svc\/web$/ }, () => ({ path: join(root, "packages/web/folder.js") }));
  },
};

/** Lets a service of a checkout build the pages from the folder of their sources. */
const sourcesOfPages: Plugin = {
  name: "sources-of-pages",
  setup({ onResolve }) {
    const { href } = pathToFileURL(join(root, "packages/web/build.ts"));
    onResolve({ filter: /^@svc\/web$/ }, () => ({ path: href, external: true }));
  },
};

/** Leaves out the tracing of the sign-in library, which works without it if its package is missing. */
const noTracingOfSignIn: Plugin = {
  name: "no-tracing-of-sign-in",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path, importer }) =>
      /[\\/]@?better-auth[\\/]/.test(importer) ? { path, namespace: "left-out" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: `throw new Error("The program is without ${path}.");`,
    }));
  },
};

/** Replaces the search for files of packages by code that unpacks these files. */
const packageFiles: Plugin = {
  name: "package-files",
  setup({ onResolve }) {
    onResolve({ filter: /[\\/]package-files\.ts$/ }, () => ({ path: here("package-files.ts") }));
  },
};

/**
 * Escapes all letters outside of ASCII in the code, which esbuild leaves in regular expressions. With one such letter, V8 would
 * store the module's whole text with two bytes for each character.
 */
function escapeLetters(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/[\u0080-\uffff]/g, escape));
  }
}

/** Replaces each native library by a module that verifies and loads it, and adds the library's files to `libraries`. */
function nativeLibraries(native: string, libraries: Libraries): Plugin {
  return {
    name: "native-libraries",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^better-sqlite3$/ }, () => ({
        path: join(packageFolder("better-sqlite3"), "lib", `${native}.js`),
      }));
      onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({
        path: join(packageFolder(`@duckdb/node-bindings-${native}`), "duckdb.node"),
        namespace: "library",
      }));
      onResolve({ filter: /\.node$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path),
        namespace: "library",
      }));
      onLoad({ filter: /.*/, namespace: "library" }, ({ path: file }) => {
        const folder = `native/${basename(file, ".node")}`;
        for (const path of [file, ...librariesBeside(file)]) libraries.set(`${folder}/${basename(path)}`, path);
        const path = JSON.stringify(`${folder}/${basename(file)}`);
        const loader = JSON.stringify(here("load-library.ts"));
        return {
          contents: `module.exports = require(${loader}).loadLibrary(${path});`,
          loader: "js",
          resolveDir: root,
        };
      });
    },
  };
}

/** Returns the shared libraries in the folder of a native module, which the module loads itself. */
function librariesBeside(file: string): string[] {
  const names = readdirSync(dirname(file)).filter((name) => /\.(so(\.\d+)*|dylib|dll)$/.test(name));
  return names.map((name) => join(dirname(file), name));
}
