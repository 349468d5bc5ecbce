import { type Client, createClient } from "@svc/sdk";

/** Request header with the id of the organization in which a session acts. */
const ORGANIZATION_HEADER = "Svc-Organization";

const clients = new Map<string, Client>();

/** Without an id, requests of the client act in the current organization of the session. */
export function clientOf(organizationId = ""): Client {
  const known = clients.get(organizationId);
  if (known) return known;
  const client = createClient({
    baseUrl: location.origin,
    retries: 1,
    fetch: (input, init) => {
      const request = new Request(input, init);
      if (organizationId !== "") request.headers.set(ORGANIZATION_HEADER, organizationId);
      return fetch(request);
    },
  });
  clients.set(organizationId, client);
  return client;
}
