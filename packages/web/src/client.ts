import { type Client, createClient } from "@svc/sdk";

/** The request header that names the organization of a request with a session. */
const ORGANIZATION_HEADER = "Svc-Organization";

const clients = new Map<string, Client>();

/** Returns the client whose requests act in an organization; without one, in the session's current organization. */
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
