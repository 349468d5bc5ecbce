import { contentOf } from "./attribute-values.ts";
import type { ToolRequest } from "./chat-messages.ts";
import type { ModelRequest } from "./chat-turns.ts";

/** A call that the model asked for, and what the chat says that came of it. */
export type AskedTool = ToolRequest & { request: ModelRequest; result: unknown };

/** From the answers of the model, and from the chats of later requests, which repeat them and tell the results. */
export function askedTools(requests: readonly ModelRequest[]): AskedTool[] {
  const asked: AskedTool[] = [];
  const callsOf = new Map<string, AskedTool[]>();
  const note = (call: ToolRequest, request: ModelRequest): AskedTool => {
    const noted: AskedTool = { ...call, request, result: null };
    const calls = callsOf.get(keyOf(call));
    if (calls === undefined) callsOf.set(keyOf(call), [noted]);
    else calls.push(noted);
    return noted;
  };
  requests.forEach((request, place) => {
    const before = requests[place - 1] ?? request;
    // Of a chat that is met in its middle, the calls before the user's last words belong to other spans.
    const told = place > 0 ? 0 : request.chat.findLastIndex(({ role, isSaid }) => isSaid && role === "user");
    const inChat = request.chat.flatMap((message, at) => message.asked.map((call) => ({ call, isOld: at < told })));
    for (const [key, calls] of Map.groupBy(inChat, ({ call }) => keyOf(call))) {
      for (const { call, isOld } of calls.slice(callsOf.get(key)?.length ?? 0)) {
        const noted = note(call, before);
        if (!isOld) asked.push(noted);
      }
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
    for (const call of request.answer.flatMap((message) => message.asked)) asked.push(note(call, request));
  });
  return asked;
}

/** The model's id of a call, which some give again to a later call. */
const keyOf = (call: Pick<ToolRequest, "id"> & Partial<ToolRequest>): string =>
  call.id === null ? `name ${call.name} ${JSON.stringify(contentOf(call.arguments))}` : `id ${call.id}`;
