import { type ProjectEvent, textOfEvent } from "@svc/contract";

const SLACK_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (character) => SLACK_ESCAPES[character]!);

export function slackMessage(event: ProjectEvent) {
  const { title, lines } = textOfEvent(event);
  const text = [`*${escaped(title)}*`, ...lines.map(escaped), `<${event.link}|Open>`].join("\n");
  return { text: escaped(title), blocks: [{ type: "section", text: { type: "mrkdwn", text } }] };
}

/** Returns a mail about one event, or about the events of a digest, oldest first. */
export function mailOf(events: readonly ProjectEvent[]): { subject: string; text: string } {
  const parts = events.map((event) => {
    const { title, lines } = textOfEvent(event);
    return { title, text: [title, ...lines, event.link].join("\n") };
  });
  const subject = parts.length === 1 ? parts[0]!.title : `${parts.length} events`;
  return { subject: `[svc] ${subject}`, text: `${parts.map(({ text }) => text).join("\n\n")}\n` };
}
