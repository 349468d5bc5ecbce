import { openApiDocument } from "../../packages/contract/src/openapi.ts";
import {
  type Member,
  type OperationOutline,
  outlineOf,
  type ShapeOutline,
} from "../../packages/server/src/operations/health/reference/outline.ts";

const HEAD = `# API

A running service shows this page at \`/docs/reference\`, and the same interface in OpenAPI 3.1 at \`/openapi.json\`. Send an API key as
\`Authorization: Bearer svc_sk_…\`. Operations under \`/api\` use snake_case, and operations under \`/v1\` use
camelCase ([why](decisions/12-two-casings.md)). The header \`Svc-Organization\` names another organization of a session for one request ([people.md](people.md)).`;

/** Returns docs/api.md: every operation with its inputs, answers and errors, and the schemas that operations share. */
export function apiPage(): string {
  const { groups, shapes, errors } = outlineOf(openApiDocument());
  return [
    HEAD,
    ...groups.flatMap(({ name, description, operations }) => [
      `## ${name}`,
      description,
      ...operations.map(operationText),
    ]),
    "## Shapes",
    ...shapes.map(shapeText),
    "## Errors",
    "A refusal has the members `error`, `message` and sometimes `details`. `error` is one of these codes:",
    errors.map(({ code, status, meaning }) => `- \`${code}\` (${status}): ${meaning}`).join("\n"),
  ].join("\n\n");
}

const operationText = ({
  name,
  method,
  path,
  summary,
  description,
  credential,
  inputs,
  answers,
  errors,
}: OperationOutline) =>
  [
    `### ${summary}`,
    `\`${method} ${path}\` · credential: ${credential} · \`client.${name}\``,
    ...(description === "" ? [] : [description]),
    ...inputs.map(({ place, members }) => `${place}:\n\n${list(members)}`),
    answers.map(({ status, text }) => `Answer ${status}: ${text}`).join("\n\n"),
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join(", ")}.`]),
  ].join("\n\n");

const shapeText = ({ name, type, meaning, members }: ShapeOutline) =>
  [`### ${name}`, ...(meaning === "" ? [] : [meaning]), members.length === 0 ? type : list(members)].join("\n\n");

const list = (members: Member[]) => members.map(item).join("\n");

function item({ name, type, required, meaning }: Member): string {
  const kind = `${type}${required ? "" : ", optional"}`;
  return name === "" ? `- ${kind}${tail(meaning)}` : `- \`${name}\` (${kind})${tail(meaning)}`;
}

const tail = (meaning: string) => (meaning === "" ? "" : `: ${meaning}`);
