import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import type { Operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { projectId } from "./selection.ts";

/** Operation without the fields that a builder sets. A field that the spec contains replaces the builder's field. */
type Particulars = Omit<Operation, "method" | "status" | "credential" | "scope"> & Partial<Operation>;

/** `Spec`, with the fields of `Defaults` that `Spec` lacks. */
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

/** Declares a read: `GET path` in a project, with status 200. */
export const getOperation = <const Spec extends Particulars>(spec: Spec) => declared(READ, spec);

/** Declares a creation: `POST path` in a project. It returns the new resource with status 201. */
export const createOperation = <const Spec extends Particulars>(spec: Spec) =>
  declared({ method: "POST", ...writesProject, status: 201 }, spec);

/** Declares an edit: `PATCH path` in a project. It returns the changed resource with status 200. */
export const editOperation = <const Spec extends Particulars>(spec: Spec) =>
  declared({ method: "PATCH", ...writesProject, status: 200 }, spec);

/** Declares a deletion: `DELETE path` in a project. It returns status 204 without a body, so an `answer` in the spec is dropped. */
export const deleteOperation = <const Spec extends Particulars>({ answer: _, ...spec }: Spec) =>
  declared({ method: "DELETE", ...writesProject, status: 204 }, spec);

/** Declares `POST path/archive` in a project. It returns the archived resource with status 200. */
export const archiveOperation = <const Spec extends Particulars>(spec: Spec) => actionOperation(spec, "archive");

/** Declares `POST path/restore` in a project. It returns the restored resource with status 200. */
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
  /** Arrays of the answer: the name of each array, with the schema of one item. */
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

/** Declares a list: `GET path` in a project. It returns one page of items with status 200. */
export const listOperation = <const Spec extends ListParticulars>({ items, filters, ...spec }: Spec) => {
  const arrays = Object.entries(items).map(([name, item]) => [name, z.array(item)] as const);
  const query = z.strictObject({ projectId, ...filters, ...pageQuery });
  const answer = z.strictObject({ ...Object.fromEntries(arrays), nextPageToken });
  return declared(READ, { ...spec, query, answer } as unknown as Listing<Spec>);
};
