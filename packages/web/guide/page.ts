type Link = { href: string; title: string };

/** `depth` is the relative path from the page to the root of the site: empty, or `../`. */
export type Page = {
  title: string;
  html: string;
  nav: { name: string; pages: (Link & { isHere: boolean })[] }[];
  contents: { id: string; text: string }[];
  previous: Link | undefined;
  next: Link | undefined;
  depth: string;
  assets: { style: string; script: string };
  source: string;
};

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** Without JavaScript the page works, but has no search. */
export function pageOf({ title, html, nav, contents, previous, next, depth, assets, source }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · svc</title>
<link rel="stylesheet" href="${depth}${assets.style}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${source}">
<script type="module" src="${depth}${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${depth}index.html">svc <span>docs</span></a>
<a class="menu" href="#all-pages">Pages</a>
<div class="search" data-site="${depth}" hidden></div>
</header>
<main id="content" tabindex="-1">
<article>
${html}</article>
<nav class="near" aria-label="Next and previous page">
${nearLink("previous", previous)}${nearLink("next", next)}
</nav>
</main>
<nav class="pages" id="all-pages" aria-label="Pages">
${nav.map(groupOf).join("\n")}
<section><h2>API</h2><ul><li><a href="${depth}reference">API reference</a></li></ul></section>
</nav>
${contentsOf(contents)}
</body>
</html>
`;
}

const groupOf = ({ name, pages }: Page["nav"][number]): string => {
  const items = pages.map(
    ({ href, title, isHere }) =>
      `<li><a href="${href}"${isHere ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`,
  );
  return `<section><h2>${name}</h2><ul>${items.join("")}</ul></section>`;
};

const nearLink = (rel: "previous" | "next", link: Link | undefined): string =>
  link === undefined
    ? ""
    : `<a class="${rel}" rel="${rel === "next" ? "next" : "prev"}" href="${link.href}"><span>${rel === "next" ? "Next" : "Previous"}</span>${escaped(link.title)}</a>\n`;

function contentsOf(contents: Page["contents"]): string {
  if (contents.length < 2) return "";
  const items = contents.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join("")}</ul></nav>`;
}
