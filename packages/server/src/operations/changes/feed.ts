import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ProjectChange } from "@svc/contract";
import type { Log } from "../../base/log/log.ts";
import type { ChangeSources } from "./sources.ts";

type Project = { id: string; number: number };

export type Subscriber = (frame: Buffer, kind: ProjectChange["kind"]) => void;

export type Feeds = {
  /**
   * Sends frames to the subscriber until the returned function is called. First it sends the changes after `cursor`, or `reset` when they
   * are not available any more. Then it sends `ready`.
   */
  subscribe: (project: Project, cursor: string | undefined, subscriber: Subscriber) => Promise<() => void>;
};

/** The stream of one project's changes. Each change is read once for all its subscribers. */
type Feed = {
  project: Project;
  last: bigint;
  subscribers: Set<Subscriber>;
  pending: Set<keyof ChangeSources>;
  /** Current round of reads, including the pause after it; undefined between rounds. */
  round: Promise<void> | undefined;
};

/** Creates the feeds of all projects. A feed pauses for `paceMs` after each round of reads, which limits the cost of a busy project. */
export function createFeeds(sources: ChangeSources, log: Log, paceMs: number): Feeds {
  /** Part of each cursor. Cursors of an earlier process are invalid, because this process may number the changes differently. */
  const epoch = randomBytes(6).toString("base64url");
  const feeds = new Map<string, Promise<Feed>>();
  const opened = new Map<string, Feed>();

  sources.conversations.onChange(() => {
    for (const feed of opened.values()) {
      feed.pending.add("conversations");
      startRound(feed);
    }
  });
  sources.imports.onChange((projectId) => {
    for (const feed of opened.values()) {
      if (projectId !== undefined && feed.project.id !== projectId) continue;
      feed.pending.add("imports");
      startRound(feed);
    }
  });

  const cursorOf = (last: bigint) => `${epoch}.${last}`;

  function startRound(feed: Feed): void {
    feed.round ??= runRound(feed).finally(() => {
      feed.round = undefined;
      if (feed.pending.size > 0 && feed.subscribers.size > 0) startRound(feed);
    });
  }

  async function runRound(feed: Feed): Promise<void> {
    try {
      if (feed.pending.delete("conversations")) await sendConversations(feed);
      if (feed.pending.delete("imports")) {
        const openFailures = await sources.imports.countFailures(feed.project.id);
        send(feed.subscribers, { kind: "imports", cursor: cursorOf(feed.last), openFailures });
      }
    } catch (error) {
      log.warn({ err: error }, "the changes of a project could not be read; its next change tries again");
    }
    await delay(paceMs, undefined, { ref: false });
  }

  async function sendConversations(feed: Feed): Promise<void> {
    const { traces, isMore, last } = await sources.conversations.since(feed.project.number, feed.last);
    const isRebuilt = last < feed.last;
    feed.last = last;
    if (isRebuilt) send(feed.subscribers, { kind: "reset", cursor: cursorOf(last) });
    else if (traces.length > 0)
      send(feed.subscribers, { kind: "conversations", cursor: cursorOf(last), traces, isMore });
  }

  async function openFeed(project: Project): Promise<Feed> {
    const feed: Feed = {
      project,
      last: await sources.conversations.newest(project.number),
      subscribers: new Set(),
      pending: new Set(),
      round: undefined,
    };
    opened.set(project.id, feed);
    return feed;
  }

  function feedOf(project: Project): Promise<Feed> {
    let feed = feeds.get(project.id);
    if (feed === undefined) {
      feed = openFeed(project);
      feeds.set(project.id, feed);
      feed.catch(() => feeds.delete(project.id));
    }
    return feed;
  }

  /** Sends the changes between the cursor and the feed's next event to one subscriber. */
  async function catchUp(feed: Feed, cursor: string, subscriber: Subscriber): Promise<void> {
    const [ofEpoch, number] = cursor.split(".");
    const after = ofEpoch === epoch && /^\d{1,18}$/.test(number ?? "") ? BigInt(number!) : undefined;
    if (after === undefined || after > feed.last) {
      return send([subscriber], { kind: "reset", cursor: cursorOf(feed.last) });
    }
    const { traces, isMore } = await sources.conversations.since(feed.project.number, after);
    if (traces.length === 0) return;
    send([subscriber], { kind: "conversations", cursor: cursorOf(feed.last), traces, isMore });
  }

  return {
    async subscribe(project, cursor, subscriber) {
      let feed = await feedOf(project);
      // The feed may have been closed during the await, when its last subscriber left.
      while (opened.get(project.id) !== feed) feed = await feedOf(project);
      feed.subscribers.add(subscriber);
      const leave = () => {
        feed.subscribers.delete(subscriber);
        if (feed.subscribers.size > 0 || opened.get(project.id) !== feed) return;
        opened.delete(project.id);
        feeds.delete(project.id);
      };
      try {
        if (cursor !== undefined) await catchUp(feed, cursor, subscriber);
        send([subscriber], { kind: "ready", cursor: cursorOf(feed.last) });
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}

function send(subscribers: Iterable<Subscriber>, change: ProjectChange): void {
  const frame = Buffer.from(`id: ${change.cursor}\nevent: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`);
  for (const subscriber of subscribers) subscriber(frame, change.kind);
}
