// Search of the documents, in the browser. The index has one entry per section. The browser loads the index when the search field
// gets the focus for the first time.
import MiniSearch, { type SearchResult } from "minisearch";
import type { Section } from "./site.ts";

const RESULTS_MAX = 12;
const EXCERPT_CHARACTERS = 140;

type Found = SearchResult & Section;

const place = document.querySelector<HTMLElement>(".search")!;
const site = place.dataset["site"]!;
const input = make("input", {
  type: "search",
  placeholder: "Search the documents",
  role: "combobox",
  "aria-label": "Search the documents",
  "aria-controls": "found",
  "aria-expanded": "false",
  "aria-autocomplete": "list",
  autocomplete: "off",
  spellcheck: "false",
});
const list = make("div", { id: "found", role: "listbox", "aria-label": "Found sections" });
const status = make("p", { role: "status", class: "status" });
list.hidden = true;
place.append(input, make("kbd", { "aria-hidden": "true" }, "/"), list, status);
place.hidden = false;

let index: Promise<MiniSearch<Section>> | undefined;
let chosen = -1;

input.addEventListener("focus", () => void load());
input.addEventListener("input", () => void search());
input.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
  } else if (event.key === "Enter") {
    list.querySelectorAll("a")[Math.max(chosen, 0)]?.click();
  } else if (event.key === "Escape") {
    input.value = "";
    close();
  }
});
// Focus that moves from the field to a result must not close the list before the click arrives.
place.addEventListener("focusout", ({ relatedTarget }) => {
  if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) close();
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
const asked = new URLSearchParams(location.search).get("q");
if (asked !== null) {
  input.value = asked;
  input.focus();
  void search();
}

function load(): Promise<MiniSearch<Section>> {
  index ??= fetch(`${site}search.json`)
    .then((response) => response.json() as Promise<Section[]>)
    .then((sections) => {
      const made = new MiniSearch<Section>({
        fields: ["heading", "page", "text"],
        storeFields: ["heading", "page", "text", "href"],
        searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
      });
      made.addAll(sections);
      return made;
    });
  index.catch(() => (index = undefined));
  return index;
}

async function search(): Promise<void> {
  const words = input.value.trim();
  if (words === "") return close();
  const made = await load().catch(() => undefined);
  if (input.value.trim() !== words) return;
  if (made === undefined) return show([], "The search could not be loaded. Reload the page.");
  const all = made.search(words) as Found[];
  const some = all.length > 0 ? all : (made.search(words, { combineWith: "OR" }) as Found[]);
  // The index splits a name such as SVC_HOST into words. Sections that contain the name as typed come first.
  const isLiteral = ({ heading, text }: Found) => `${heading} ${text}`.toLowerCase().includes(words.toLowerCase());
  const found = [...some.filter(isLiteral), ...some.filter((one) => !isLiteral(one))].slice(0, RESULTS_MAX);
  const count = found.length === 1 ? "1 section" : `${found.length} sections`;
  show(found, found.length > 0 ? count : `Nothing has the words "${words}".`);
}

function show(found: Found[], text: string): void {
  const words = input.value.trim();
  list.replaceChildren(...found.map((one, at) => resultOf(one, at, words)));
  status.textContent = text;
  status.classList.toggle("none", found.length === 0);
  list.hidden = found.length === 0;
  input.setAttribute("aria-expanded", String(found.length > 0));
  choose(found.length > 0 ? 0 : -1);
}

function close(): void {
  show([], "");
  status.classList.remove("none");
}

function choose(at: number): void {
  const options = [...list.children];
  chosen = options.length === 0 ? -1 : Math.max(0, Math.min(at, options.length - 1));
  for (const [place, option] of options.entries()) option.setAttribute("aria-selected", String(place === chosen));
  const option = options[chosen];
  if (option) option.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", option?.id ?? "");
}

function resultOf({ page, heading, text, href, terms }: Found, at: number, words: string): HTMLElement {
  const option = make("a", { id: `found-${at}`, role: "option", href: site + href, tabindex: "-1" });
  option.append(make("strong", {}, heading === page ? page : `${page} › ${heading}`), excerptOf(text, terms, words));
  option.addEventListener("click", close);
  return option;
}

/** The excerpt begins near the words as typed. If the text does not contain them, the excerpt begins near the first found word. */
function excerptOf(text: string, terms: readonly string[], words: string): HTMLElement {
  const pattern = new RegExp(
    `(${terms.map((term) => term.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)).join("|")})`,
    "iu",
  );
  const typed = text.toLowerCase().indexOf(words.toLowerCase());
  const at = Math.max(0, (typed === -1 ? text.search(pattern) : typed) - EXCERPT_CHARACTERS / 3);
  const start = at === 0 ? 0 : text.indexOf(" ", at) + 1;
  const part = `${start > 0 ? "… " : ""}${text.slice(start, start + EXCERPT_CHARACTERS)}`;
  const excerpt = make("span", {});
  for (const [place, piece] of part.split(pattern).entries())
    excerpt.append(place % 2 === 1 ? make("mark", {}, piece) : piece);
  return excerpt;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string>,
  text = "",
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}
