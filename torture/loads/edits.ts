import { pages } from "@svc/sdk";
import { type Access, isUnknown, type Load } from "./load.ts";

type Subject = { id: string; name: string; current: string; texts: string[]; open: string | undefined };
const TESTS = 4;

/** Edits tests. Each edit is based on the version before it. */
export function editLoad(): Load {
  const subjects: Subject[] = [];
  let serial = 0;

  const wanted = (name: string, scenario: string) => ({ name, scenario, expected_behaviors: ["Is kind."] });

  async function prepare({ client }: Access): Promise<void> {
    for (let at = 0; at < TESTS; at++) {
      const name = `edited ${at}`;
      const text = `text 0 of ${name}`;
      const { id, version_id } = await client.tests.create(wanted(name, text));
      subjects.push({ id, name, current: version_id, texts: [text], open: undefined });
    }
  }

  async function step({ client, draws }: Access): Promise<void> {
    const subject = draws.pick(subjects);
    // An edit without an answer either happened or did not. The version that the service shows decides.
    if (subject.open !== undefined) {
      const { version_id, scenario } = await client.tests.get({ testId: subject.id });
      if (scenario === subject.open) subject.texts.push(subject.open);
      subject.current = version_id;
      subject.open = undefined;
    }
    const text = `text ${++serial} of ${subject.name}`;
    try {
      const edit = { testId: subject.id, expected_version_id: subject.current, scenario: text };
      subject.current = (await client.tests.edit(edit)).version_id;
      subject.texts.push(text);
    } catch (error) {
      if (isUnknown(error)) subject.open = text;
      throw error;
    }
  }

  async function faults({ client }: Access): Promise<string[]> {
    const found: string[] = [];
    for (const { id, name, texts, open } of subjects) {
      const stored: string[] = [];
      for await (const { scenario } of pages(client.tests.versions, { testId: id, limit: 200 }))
        stored.unshift(scenario);
      const isWhole = JSON.stringify(stored) === JSON.stringify(texts);
      const hasOpen = open !== undefined && JSON.stringify(stored) === JSON.stringify([...texts, open]);
      if (!isWhole && !hasOpen) found.push(`edits: the versions of ${name} differ: ${firstDifference(texts, stored)}`);
    }
    return found;
  }

  return {
    name: "edits",
    prepare,
    step,
    faults,
    acknowledged: () => subjects.reduce((sum, { texts }) => sum + texts.length, 0),
    plant: () => void subjects[0]!.texts.push("a text that was never sent"),
  };
}

function firstDifference(expected: readonly string[], stored: readonly string[]): string {
  const at = expected.findIndex((text, place) => stored[place] !== text);
  return at === -1
    ? `${stored.length} are stored, ${expected.length} were acknowledged`
    : `at ${at} "${stored[at] ?? "nothing"}" is stored and "${expected[at]}" was acknowledged`;
}
