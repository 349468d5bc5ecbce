import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FILES = [
  "Dockerfile",
  "compose.yaml",
  "compose.cluster.yaml",
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
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
