import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { CONNECTION_OPTIONS } from "@svc/contract";
import { expect, test } from "vitest";
import { isCommand, loadCommand, TOPICS } from "../../packages/cli/src/commands.ts";
import { blocksOf, documents } from "../support/documents.ts";

const ROOT = join(import.meta.dirname, "../..");
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");
const texts = documents().map((file) => ({ file, text: textOf(file) }));
const withoutBlocks = (text: string) => text.replaceAll(/^```[^]*?^```$/gm, "");

/** Returns the anchors that GitHub generates from the headings of a text. */
const anchorsOf = (text: string) =>
  new Set(
    [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );

/** Returns why a command of a document does not exist: the command or a flag is unknown. Returns undefined when both exist. */
async function problemOf(command: string): Promise<string | undefined> {
  if (!command.includes("svc ")) return undefined;
  const words = command
    .slice(command.indexOf("svc ") + "svc ".length)
    .replace(/ [|>].*|\)$/, "")
    .split(/\s+/);
  const plain = words.filter((word) => !word.startsWith("-"));
  if (plain.length === 0 || words[0]!.startsWith("-") || plain[0] === "COMMAND") return undefined;
  const id = [plain.slice(0, 2).join(":"), plain[0]!].find(isCommand);
  if (id === undefined)
    return plain.length === 1 && Object.hasOwn(TOPICS, plain[0]!) ? undefined : `no command: ${command}`;
  const { flags, baseFlags } = await loadCommand(id);
  const known = new Set(["help", ...Object.keys(flags), ...Object.keys(baseFlags)]);
  const unknown = words
    .flatMap((word) => /^--([a-z][\w-]*)/.exec(word)?.[1] ?? [])
    .filter((flag) => !known.has(flag) && !known.has(flag.replace(/^no-/, "")));
  return unknown.length === 0 ? undefined : `no flag --${unknown.join(", --")}: ${command}`;
}

test("each command in the running text of a document and each example of the help has a command and flags that exist", async () => {
  const inline = texts.flatMap(({ file, text }) =>
    [...withoutBlocks(text).matchAll(/`((?:npx --no -- )?svc [a-z][^`]*)`/g)].map(([, command]) => ({
      file,
      command: command!,
    })),
  );
  const examples = documents()
    .flatMap(blocksOf)
    .filter(({ language }) => language === "console")
    .flatMap(({ file, text }) =>
      text
        .trim()
        .split("\n")
        .map((line) => ({ file, command: line.replace(/^\$ /, "") })),
    );
  expect(inline.length).toBeGreaterThan(40);
  expect(examples.length).toBeGreaterThan(100);
  const problems = await Promise.all(
    [...inline, ...examples].map(async ({ file, command }) => {
      const problem = await problemOf(command.replaceAll(/"[^"]*"|'[^']*'/g, "VALUE"));
      return problem === undefined ? [] : [`${file}: ${problem}`];
    }),
  );
  expect(problems.flat()).toEqual([]);
});

test("no document, message, page or script lets npx fetch a package, which outside a checkout is one of somebody else", () => {
  const files = execFileSync(
    "git",
    [
      "ls-files",
      "--",
      "*.md",
      "action*",
      "distribution",
      "examples",
      "packages",
      ".ci",
      ".github",
      "Dockerfile",
      "compose*",
    ],
    { cwd: ROOT, encoding: "utf8" },
  )
    .trim()
    .split("\n")
    // These pages are read in a checkout, where the file exists.
    .filter(
      (file) =>
        existsSync(join(ROOT, file)) && !/^(CHANGELOG|CONTRIBUTING)\.md$|^test\/|\.(wav|gz|svg|png|woff2)$/.test(file),
    );
  const found = files.filter((file) => /\bnpx (?!--no )[\w@-]/.test(textOf(file)));
  expect(found).toEqual([]);
  const pages = files.filter(
    (file) => file.startsWith("packages/web/src/") && textOf(file).includes("{sendSampleCommands()}"),
  );
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) expect(textOf(page), page).toContain("In the folder of svc's repository");
});

test("each npm script that a document names exists", () => {
  const scriptsOf = (folder: string) => {
    const file = join(ROOT, folder, "package.json");
    return existsSync(file) ? ((JSON.parse(readFileSync(file, "utf8")) as { scripts?: object }).scripts ?? {}) : {};
  };
  const missing = texts.flatMap(({ file, text }) => {
    const scripts = { ...scriptsOf("."), ...scriptsOf(dirname(file)) };
    const named = [...text.matchAll(/\bnpm run (?:-s )?([\w:-]*\w)/g)].map(([, name]) => name!);
    return named.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `${file}: npm run ${name}`);
  });
  expect(missing).toEqual([]);
});

test("each link between the documents leads to a file and a heading that exist", () => {
  const broken = [
    ...texts,
    ...["CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map((file) => ({ file, text: textOf(file) })),
  ].flatMap(({ file, text }) => {
    const links = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split("#") as [string, string | undefined];
        const target = path === "" ? file : join(dirname(file), path);
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(textOf(target)).has(anchor);
      })
      .map((link) => `${file}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test("the index of a folder of documents names every page of it, and that of docs every folder", () => {
  const indexes = documents().filter((file) => /^docs\/(.*\/)?README\.md$/.test(file));
  const unnamed = documents()
    .filter((file) => file.startsWith("docs/") && file !== "docs/README.md")
    .filter((file) => {
      const folder = indexes.includes(file) ? dirname(dirname(file)) : dirname(file);
      return !textOf(join(folder, "README.md")).includes(`(${relative(folder, file)}`);
    });
  expect(unnamed).toEqual([]);
});

test("the page of connections names every type, variant and field", () => {
  const page = textOf("docs/connections.md");
  for (const { connectionType, accessVariants } of CONNECTION_OPTIONS) {
    expect(page).toContain(`\`${connectionType}\``);
    for (const { config, credential } of accessVariants)
      for (const { name } of [...config, ...credential]) expect(page, connectionType).toContain(`\`${name}\``);
  }
});
