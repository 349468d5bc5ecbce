import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FILES = [
  "Dockerfile",
  "compose.yaml",
  "compose.cluster.yaml",
  "distribution/kubernetes/svc.yaml",
  "distribution/systemd/svc.service",
  "docs/self-hosting.md",
  "docs/scale.md",
];
const texts = FILES.map((file) => readFileSync(file, "utf8"));

test("the image, the compose files, the unit and their pages name only settings that the service or its executable has", () => {
  const known = ["packages/server/src/base/config/settings.ts", "distribution/binary/private-files.ts"].map((file) =>
    readFileSync(file, "utf8"),
  );
  const named = new Set(texts.flatMap((text) => [...text.matchAll(/\bSVC_[A-Z_]+/g)].map(([name]) => name)));
  expect(named.size).toBeGreaterThan(4);
  expect([...named].filter((name) => !known.some((text) => text.includes(name)))).toEqual([]);
});

test("the image, the compose files, the unit and their pages name only files that exist", () => {
  const named = texts.flatMap((text) => [...text.matchAll(/\b(?:packages|distribution|test)\/[\w./-]*\w/g)]);
  const paths = named.map(([path]) => path).filter((path) => !/node_modules|dist\b/.test(path));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

const workflows = globSync(".github/workflows/*.yml").map((file) => readFileSync(file, "utf8"));

test("the workflows use actions by their commit, and only scripts that the project has", () => {
  expect(workflows.length).toBeGreaterThan(2);
  const uses = workflows.flatMap((text) =>
    [...text.matchAll(/uses: (\S+)(.*)/g)].map(([, action, rest]) => [action, rest]),
  );
  const foreign = uses.filter(([action]) => !action!.startsWith("./"));
  expect(foreign.length).toBeGreaterThan(10);
  for (const [action, version] of foreign) {
    expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const run = workflows.flatMap((text) =>
    [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!),
  );
  expect(run.length).toBeGreaterThan(3);
  expect(run.filter((name) => !(name in scripts))).toEqual([]);
});

test("the changelog says about the version what a user must know, in at most 80 lines", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m).slice(1);
  const own = sections.find((section) => section.startsWith(`${version}\n`));
  expect(own, `CHANGELOG.md has no section ${version}`).toBeDefined();
  expect(own!.split("\n").length).toBeLessThanOrEqual(80);
});
