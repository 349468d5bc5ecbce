import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { Marked, type Token, type Tokens } from "marked";
import { escaped, pageOf } from "./page.ts";

/** `href` is relative to the root of the site. */
export type Section = { id: string; page: string; heading: string; text: string; href: string };

/** Pages by group, in the order of the navigation. A name is the path of a file in docs/ without its extension. */
const GROUPS: [name: string, pages: string[]][] = [
  ["Start", ["README", "install", "first-result", "packages"]],
  ["Tests", ["tests", "behaviors", "callers", "grading", "judge", "review", "schedules", "compare", "assistants"]],
  ["Agents", ["connections", "voice"]],
  ["Production", ["monitoring", "agent-versions", "alerts", "groups", "notifications", "ingest"]],
  ["Reference", ["command-line", "configuration", "limits", "versions"]],
  ["Operation", ["self-hosting", "scale", "sizing", "performance", "backup", "upgrade", "moving"]],
  ["Security", ["security", "people"]],
  ["Decisions", ["decisions/README"]],
];
/**
 * Files of docs/ that are no pages of the site. A link to such a file gets the address in this table. The service generates the API
 * reference itself.
 */
const ELSEWHERE: Record<string, string> = { api: "reference" };
const PICTURES = /\.(png|svg)$/;

type Source = { name: string; title: string; summary: string; markdown: string; tokens: Token[] };
type Files = Map<string, string | Buffer>;

/**
 * The keys are paths in the site. `assets` are the paths of the stylesheet and of the search script. Throws an error that lists
 * each link to a missing page or heading, and each page that is in no group.
 */
export function buildSite(root: string, assets: { style: string; script: string }): Files {
  const docs = join(root, "docs");
  const names = globSync("**/*.md", { cwd: docs }).map((file) => file.replaceAll("\\", "/").replace(/\.md$/, ""));
  const sources = new Map(
    names.filter((name) => !(name in ELSEWHERE)).map((name) => [name, readSource(name, join(docs, `${name}.md`))]),
  );
  const groups = withDecisions(GROUPS, names);
  const listed = new Set(groups.flatMap(([, pages]) => pages));
  const problems = [
    ...[...sources.keys()]
      .filter((name) => !listed.has(name))
      .map((name) => `docs/${name}.md is in no group of the site`),
    ...[...listed].filter((name) => !sources.has(name)).map((name) => `docs/${name}.md does not exist`),
  ];
  const files: Files = new Map();
  const sections: Section[] = [];
  const order = groups.flatMap(([, pages]) => pages);
  for (const source of sources.values()) {
    const { name, title, markdown } = source;
    const depth = "../".repeat(name.split("/").length - 1);
    const linkOf = (href: string) => linkFrom(name, href, sources, docs, problems);
    const html = render(source, linkOf);
    sections.push(...sectionsOf(source));
    const near = (step: number) => {
      const other = sources.get(order[order.indexOf(name) + step] ?? "");
      return other && { href: depth + fileOf(other.name), title: other.title };
    };
    const nav = groups.map(([group, pages]) => ({
      name: group,
      pages: pages.flatMap((page) => {
        const found = sources.get(page);
        return found ? [{ href: depth + fileOf(page), title: found.title, isHere: page === name }] : [];
      }),
    }));
    const contents = headingsIn(source.tokens)
      .filter((heading) => heading.depth === 2)
      .map(({ id, text }) => ({ id, text }));
    const page = { title, html, nav, contents, depth, assets, source: `${depth}${name}.md` };
    files.set(fileOf(name), pageOf({ ...page, previous: near(-1), next: near(1) }));
    files.set(`${name}.md`, markdown);
  }
  if (problems.length > 0) throw new Error(`The documents have faults:\n  ${problems.join("\n  ")}`);
  for (const file of globSync("pictures/*", { cwd: docs }).filter((name) => PICTURES.test(name)))
    files.set(file, readFileSync(join(docs, file)));
  files.set("search.json", JSON.stringify(sections));
  return files;
}

/** Returns the list of pages for language models, in the format of llms.txt. */
export function llmsText(root: string, base: string): string {
  const docs = join(root, "docs");
  const groups = GROUPS.map(([group, pages]) => {
    const lines = pages.map((name) => {
      const { title, summary } = readSource(name, join(docs, `${name}.md`));
      return `- [${title}](${base}${name}.md)${summary === "" ? "" : `: ${summary}`}`;
    });
    return `## ${group}\n\n${lines.join("\n")}`;
  });
  const about = "svc tests and monitors voice agents, on your own machine.";
  const api = "## API\n\n- [OpenAPI 3.1](/openapi.json): every operation, as the running service has it";
  return `# svc\n\n> ${about}\n\n${groups.join("\n\n")}\n\n${api}\n`;
}

