import { existsSync, globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { PAGE_PATHS } from "@svc/contract/constants";
import { describe, expect, test } from "vitest";
import { type Import, imports, offenders, packageOf, resolved, sources } from "../support/imports.ts";

const ROOT = "packages/web/src";
const inWeb = (file: string): string => relative(ROOT, file);
/** Returns the folder of a file; an empty text for the files at the root of the sources. */
const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "");

/** The files at the root that join all features. Every other file at the root is shared by the features. */
const ENTRY = new Set(["main.tsx", "router.tsx"]);

/** For each feature of the pages, the features that it may import. */
const BETWEEN_PAGES: Record<string, string[]> = {
  alerts: ["notifications"],
  conversations: ["editing"],
  editing: [],
  graders: ["editing"],
  "mock-tools": ["agents", "editing"],
  personas: ["editing"],
  review: ["conversations"],
  schedules: ["runs", "test-definitions"],
  runs: ["conversations", "suites", "test-definitions"],
  suites: ["editing", "test-definitions"],
  "test-definitions": ["conversations", "editing", "mock-tools", "personas", "suites"],
};

const ours = imports.filter(({ file }) => packageOf(file) === "web");
const crossing = ours
  .filter(({ target }) => target.startsWith("."))
  .map((entry) => ({ ...entry, from: inWeb(entry.file), to: inWeb(resolved(entry)) }))
  .map((entry) => ({ ...entry, fromFolder: folderOf(entry.from), toFolder: folderOf(entry.to) }))
  .filter(({ fromFolder, toFolder }) => fromFolder !== toFolder);

describe("the pages", () => {
  test("components of `ui` import no other folder", () => {
    expect(offenders(crossing.filter(({ fromFolder }) => fromFolder === "ui"))).toEqual([]);
  });

  test("the shell and the shared files import components, each other, and no feature", () => {
    const shared = crossing.filter(
      ({ from, fromFolder }) => (fromFolder === "" && !ENTRY.has(from)) || fromFolder === "shell",
    );
    expect(offenders(shared.filter(({ toFolder }) => !["", "ui", "shell"].includes(toFolder)))).toEqual([]);
  });

  test("features import each other only where the table says so", () => {
    const wrong = crossing.filter(
      ({ from, fromFolder, toFolder }) =>
        !["", "ui", "shell"].includes(fromFolder) &&
        !["", "ui", "shell"].includes(toFolder) &&
        !ENTRY.has(from) &&
        !BETWEEN_PAGES[fromFolder]?.includes(toFolder),
    );
    expect(offenders(wrong)).toEqual([]);
  });

  test("pages use the SDK, and of the contract only types and modules without schemas", () => {
    const light = /^@svc\/(sdk|contract\/(constants|requests))$/;
    const heavy = (entry: Import) => entry.target.startsWith("@svc/") && !light.test(entry.target) && !entry.typeOnly;
    expect(offenders(ours.filter(heavy))).toEqual([]);
    expect(offenders(ours.filter(({ target }) => /^(zod|ky|koa)\b/.test(target)))).toEqual([]);
  });

  test("only the client opens connections", () => {
    const opening = /\b(fetch\(|new (WebSocket|EventSource|XMLHttpRequest)\b|sendBeacon\()/;
    const files = sources.filter((file) => packageOf(file) === "web" && opening.test(readFileSync(file, "utf8")));
    expect(files.map(inWeb)).toEqual(["client.ts"]);
  });

  test("no page writes markup or styles into the document as text", () => {
    const unsafe = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|<style/;
    const files = sources.filter((file) => packageOf(file) === "web" && unsafe.test(readFileSync(file, "utf8")));
    expect(files.map(inWeb)).toEqual([]);
  });

  test("colours are in the tokens only", () => {
    const raw = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(/i;
    const sheets = globSync(`${ROOT}/**/*.css`).filter((file) => !file.endsWith("tokens.css"));
    expect(sheets.filter((file) => raw.test(readFileSync(file, "utf8")))).toEqual([]);
  });

  test("every style sheet of a folder is used", () => {
    const sheets = globSync(`${ROOT}/**/*.module.css`);
    const used = new Set(ours.filter(({ target }) => target.endsWith(".css")).map(resolved));
    expect(sheets.filter((file) => !used.has(file))).toEqual([]);
  });

  test("the router has exactly the addresses that the contract lists", () => {
    const parents: Record<string, string> = {
      rootRoute: "",
      personRoute: "",
      organizationRoute: "/o/{organizationId}",
      projectRoute: "/o/{organizationId}/p/{project}",
    };
    const routes = sources
      .filter((file) => file.endsWith("/routes.tsx") || file.endsWith("web/src/router.tsx"))
      .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/getParentRoute: \(\) => (\w+),\s+path: "([^"]+)"/g)])
      .map(([, parent, path]) => `${parents[parent!]}${path}`.replaceAll(/\$(\w+)/g, "{$1}"))
      .map((path) => (path.length > 1 ? path.replace(/\/$/, "") : path));
    expect(routes.toSorted()).toEqual([...PAGE_PATHS].toSorted());
  });

  test("the page beside the sources names every folder of the pages", () => {
    const folders = [...new Set(globSync(`${ROOT}/*/*`).map((file) => folderOf(inWeb(file))))];
    const map = readFileSync("packages/web/README.md", "utf8");
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => !map.includes(`${folder}/`))).toEqual([]);
  });

  test("every page's file exists", () => {
    const lazy = ours.filter(({ file, target }) => file.endsWith("routes.tsx") && target.startsWith("."));
    expect(lazy.length).toBeGreaterThan(20);
    expect(lazy.map(resolved).filter((file) => !existsSync(file))).toEqual([]);
  });
});
