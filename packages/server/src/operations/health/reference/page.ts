import type { Member, OperationOutline, Outline, ShapeOutline } from "./outline.ts";

/** The content security policy allows only this style sheet, by its digest. */
export const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#d8d8e0,#3a3a44);--soft:light-dark(#f5f5f8,#1f1f26);--dim:light-dark(#55555f,#b0b0bc);--link:light-dark(#2541b2,#9db2ff)}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:18rem minmax(0,1fr);background:light-dark(#fff,#16161b);color:light-dark(#1b1b21,#ececf2)}
a{color:var(--link)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);background:var(--soft);font-size:14px}
nav ul{list-style:none;margin:0;padding:0 0 0 .75rem}
nav summary{cursor:pointer;padding:.2rem 0;font-weight:600}
nav a{text-decoration:none;display:block;padding:.1rem 0}
main{padding:1rem 2rem 6rem;max-width:64rem}
h2{margin-top:3rem;border-bottom:1px solid var(--line)}
h3{margin:2.5rem 0 .25rem}
code{font:14px/1.4 ui-monospace,monospace;background:var(--soft);padding:.05rem .25rem;border-radius:3px;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:15px;margin:.5rem 0}
caption{text-align:left;font-weight:600;padding:.5rem 0 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-top:1px solid var(--line)}
p{margin:.4rem 0}.dim{color:var(--dim);font-size:14px}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;border-right:0}main{padding:1rem}}
`;

/** Returns the API reference as one HTML page that needs no script and no other file. */
export function referencePage({ groups, shapes, errors }: Outline): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>API reference · svc</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">
<p><a href="#top">API reference</a></p>
${groups
  .map(({ name, operations }) =>
    menu(
      name,
      operations.map((one) => [one.name, one.summary]),
    ),
  )
  .join("\n")}
${menu(
  "Shapes",
  shapes.map(({ name }) => [name.toLowerCase(), name]),
)}
<p><a href="#errors">Errors</a></p>
</nav>
<main id="top">
<h1>API reference</h1>
<p>Send an API key as <code>Authorization: Bearer svc_sk_…</code>. Pages send the cookie of a session; the header <code>Svc-Organization</code> names another organization of the session for one request. <a href="/openapi.json">openapi.json</a> is the same interface in OpenAPI 3.1.</p>
${groups.map(({ name, description, operations }) => `<h2>${escaped(name)}</h2>\n<p>${markdown(description)}</p>\n${operations.map(operation).join("\n")}`).join("\n")}
<h2>Shapes</h2>
${shapes.map(shape).join("\n")}
<h2 id="errors">Errors</h2>
<p>A refusal has the members <code>error</code>, <code>message</code> and sometimes <code>details</code>.</p>
<table><tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
${errors.map(({ code, status, meaning }) => `<tr><td><code>${code}</code></td><td>${status}</td><td>${markdown(meaning)}</td></tr>`).join("\n")}
</table>
</main>
</body>
</html>
`;
}

const menu = (title: string, entries: [id: string, text: string][]) =>
  `<details><summary>${escaped(title)}</summary><ul>${entries.map(([id, text]) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`).join("")}</ul></details>`;

const operation = ({
  name,
  method,
  path,
  summary,
  description,
  credential,
  inputs,
  answers,
  errors,
}: OperationOutline) =>
  `<h3 id="${escaped(name)}">${escaped(summary)}</h3>
<p><code>${method} ${escaped(path)}</code></p>
${description === "" ? "" : `<p>${markdown(description)}</p>`}
<p class="dim">Credential: ${markdown(credential)}. In the SDK: <code>client.${escaped(name)}</code>.</p>
${inputs.map(({ place, members }) => table(place, members)).join("\n")}
${answers.map(({ status, text }) => `<p>Answer <code>${status}</code>: ${markdown(text)}</p>`).join("\n")}
${errors.length === 0 ? "" : `<p class="dim">Errors: ${markdown(errors.join(", "))}.</p>`}`;

const shape = ({ name, type, meaning, members }: ShapeOutline) =>
  `<h3 id="${escaped(name.toLowerCase())}">${escaped(name)}</h3>
${meaning === "" ? "" : `<p>${markdown(meaning)}</p>`}
${members.length === 0 ? `<p>${markdown(type)}</p>` : table("", members)}`;

const table = (caption: string, members: Member[]) =>
  `<table>${caption === "" ? "" : `<caption>${caption}</caption>`}<tr><th>Name</th><th>Type</th><th>Meaning</th></tr>
${members.map(row).join("\n")}
</table>`;

const row = ({ name, type, required, meaning }: Member) =>
  `<tr><td>${name === "" ? "" : `<code>${escaped(name)}</code>`}</td><td>${markdown(type)}${required ? "" : ' <span class="dim">optional</span>'}</td><td>${markdown(meaning)}</td></tr>`;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Converts Markdown to HTML. Supports only inline code and links within this page. */
const markdown = (text: string) =>
  escaped(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\[(\w+)\]\((#\w+)\)/g, '<a href="$2">$1</a>');
