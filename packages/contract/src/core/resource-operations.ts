import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import type { Operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { projectId } from "./selection.ts";

/** An operation without the fields that its builder fills in. A field of the spec replaces the builder's. */
type Particulars = Omit<Operation, "method" | "status" | "credential" | "scope"> & Partial<Operation>;

/** `Spec`, completed with the fields of `Defaults` that it lacks. */
type Declared<Defaults, Spec> = {
  [Field in keyof Defaults | keyof Spec]: Field extends keyof Spec
    ? Spec[Field]
    : Field extends keyof Defaults
      ? Defaults[Field]
      : never;
};

const declared = <const Defaults, Spec>(defaults: Defaults, spec: Spec) =>
  ({ ...defaults, ...spec }) as Declared<Defaults, Spec>;

const READ = { method: "GET", ...readsProject, status: 200 } as const;

/** Declares `GET path` of a project, with status 200. */
export const getOperation = <const Spec extends Particulars>(spec: Spec) => declared(READ, spec);

/** Declares `POST path` of a project, which creates a resource and answers with it and status 201. */
export const createOperation = <const Spec extends Particulars>(spec: Spec) =>
  declared({ method: "POST", ...writesProject, status: 201 }, spec);

/** Declares `PATCH path` of a project, which changes a resource and answers with it and status 200. */
export const editOperation = <const Spec extends Particulars>(spec: Spec) =>
  declared({ method: "PATCH", ...writesProject, status: 200 }, spec);

/** Declares `DELETE path` of a project, with status 204 and therefore without an answer. */
export const deleteOperation = <const Spec extends Particulars>({ answer: _, ...spec }: Spec) =>
  declared({ method: "DELETE", ...writesProject, status: 204 }, spec);

/** Declares `POST path/archive` of a project, which answers with the archived resource and status 200. */
export const archiveOperation = <const Spec extends Particulars>(spec: Spec) => actionOperation(spec, "archive");

/** Declares `POST path/restore` of a project, which answers with the restored resource and status 200. */
export const restoreOperation = <const Spec extends Particulars>(spec: Spec) => actionOperation(spec, "restore");

type Action<Spec extends Particulars, Name extends string> = Omit<Spec, "path"> & {
  path: `${Spec["path"]}/${Name}`;
};

const actionOperation = <Spec extends Particulars, Name extends string>(spec: Spec, action: Name) =>
  declared({ method: "POST", ...writesProject, status: 200 }, {
    ...spec,
    path: `${spec.path}/${action}`,
  } as Action<Spec, Name>);

type Shape = Readonly<Record<string, z.ZodType>>;

type ListParticulars = Omit<Particulars, "query" | "answer"> & {
  /** The answer's array of items: its name and the schema of one item. */
  items: Shape;
  /** Query parameters besides the project and the page. */
  filters?: Shape;
};

type ListQuery<Filters> = z.ZodObject<
  { projectId: typeof projectId } & { -readonly [Name in keyof Filters]: Filters[Name] } & typeof pageQuery,
  z.core.$strict
>;

type ListAnswer<Items extends Shape> = z.ZodObject<
  { -readonly [Name in keyof Items]: z.ZodArray<Items[Name]> } & { nextPageToken: typeof nextPageToken },
  z.core.$strict
>;

type Listing<Spec extends ListParticulars> = Omit<Spec, "items" | "filters" | "query" | "answer"> & {
  query: ListQuery<Spec["filters"] extends Shape ? Spec["filters"] : unknown>;
  answer: ListAnswer<Spec["items"]>;
};

/** Declares `GET path` of a project, which answers with one page of items and status 200. */
export const listOperation = <const Spec extends ListParticulars>({ items, filters, ...spec }: Spec) => {
  const arrays = Object.entries(items).map(([name, item]) => [name, z.array(item)] as const);
  const query = z.strictObject({ projectId, ...filters, ...pageQuery });
  const answer = z.strictObject({ ...Object.fromEntries(arrays), nextPageToken });
  return declared(READ, { ...spec, query, answer } as unknown as Listing<Spec>);
};
