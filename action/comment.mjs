// Writes the report into the one comment of this action on the pull request: creates the comment, or replaces its text. Does
// nothing outside a pull request.
import { readFileSync } from "node:fs";

const LARGEST_COMMENT = 65_000;
const TRIES = 3;
const { env } = process;
const api = (env.GITHUB_API_URL || "https://api.github.com").replace(/\/$/, "");

const number = numberOfPullRequest();
if (number === undefined) {
  console.log("This job belongs to no pull request: there is no place for a comment.");
  process.exit(0);
}
const marker = `<!-- svc-action: ${(env.SUITE || "pull request").replaceAll(/[<>-]/g, "")} -->`;
// A name in a test or an agent's words notifies no one.
const text = `${marker}\n${readFileSync(env.REPORT, "utf8").replaceAll("@", "@\u200b")}`;
const body =
  text.length > LARGEST_COMMENT ? `${text.slice(0, LARGEST_COMMENT)}\n\n… The summary of the job has the rest.` : text;

const comments = `/repos/${env.GITHUB_REPOSITORY}/issues/${number}/comments`;
const existing = await findComment(`${comments}?per_page=100`);
const written =
  existing === undefined
    ? await request("POST", comments, { body })
    : await request("PATCH", `/repos/${env.GITHUB_REPOSITORY}/issues/comments/${existing.id}`, { body });
console.log(`${existing === undefined ? "Created" : "Updated"} ${(await written.json()).html_url}`);

function numberOfPullRequest() {
  if (!env.GITHUB_EVENT_PATH) return undefined;
  return JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8")).pull_request?.number;
}

/** Returns the comment that begins with the marker, from all pages of the list; undefined without one. */
async function findComment(path) {
  const answer = await request("GET", path);
  const found = (await answer.json()).find((comment) => comment.body?.startsWith(marker));
  const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  return found ?? (next === undefined ? undefined : findComment(next.replace(api, "")));
}

/** Sends a request, again when the service fails. A job without the permission ends with a warning: the job's summary has the report. */
async function request(method, path, content, attempt = 1) {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${env.GITHUB_TOKEN}`,
      "x-github-api-version": "2022-11-28",
      ...(content && { "content-type": "application/json" }),
    },
    ...(content && { body: JSON.stringify(content) }),
  });
  if (answer.ok) return answer;
  if (answer.status >= 500 && attempt < TRIES) {
    await new Promise((resolve) => setTimeout(resolve, attempt * 1_000));
    return request(method, path, content, attempt + 1);
  }
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    const remedy = "Give the job `permissions: pull-requests: write`; jobs of forks do not get it.";
    console.log(`::warning title=svc::The comment was refused with ${answer.status}. ${remedy}`);
    process.exit(0);
  }
  console.error(`GitHub answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  process.exit(1);
}
