import type { Session } from "./session/session.ts";
import { didYouMean } from "@svc/contract/constants";
import { Refusal } from "./refusal.ts";

type Resource = { id: string; name: string };

type ResourceKind = {
  prefix: string;
  list: string;
  resources(session: Session, archived: boolean): AsyncIterable<Resource>;
};

const PAGE = 200;

const KINDS = {
  project: {
    prefix: "prj",
    list: "projects list",
    resources: ({ client, pages }) => pages(client.projects.list, { pageSize: PAGE }),
  },
  suite: {
    prefix: "ste",
    list: "suites list",
    resources: ({ client, projectId, pages }) => pages(client.suites.list, { projectId, pageSize: PAGE }),
  },
  test: {
    prefix: "tst",
    list: "tests list",
    resources: ({ client, projectId, pages }) => pages(client.tests.list, { project: projectId, limit: PAGE }),
  },
  agent: {
    prefix: "agt",
    list: "agents list",
    resources: ({ client, projectId, pages }, archived) =>
      pages(client.agents.list, { projectId, archived, pageSize: PAGE }),
  },
  persona: {
    prefix: "prs",
    list: "personas list",
    resources: ({ client, projectId, pages }, archived) =>
      pages(client.personas.list, { projectId, archived, pageSize: PAGE }),
  },
  schedule: {
    prefix: "sch",
    list: "schedules list",
    resources: ({ client, projectId, pages }) => pages(client.schedules.list, { projectId, pageSize: PAGE }),
  },
  grader: {
    prefix: "grd",
    list: "graders list",
    resources: ({ client, projectId, pages }, archived) =>
      pages(client.graders.list, { projectId, archived, pageSize: PAGE }),
  },
  destination: {
    prefix: "dst",
    list: "destinations list",
    resources: ({ client, projectId, pages }) => pages(client.destinations.list, { projectId, pageSize: PAGE }),
  },
  trunk: {
    prefix: "trk",
    list: "trunks list",
    resources: ({ client, projectId, pages }) => pages(client.trunks.list, { projectId, pageSize: PAGE }),
  },
  view: {
    prefix: "viw",
    list: "views list",
    resources: ({ client, projectId, pages }) => pages(client.views.list, { projectId, pageSize: PAGE }),
  },
  "alert-rule": {
    prefix: "alr",
    list: "alert-rules list",
    resources: ({ client, projectId, pages }) => pages(client.alertRules.list, { projectId, pageSize: PAGE }),
  },
} satisfies Record<string, ResourceKind>;

type LookUpOptions = {
  /** Searches archived resources instead of live resources. */
  archived?: boolean;
};

/** Throws for a name that no resource or several resources have. */
export async function idOf(
  session: Session,
  kind: keyof typeof KINDS,
  idOrName: string,
  options?: LookUpOptions,
): Promise<string> {
  const [id] = await idsOf(session, kind, [idOrName], options);
  return id!;
}

/** Lists the resources at most once. When only ids are given, does not check that the resources exist. */
export async function idsOf(
  session: Session,
  kind: keyof typeof KINDS,
  idsOrNames: readonly string[],
  { archived = false }: LookUpOptions = {},
): Promise<string[]> {
  const { prefix, list, resources }: ResourceKind = KINDS[kind];
  const noun = kind.replace("-", " ");
  return resolveIds(idsOrNames, prefix, {
    resources: () => resources(session, archived),
    noun: archived ? `archived ${noun}` : noun,
    list: archived ? `${list} --archived` : list,
  });
}

export async function connectionIdsOf(
  session: Session,
  { agent, connection }: { agent: string; connection: string },
  { archived = false }: LookUpOptions = {},
): Promise<{ agentId: string; connectionId: string; projectId: string | undefined }> {
  const { client, projectId, pages } = session;
  const agentId = await idOf(session, "agent", agent);
  const list = `connections list ${agentId}`;
  const [connectionId] = await resolveIds([connection], "con", {
    resources: () => pages(client.connections.list, { agentId, projectId, archived, pageSize: PAGE }),
    noun: archived ? "archived connection" : "connection",
    list: archived ? `${list} --archived` : list,
  });
  return { agentId, connectionId: connectionId!, projectId };
}

type LookUp = { resources(): AsyncIterable<Resource>; noun: string; list: string };

async function resolveIds(
  idsOrNames: readonly string[],
  prefix: string,
  { resources, noun, list }: LookUp,
): Promise<string[]> {
  const names = new Set(idsOrNames.filter((text) => !isId(prefix, text)));
  const idsByName = new Map<string, string[]>();
  if (names.size > 0) {
    for await (const { id, name } of resources()) idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
  }
  return idsOrNames.map((text) => {
    if (!names.has(text)) return text;
    const [id, ...others] = idsByName.get(text) ?? [];
    if (id === undefined)
      throw new Refusal(
        "not_found",
        `There is no ${noun} "${text}" that your key can read.${didYouMean(text, idsByName.keys())} See \`svc ${list}\`.`,
      );
    if (others.length === 0) return id;
    throw new Refusal("not_found", `More than one ${noun} has the name "${text}". Use an id from \`svc ${list}\`.`);
  });
}

export const isId = (prefix: string, text: string): boolean => new RegExp(`^${prefix}_[0-9a-z]{26}$`).test(text);

export const isNamed = ({ id, name }: Resource, idOrName: string | undefined): boolean =>
  idOrName !== undefined && (id === idOrName || name === idOrName);
