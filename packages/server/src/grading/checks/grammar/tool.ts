type TakenTool = { tool: string; rest: string };

const NAME = "[A-Za-z_][\\w-]*(?:[.:/][\\w-]+)*";
const QUOTED = `\`([^\`]{1,200})\`|"(${NAME})"|'(${NAME})'|“(${NAME})”|‘(${NAME})’`;
const TOOL = new RegExp(`^(?:${QUOTED}|(${NAME})(\\(\\))?)(?![\\w'’])`, "i");
const BEFORE = /^(?:(the\s+)((?:tool|function)\s+)?)?/i;
const AFTER = /^\s+(?:tool|function)\b/i;

/** Words after "calls" that are not names of tools, as in "calls back the customer". A word in backticks is always the name of a tool. */
const NOT_TOOLS = new Set(
  "a an the it him her them us me you his their your this that these those one back again out off up on in for to at by of if when before after with and or customer caller user client patient guest someone anyone everyone everybody anybody nobody somebody security police support attention upon nothing none neither either no any all both each every only tool tools function functions names people another".split(
    " ",
  ),
);

/** Reads the name of a tool at the beginning of a text. With `plainWords`, an ordinary word can be a name, as after "calls". */
export function takeTool(text: string, plainWords: boolean): TakenTool | undefined {
  const [opening, article, noun] = BEFORE.exec(text)!;
  const [whole, ...names] = TOOL.exec(text.slice(opening.length)) ?? [];
  if (whole === undefined) return undefined;
  const parenthesis = names.pop();
  const bare = names.at(-1);
  const tool = names.find((name) => name !== undefined)!;
  const rest = text.slice(opening.length + whole.length);
  const after = AFTER.exec(rest);
  if (article !== undefined && noun === undefined && after === null) return undefined;
  const isNamed = noun !== undefined || after !== null || parenthesis !== undefined || bare === undefined;
  if (!isNamed && (NOT_TOOLS.has(tool.toLowerCase()) || !(plainWords || looksLikeTool(tool)))) return undefined;
  if (bare !== undefined && noun === undefined && NOT_TOOLS.has(tool.toLowerCase())) return undefined;
  return { tool, rest: rest.slice(after?.[0].length ?? 0) };
}

const looksLikeTool = (word: string) => /_|\d|[a-z][A-Z]|\w[.:/]\w/.test(word);
