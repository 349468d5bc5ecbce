import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type Comment = { id: number; body: string; html_url: string };

/** Starts a fake of GitHub's REST API for the comments of one pull request. Each page of a list has two comments. */
export async function startFakeGitHub(token: string) {
  const comments: Comment[] = [];
  const requests: string[] = [];
  /** Statuses with which the next requests are refused. */
  const failures: number[] = [];
  const PAGE = 2;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://github");
    requests.push(`${request.method} ${pathname}`);
    const answer = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    const failure = failures.shift();
    if (failure !== undefined) return answer(failure, { message: "Refused" });
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { message: "Bad credentials" });
    const one = /^\/repos\/acme\/desk\/issues\/comments\/(\d+)$/.exec(pathname);
    if (one && request.method === "PATCH") {
      const comment = comments.find(({ id }) => id === Number(one[1]));
      if (!comment) return answer(404, { message: "Not Found" });
      comment.body = ((await json(request)) as Comment).body;
      return answer(200, comment);
    }
    if (pathname !== "/repos/acme/desk/issues/7/comments") return answer(404, { message: "Not Found" });
    if (request.method === "POST") {
      const { body } = (await json(request)) as Comment;
      comments.push(comment(body));
      return answer(201, comments.at(-1));
    }
    const page = Number(searchParams.get("page") ?? 1);
    const isLast = comments.length <= page * PAGE;
    const next = `<${url}${pathname}?per_page=100&page=${page + 1}>; rel="next", <${url}${pathname}?page=9>; rel="last"`;
    return answer(200, comments.slice((page - 1) * PAGE, page * PAGE), isLast ? {} : { link: next });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const comment = (body: string): Comment => {
    const id = 100 + comments.length;
    return { id, body, html_url: `https://github.test/acme/desk/pull/7#issuecomment-${id}` };
  };
  return {
    url,
    comments,
    requests,
    failures,
    addComment: (body: string) => void comments.push(comment(body)),
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
