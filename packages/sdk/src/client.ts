import type { Answer, Input, Operation, Operations } from "@svc/contract";
import { type RequestShape, requests } from "@svc/contract/requests";
import type { CallOptions, ClientOptions, OtlpBody } from "./options.ts";
import { type Http, send } from "./send.ts";
import { readSettings } from "./settings.ts";

type InputFor<O extends Operation> = O["body"] extends "otlp" ? OtlpBody : Input<O>;
type Optional<T> = object extends T ? [input?: T, options?: CallOptions] : [input: T, options?: CallOptions];
type OperationOf<Family extends keyof Operations, Name extends keyof Operations[Family]> = Extract<
  Operations[Family][Name],
  Operation
>;

/** Method of an operation. It is an interface, so that messages of the compiler contain its name and not the whole operation. */
interface Method<Family extends keyof Operations, Name extends keyof Operations[Family]> {
  (...call: Optional<InputFor<OperationOf<Family, Name>>>): Promise<Answer<OperationOf<Family, Name>>>;
}

/**
 * Client with one method per operation, grouped by resource: `client.tests.create({...})`. An operation that exists under both `/v1`
 * and `/api` has one method.
 *
 * The first argument of a method is one flat object with the path parameters, the query, the body and the headers. The second
 * argument is `CallOptions`. The method resolves with the answer. It rejects with an `SvcError` when the service rejects the request
 * or does not answer. A method needs no `this`: `pages(client.tests.list)` works.
 */
export type Client = {
  [Family in keyof Operations]: {
    [Name in keyof Operations[Family] as Operations[Family][Name] extends { twinOf: string } ? never : Name]: Method<
      Family,
      Name
    >;
  };
};

/**
 * Creates a client. The client sends no request until you call a method.
 *
 * ```ts
 * const client = createClient(); // reads SVC_URL and SVC_API_KEY
 * const { items } = await client.tests.list();
 * ```
 *
 * @throws TypeError when the address or the key is missing or malformed. The message contains the fix.
 */
export function createClient(options: ClientOptions = {}): Client {
  const http: Http = {
    ...readSettings(options),
    // A browser's fetch throws when it is called as a method of another object.
    fetch: (address, init) => (options.fetch ?? fetch)(address, init),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 2,
  };
  const methodsOf = (family: Readonly<Record<string, RequestShape>>) =>
    Object.fromEntries(
      Object.entries(family).map(([name, op]) => [
        name,
        (input: Record<string, unknown> = {}, call: CallOptions = {}) => send(http, op, input, call),
      ]),
    );
  const families = Object.entries(requests).map(([name, family]) => [name, methodsOf(family)]);
  return Object.fromEntries(families) as Client;
}
