import { presentKey } from "../api-keys/open.ts";
import type { KeyStore } from "../api-keys/store.ts";
import type { Routes } from "../../http/operation.ts";
import type { OrganizationStore } from "../organizations/store.ts";
import type { PeopleStore } from "./store/people.ts";

type Needs = { people: PeopleStore; organizations: OrganizationStore; keys: Pick<KeyStore, "find"> };

export function identityRoutes({ people, organizations, keys }: Needs): Routes<"identity"> {
  return {
    identity: {
      get: async ({ caller }) => {
        const person = (await people.find(caller.userId))!;
        const organization = await organizations.get(caller.organizationId);
        const key = caller.keyId === null ? undefined : await keys.find(caller.keyId);
        const { project } = caller;
        return {
          identity: {
            user: { id: person.id, name: person.name, email: person.email },
            organization: { id: organization.id, name: organization.name },
            role: caller.role,
            key: key === undefined ? null : presentKey(key),
            project: project && { id: project.id, name: project.name },
          },
        };
      },
    },
  };
}
