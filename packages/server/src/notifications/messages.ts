import { type ProjectEvent, textOfEvent } from "@svc/contract";

const SLACK_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (character) => SLACK_ESCAPES[character]!);

export function slackMessage(event: ProjectEvent) {
  const { title, lines, links = [] } = textOfEvent(event);
  const conversations = links.map(({ words, href }) => `<${href}|${escaped(words)}>`);
  const text = [`*${escaped(title)}*`, ...lines.map(escaped), ...conversations, `<${event.link}|Open>`].join("\n");
  return { text: escaped(title), blocks: [{ type: "section", text: { type: "mrkdwn", text } }] };
}

/** Returns a mail about one event, or about the events of a digest, oldest first. */
export function mailOf(events: readonly ProjectEvent[]): { subject: string; text: string } {
  const parts = events.map((event) => {
    const { title, lines, links = [] } = textOfEvent(event);
    const conversations = links.map(({ words, href }) => `${words}: ${href}`);
    return { title, text: [title, ...lines, ...conversations, event.link].join("\n") };
  });
  const subject = parts.length === 1 ? parts[0]!.title : `${parts.length} events`;
  return { subject: `[svc] ${subject}`, text: `${parts.map(({ text }) => text).join("\n\n")}\n` };
}
