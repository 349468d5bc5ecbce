import { ERRORS, ORGANIZATION_HEADER } from "@svc/contract";
import { type Schema, membersOf, typeText } from "./schema-text.ts";

/** A member of an object in the API reference. Its texts are Markdown without line breaks. */
export type Member = { name: string; type: string; required: boolean; meaning: string };

export type OperationOutline = {
  name: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  credential: string;
  /** Inputs, grouped by place: path, query, header, body. */
  inputs: { place: string; members: Member[] }[];
  answers: { status: string; text: string }[];
  errors: string[];
};

type GroupOutline = { name: string; description: string; operations: OperationOutline[] };

export type ShapeOutline = { name: string; type: string; meaning: string; members: Member[] };

export type Outline = {
  groups: GroupOutline[];
  shapes: ShapeOutline[];
  errors: { code: string; status: number; meaning: string }[];
};

type Content = Record<string, { schema?: Schema }>;
type Parameter = { in: string; name: string; required?: boolean; description?: string; schema: Schema };
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, readonly string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
type Document = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const PLACES: [place: string, title: string][] = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
];
const CREDENTIALS: Record<string, (permissions: readonly string[]) => string> = {
  apiKey: (permissions) => `an API key with ${permissions.map((name) => `\`${name}\``).join(" and ")}`,
  session: () => "a session",
};

export function outlineOf(document: object): Outline {
  const { tags, paths, components } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return {
    groups: tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)).map(describe),
    })),
    shapes: Object.entries(components.schemas)
      .map(([name, schema]) => ({
        name,
        type: typeText(schema),
        meaning: inline(schema.description),
        members: membersOf(schema),
      }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    errors: Object.entries(ERRORS).map(([code, { status, meaning }]) => ({ code, status, meaning })),
  };
}

type Located = { path: string; method: string; operation: Operation };

function describe({ path, method, operation }: Located): OperationOutline {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const inputs = PLACES.map(([place, title]) => ({
    place: title,
    members: parameters.filter((one) => one.in === place && one.name !== ORGANIZATION_HEADER).map(parameterMember),
  }));
  const [bodyType, body] =
    Object.entries(requestBody?.content ?? {}).find(([type]) => type === "application/json") ?? [];
  if (bodyType !== undefined) inputs.push({ place: "Body", members: bodyMembers(body!.schema!) });
  const statuses = Object.entries(responses);
  return {
    name: operationId,
    method,
    path,
    summary,
    description: description ?? "",
    credential:
      security
        .flatMap((one) => Object.entries(one).map(([name, permissions]) => CREDENTIALS[name]!(permissions)))
        .join(" or ") || "none",
    inputs: inputs.filter(({ members }) => members.length > 0),
    answers: statuses
      .filter(([status]) => !isError(responses[status]!))
      .map(([status, answer]) => ({
        status,
        text: [inline(answer.description), ...contentTypes(answer.content)].join(" "),
      })),
    errors: statuses
      .filter(([status]) => isError(responses[status]!))
      .flatMap(([, { description }]) => description.match(/`\w+`/g) ?? []),
  };
}

/** Returns whether an answer is an error. The description of an error answer consists of error codes. */
const isError = ({ description }: { description: string }) => /^`\w+`(?:, `\w+`)*$/.test(description);

const parameterMember = ({ name, required, description, schema }: Parameter): Member => ({
  name,
  type: typeText(schema),
  required: required === true,
  meaning: inline(description ?? schema.description),
});

/** Returns the members of a body. A body without members becomes one member with an empty name. */
function bodyMembers(schema: Schema): Member[] {
  const members = membersOf(schema);
  return members.length > 0
    ? members
    : [{ name: "", type: typeText(schema), required: true, meaning: inline(schema.description) }];
}

function contentTypes(content: Content = {}): string[] {
  return Object.entries(content).map(([type, { schema = {} }]) => {
    if (type !== "application/json") return `\`${type}\``;
    const names = membersOf(schema).map(({ name, type }) => `\`${name}\`: ${type}`);
    return names.length > 0 && !schema.$ref ? `An object: ${names.join("; ")}.` : `${typeText(schema)}.`;
  });
}

const inline = (text = ""): string => text.replaceAll(/\s+/g, " ").trim();
