import { z } from "zod";
import { readsProject, writesProject } from "./access.ts";
import type { Operation } from "./operation.ts";
import { nextPageToken, pageQuery } from "./pagination.ts";
import { projectId } from "./selection.ts";

/** An operation without the fields that its builder fills in. A given field replaces the builder's. */
type Particulars = Omit<Operation, "method" | "status" | "credential" | "scope"> & Partial<Operation>;

/** `Given`, completed with the fields of `Filled` that it lacks. */
type Declared<Filled, Given> = {
  [Field in keyof Filled | keyof Given]: Field extends keyof Given
    ? Given[Field]
    : Field extends keyof Filled
      ? Filled[Field]
      : never;
};

const declared = <const Filled, Given>(filled: Filled, given: Given) =>
  ({ ...filled, ...given }) as Declared<Filled, Given>;

const READ = { method: "GET", ...readsProject, status: 200 } as const;

/** Declares `GET path` of a project, with status 200. */
export const getOperation = <const Given extends Particulars>(given: Given) => declared(READ, given);

/** Declares `POST path` of a project, which creates a resource and answers it with status 201. */
export const createOperation = <const Given extends Particulars>(given: Given) =>
  declared({ method: "POST", ...writesProject, status: 201 }, given);

/** Declares `PATCH path` of a project, which changes a resource and answers it with status 200. */
export const editOperation = <const Given extends Particulars>(given: Given) =>
  declared({ method: "PATCH", ...writesProject, status: 200 }, given);

/** Declares `DELETE path` of a project, with status 204 and therefore without an answer. */
export const deleteOperation = <const Given extends Particulars>({ answer: _, ...given }: Given) =>
  declared({ method: "DELETE", ...writesProject, status: 204 }, given);

/** Declares `POST path/archive` of a project, which answers the archived resource with status 200. */
export const archiveOperation = <const Given extends Particulars>(given: Given) =>
  declared({ method: "POST", ...writesProject, status: 200 }, { ...given, path: `${given.path}/archive` });

/** Declares `POST path/restore` of a project, which answers the restored resource with status 200. */
export const restoreOperation = <const Given extends Particulars>(given: Given) =>
  declared({ method: "POST", ...writesProject, status: 200 }, { ...given, path: `${given.path}/restore` });

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

type Listing<Given extends ListParticulars> = Omit<Given, "items" | "filters" | "query" | "answer"> & {
  query: ListQuery<Given["filters"] extends Shape ? Given["filters"] : unknown>;
  answer: ListAnswer<Given["items"]>;
};

/** Declares `GET path` of a project, which answers one page of items with status 200. */
export const listOperation = <const Given extends ListParticulars>({ items, filters, ...given }: Given) => {
  const arrays = Object.entries(items).map(([name, item]) => [name, z.array(item)] as const);
  const query = z.strictObject({ projectId, ...filters, ...pageQuery });
  const answer = z.strictObject({ ...Object.fromEntries(arrays), nextPageToken });
  return declared(READ, { ...given, query, answer } as unknown as Listing<Given>);
};
