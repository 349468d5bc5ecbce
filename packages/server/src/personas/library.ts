export type LibraryPersona = { id: string; name: string; description: string };

const persona = (tail: string, name: string, description: string): LibraryPersona => ({
  id: `prs_${tail.padStart(26, "0")}`,
  name,
  description,
});

/** The personas that ship with the service; their ids never change, because test versions pin them. */
export const LIBRARY: readonly LibraryPersona[] = [
  persona("1", "calm", "Speaks evenly, answers what is asked."),
  persona("2", "hurried", "Short of time; pushes for the result."),
  persona("3", "confused", "Mixes things up and asks again."),
  persona("4", "angry", "Upset from the first word."),
  persona("5", "elderly", "Speaks slowly, hears badly, tells a story along the way."),
  persona("6", "non-native", "Limited vocabulary and a strong accent."),
  persona("7", "noisy-line", "Street noise and a poor line."),
  persona("8", "interrupting", "Talks over the agent."),
  persona("9", "silent", "Leaves long pauses and answers in single words."),
  persona("a", "code-switching", "Changes between two languages."),
  persona("b", "spelling-names", "Spells names, ids and addresses letter by letter."),
  persona("c", "adversarial", "Tries to lead the agent off its task."),
];
