import { byStart } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { AskedTool } from "./chat-messages.ts";
import type { ModelRequest } from "./chat-turns.ts";
import { headCount } from "../sorted.ts";
import type { ToolCallDraft, TurnDraft } from "./vocabulary.ts";

/** A tool's own span, what it tells; null for what it does not. */
export type ToolRun = {
  span: StoredSpan;
  id: string | null;
  name: string | null;
  arguments: unknown;
  result: unknown;
  isError: boolean | null;
};

/** A call that the model asked for, and what the chat says that came of it. */
type Asked = AskedTool & { request: ModelRequest; result: unknown };

/**
 * Every call once: as its span has it, completed from the chat; without a span, from the chat alone, beginning when the
 * model has asked for it. `requests` by start.
 */
export function chatTools(
  runs: readonly ToolRun[],
  requests: readonly ModelRequest[],
  turnOf: (request: ModelRequest) => TurnDraft | null,
): ToolCallDraft[] {
  const asked = askedTools(requests);
  const free = new Set(asked);
  const byId = inOrder(Map.groupBy(asked, ({ id }) => id));
  const byName = inOrder(Map.groupBy(asked, ({ name }) => name));
  const take = ({ id, name, span }: ToolRun): Asked | undefined => {
    const waiting = id === null ? byName.get(name) : byId.get(id);
    if (waiting === undefined) return undefined;
    while (waiting.length > 0 && !free.has(waiting.at(-1)!)) waiting.pop();
    const next = waiting.at(-1);
    if (next === undefined || next.request.span.startNs > span.startNs) return undefined;
    free.delete(next);
    return next;
  };
  const ran = runs
    .toSorted((a, b) => byStart(a.span, b.span))
    .map(({ span, ...run }): ToolCallDraft => {
      const call = take({ span, ...run });
      const request = call?.request ?? requests[headCount(requests, (one) => one.span.startNs <= span.startNs) - 1];
      return {
        id: run.id ?? call?.id ?? null,
        name: run.name ?? call?.name ?? null,
        arguments: run.arguments ?? call?.arguments ?? null,
        result: run.result ?? call?.result ?? null,
        isError: run.isError,
        startNs: span.startNs,
        endNs: span.endNs,
        turn: request === undefined ? null : turnOf(request),
        spanId: span.spanId,
      };
    });
  const unseen = [...free].map(({ request, ...call }): ToolCallDraft => {
    const { span } = request;
    const asked = { startNs: span.endNs ?? span.startNs, endNs: null, isError: null, spanId: span.spanId };
    return { ...call, ...asked, turn: turnOf(request) };
  });
  return [...ran, ...unseen];
}

/** The earliest call of each list last, where it can be taken off. */
const inOrder = (calls: Map<string | null, Asked[]>): Map<string | null, Asked[]> =>
  new Map([...calls].map(([key, list]) => [key, list.toReversed()]));

/** From the answers of the model, and from the chats of later requests, which repeat them and tell the results. */
function askedTools(requests: readonly ModelRequest[]): Asked[] {
  const asked: Asked[] = [];
  const callsOf = new Map<string, Asked[]>();
  const add = (call: AskedTool, request: ModelRequest) => {
    const one: Asked = { ...call, request, result: null };
    asked.push(one);
    const calls = callsOf.get(keyOf(call));
    if (calls === undefined) callsOf.set(keyOf(call), [one]);
    else calls.push(one);
  };
  requests.forEach((request, place) => {
    const before = requests[place - 1] ?? request;
    const repeated = Map.groupBy(
      request.chat.flatMap((message) => message.asked),
      keyOf,
    );
    for (const [key, calls] of repeated) {
      for (const call of calls.slice(callsOf.get(key)?.length ?? 0)) add(call, before);
    }
    const answered = Map.groupBy(
      request.chat.flatMap((message) => message.answers),
      ({ id }) => id,
    );
    for (const [id, answers] of answered) {
      const calls = id === null ? undefined : callsOf.get(keyOf({ id }));
      if (calls === undefined) continue;
      // A chat may have lost its beginning, never its end.
      answers.slice(-calls.length).forEach(({ result }, at, { length }) => {
        calls[calls.length - length + at]!.result = result;
      });
    }
    for (const call of request.answer.flatMap((message) => message.asked)) add(call, request);
  });
  return asked;
}

/** The model's id of a call, which some give again to a later call. */
const keyOf = (call: Pick<AskedTool, "id"> & Partial<AskedTool>): string =>
  call.id === null ? `name ${call.name} ${JSON.stringify(call.arguments)}` : `id ${call.id}`;