const fileOf = (name: string): string => `${name.replace(/(^|\/)README$/, "$1index")}.html`;

function withDecisions(groups: typeof GROUPS, names: readonly string[]): typeof GROUPS {
  const decisions = names.filter((name) => /^decisions\/\d/.test(name)).toSorted();
  return groups.map(([name, pages]) => (name === "Decisions" ? [name, [...pages, ...decisions]] : [name, pages]));
}

function readSource(name: string, file: string): Source {
  const markdown = readFileSync(file, "utf8");
  const tokens = new Marked().lexer(markdown);
  const [heading] = headingsIn(tokens);
  const first = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
  const summary = first ? plain(first.text).replace(/(?<=[.!?])\s.*$/s, "") : "";
  return { name, title: heading?.text ?? name, summary, markdown, tokens };
}

type Heading = { id: string; text: string; depth: number };

/** Returns the headings, each with the anchor that GitHub generates for it. */
function headingsIn(tokens: readonly Token[]): Heading[] {
  const counts = new Map<string, number>();
  return tokens
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map(({ text, depth }) => {
      const slug = plain(text)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replaceAll(" ", "-");
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      return { id: count === 0 ? slug : `${slug}-${count}`, text: plain(text), depth };
    });
}

function render({ tokens }: Source, linkOf: (href: string) => string | undefined): string {
  const headings = headingsIn(tokens);
  let at = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const { id } = headings[at++]!;
        const text = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${text}</h1>\n`;
        return `<h${depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="Link to this heading">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = linkOf(href);
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
      },
      image: ({ href, text }) => `<img src="${escaped(href)}" alt="${escaped(text)}" loading="lazy">`,
      // A block that is wider than the page scrolls. The tabindex lets the keyboard scroll it too.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      table(token) {
        const row = (cells: Tokens.TableCell[], tag: "th" | "td") =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const head = `<thead>${row(token.header, "th")}</thead>`;
        const body = `<tbody>${token.rows.map((cells) => row(cells, "td")).join("")}</tbody>`;
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>${head}${body}</table></div>\n`;
      },
      // The documents contain HTML only as comments, which the specs read.
      html: () => "",
    },
  });
  return marked.parser(tokens as Token[]);
}

/** Returns an address relative to the page `from`; undefined for a file that is not part of the site, such as code. */
function linkFrom(
  from: string,
  href: string,
  sources: ReadonlyMap<string, Source>,
  docs: string,
  problems: string[],
): string | undefined {
  if (/^[a-z]+:/.test(href)) return href;
  const [path = "", anchor] = href.split("#") as [string, string?];
  const target = path === "" ? from : normalize(join(dirname(from), path)).replace(/\.md$/, "");
  const depth = "../".repeat(from.split("/").length - 1);
  if (target in ELSEWHERE) return depth + ELSEWHERE[target];
  const source = sources.get(target);
  if (source === undefined) {
    if (!existsSync(join(docs, target)) && !existsSync(join(docs, `${target}.md`)))
      problems.push(`docs/${from}.md links to ${href}, which does not exist`);
    return undefined;
  }
  if (anchor !== undefined && !headingsIn(source.tokens).some(({ id }) => id === anchor))
    problems.push(`docs/${from}.md links to ${href}, and the page has no such heading`);
  const file = path === "" ? "" : depth + fileOf(target);
  return anchor === undefined ? file : `${file}#${anchor}`;
}

function sectionsOf({ name, title, tokens }: Source): Section[] {
  const headings = headingsIn(tokens);
  const sections: Section[] = [];
  let at = 0;
  for (const token of tokens) {
    if (token.type === "heading") {
      const { id, text, depth } = headings[at++]!;
      const href = depth === 1 ? fileOf(name) : `${fileOf(name)}#${id}`;
      sections.push({ id: `${name}#${id}`, page: title, heading: text, text: "", href });
    } else if (token.type !== "html" && token.type !== "space") {
      const section = sections.at(-1);
      if (section) section.text = `${section.text} ${plain(token.raw)}`.trim();
    }
  }
  return sections;
}

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gm, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^[ |:-]+$/gm, " ")
    .replaceAll(/[`*|]|\\(?=\|)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
