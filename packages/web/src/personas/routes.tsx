import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { countOf, textOf } from "../search-params.ts";

type PersonasSearch = { archived?: boolean | undefined; search?: string | undefined };

const personasRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/personas",
  validateSearch: ({ archived, search }: Record<string, unknown>): PersonasSearch => ({
    archived: String(archived) === "true" ? true : undefined,
    search: textOf(search),
  }),
  component: lazyRouteComponent(() => import("./personas.tsx"), "Personas"),
});

const newPersonaRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/personas/new",
  component: lazyRouteComponent(() => import("./new-persona.tsx"), "NewPersona"),
});

const personaRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/personas/$personaId",
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: number | undefined; to?: number | undefined } => ({
    from: countOf(from),
    to: countOf(to),
  }),
  component: lazyRouteComponent(() => import("./persona.tsx"), "PersonaPage"),
});

export const personasRoutes = [personasRoute, newPersonaRoute, personaRoute] as const;
