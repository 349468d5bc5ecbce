import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildSite, llmsText } from "../../packages/web/guide/site.ts";

const ROOT = join(import.meta.dirname, "../..");
const assets = { style: "assets/style.css", script: "assets/search.js" };
const site = buildSite(ROOT, assets);
const copies: string[] = [];
afterAll(() => copies.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Returns the error of the site's build when this text is added to the page about tests. */
function faultWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-site-"));
  copies.push(folder);
  for (const [file, content] of site) {
    if (!file.endsWith(".md")) continue;
    mkdirSync(dirname(join(folder, "docs", file)), { recursive: true });
    writeFileSync(join(folder, "docs", file), content);
  }
  writeFileSync(join(folder, "docs/tests.md"), `${String(site.get("tests.md"))}\n${text}\n`);
  writeFileSync(join(folder, "README.md"), "");
  try {
    buildSite(folder, assets);
  } catch (error) {
    return (error as Error).message.replaceAll(/.*docs\/(?!tests\.md).*\n?/g, "").trim();
  }
  return "";
}

test("each page of docs/ is a page of the site, with an address for each heading", () => {
  const html = String(site.get("configuration.html"));
  expect(html).toContain('<h2 id="data">');
  expect(html).toContain('href="#data"');
  expect(String(site.get("decisions/index.html"))).toContain("../assets/style.css");
  for (const [file, content] of site) {
    if (!file.endsWith(".html")) continue;
    const ids = [...String(content).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size, file).toBe(ids.length);
    expect(String(content), file).not.toMatch(/<script(?! type="module" src=)|\bstyle=|\bon\w+="/);
  }
});

test("a link to a page, a heading or a file that does not exist stops the build, and is named", () => {
  expect(faultWith("[x](absent.md)")).toContain("docs/tests.md links to absent.md, which does not exist");
  expect(faultWith("[x](callers.md#absent)")).toContain(
    "docs/tests.md links to callers.md#absent, and the page has no",
  );
  expect(faultWith("[x](#absent)")).toContain("docs/tests.md links to #absent");
  expect(faultWith("[x](../packages/absent.ts)")).toContain("docs/tests.md links to ../packages/absent.ts, which");
  expect(faultWith("[x](callers.md#lines-and-facts)")).not.toContain("callers.md");
});

test("every link of a page leads to a file and a place of the site", () => {
  const missing: string[] = [];
  for (const [file, content] of site) {
    if (!file.endsWith(".html")) continue;
    for (const [, href] of String(content).matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href!)) continue;
      const [path = "", anchor] = href!.split("#") as [string, string?];
      const target = path === "" ? file : join(dirname(file), path);
      if (target === "reference") continue;
      const found = site.get(target);
      if (found === undefined || (anchor !== undefined && !String(found).includes(` id="${anchor}"`)))
        missing.push(`${file}: ${href}`);
    }
  }
  expect(missing).toEqual([]);
});

test("the list for language models names the Markdown of each page once", () => {
  const text = llmsText(ROOT, "/docs/");
  expect(text).toMatch(/^# svc\n\n> /);
  const named = [...text.matchAll(/\]\(\/docs\/([\w/-]+\.md)\)/g)].map(([, file]) => file!);
  expect(named.length).toBeGreaterThan(25);
  expect(new Set(named).size).toBe(named.length);
  expect(named.filter((file) => site.get(file) !== readFileSync(join(ROOT, "docs", file), "utf8"))).toEqual([]);
});
