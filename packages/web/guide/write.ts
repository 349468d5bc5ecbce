// `write.ts FOLDER` writes the documents as pages into FOLDER/docs, and the list of pages into FOLDER/llms.txt. The build of the
// pages runs this program.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Rolldown } from "vite";
import { buildSite, llmsText } from "./site.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder to write into.");
const ROOT = join(import.meta.dirname, "../../..");

function write(file: string, content: string | Buffer | Uint8Array): void {
  const path = join(folder!, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Returns the path of the bundle in the site. */
async function bundle(name: "search.ts" | "style.css"): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    base: "./",
    resolve: { conditions: ["svc-source", "module", "browser", "production"] },
    build: {
      write: false,
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(import.meta.dirname, name) },
    },
  })) as Rolldown.RolldownOutput;
  let main = "";
  for (const file of output) {
    const content = file.type === "chunk" ? file.code : file.source;
    const isMain = name.endsWith(".css") ? file.fileName.endsWith(".css") : file.type === "chunk";
    // For a stylesheet, Vite also emits an empty script.
    if (name.endsWith(".css") && file.type === "chunk") continue;
    write(`docs/${file.fileName}`, content);
    if (isMain) main = file.fileName;
  }
  return main;
}

const [style, script] = [await bundle("style.css"), await bundle("search.ts")];
const files = buildSite(ROOT, { style, script });
for (const [file, content] of files) write(`docs/${file}`, content);
write("llms.txt", llmsText(ROOT, "/docs/"));
