import { type ProjectEvent, textOfEvent } from "@svc/contract";

const SLACK_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (character) => SLACK_ESCAPES[character]!);

/** `quote` is one line of a conversation's words. */
export function slackMessage(event: ProjectEvent, quote: string | null = null) {
  const { title, lines, links = [] } = textOfEvent(event);
  const conversations = links.map(({ words, href }) => `<${href}|${escaped(words)}>`);
  const text = [`*${escaped(title)}*`, ...lines.map(escaped), ...conversations, `<${event.link}|Open>`].join("\n");
  return { text: escaped(title), blocks: [section(text), ...(quote === null ? [] : [quoted(quote)])] };
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

/**
 * The words have a block of their own, so that marks in them do not change the rest of the message. `verbatim` keeps Slack from making links
 * and mentions of them.
 */
const quoted = (quote: string) => ({
  type: "section",
  text: { type: "mrkdwn", text: `> “${escaped(quote)}”`, verbatim: true },
});

/**
 * Returns a mail about one event, or about the events of a digest, oldest first. `quotes` has what the mail quotes about an event, by the
 * event's id.
 */
export function mailOf(
  events: readonly ProjectEvent[],
  quotes: ReadonlyMap<string, string> = new Map(),
): { subject: string; text: string } {
  const parts = events.map((event) => {
    const { title, lines, links = [] } = textOfEvent(event);
    const conversations = links.map(({ words, href }) => `${words}: ${href}`);
    const quote = quotes.get(event.id);
    const said = quote === undefined ? [] : [`> “${quote}”`];
    return { title, text: [title, ...lines, ...said, ...conversations, event.link].join("\n") };
  });
  const subject = parts.length === 1 ? parts[0]!.title : `${parts.length} events`;
  return { subject: `[svc] ${subject}`, text: `${parts.map(({ text }) => text).join("\n\n")}\n` };
}
