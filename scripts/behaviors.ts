// Writes the table of the forms of behaviors into docs/behaviors.md, from packages/server/src/grading/checks/table.ts.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { formsDocument } from "../packages/server/src/grading/checks/document.ts";

const FILE = "docs/behaviors.md";
const [start, end] = ["<!-- forms: npm run behaviors -->", "<!-- end of forms -->"];

const text = readFileSync(FILE, "utf8");
const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
if (to < from) throw new Error(`${FILE} lacks the marks of the table.`);
writeFileSync(FILE, `${text.slice(0, from)}\n\n${formsDocument()}\n\n${text.slice(to)}`);
execFileSync("node_modules/.bin/oxfmt", [FILE]);
