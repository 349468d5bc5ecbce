import { PROJECT_PAGES, SETTINGS_PAGES } from "../page-names.ts";

type PaletteEntry = {
  group: string;
  label: string;
  detail?: string;
  to: string;
  params: Record<string, string>;
  search?: Record<string, string>;
};

type Named = { id: string; name: string };
type Content = {
  params: { organizationId: string; project: string };
  canWrite: boolean;
  tests: readonly Named[];
  agents: readonly Named[];
  runs: readonly { id: string; name: string | null; agentName: string }[];
};

const P = "/o/$organizationId/p/$project";
const GROUP_MAX = 6;

const ACTIONS: [label: string, path: string][] = [
  ["Start a run", "/runs/new"],
  ["Write a test", "/tests/new"],
  ["Create a persona", "/personas/new"],
  ["Create a grader", "/graders/new"],
];

/** Returns the entries that contain every word of a text, by group. If the text is not empty, the last entry searches conversations. */
export function paletteEntries(text: string, { params, canWrite, tests, agents, runs }: Content): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = (entries: PaletteEntry[]) =>
    entries
      .filter(({ label, detail = "" }) => words.every((word) => `${label} ${detail}`.toLowerCase().includes(word)))
      .slice(0, GROUP_MAX);
  const page = (group: string, label: string, to: string): PaletteEntry => ({ group, label, to, params });
  const all = [
    ...matching(PROJECT_PAGES.map(([label, segment]) => page("Pages", label, segment === "" ? P : `${P}/${segment}`))),
    ...matching(canWrite ? ACTIONS.map(([label, path]) => page("Do", label, `${P}${path}`)) : []),
    ...matching(
      tests.map(({ id, name }) => ({
        group: "Tests",
        label: name,
        to: `${P}/tests/$testId`,
        params: { ...params, testId: id },
      })),
    ),
    ...matching(
      agents.map(({ id, name }) => ({
        group: "Agents",
        label: name,
        to: `${P}/agents/$agentId`,
        params: { ...params, agentId: id },
      })),
    ),
    ...matching(
      runs.map(({ id, name, agentName }) => ({
        group: "Runs",
        label: name ?? agentName,
        ...(name !== null && { detail: agentName }),
        to: `${P}/runs/$runId`,
        params: { ...params, runId: id },
      })),
    ),
    ...matching(SETTINGS_PAGES.map(([label, path]) => page("Settings", label, `/o/$organizationId/settings/${path}`))),
  ];
  if (words.length === 0) return all;
  const search: PaletteEntry = {
    group: "Conversations",
    label: `Search what was said: “${text.trim()}”`,
    to: `${P}/conversations`,
    params,
    search: { search: text.trim() },
  };
  return [...all, search];
}
