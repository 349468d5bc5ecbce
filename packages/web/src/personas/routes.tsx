import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const personasRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/personas",
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
  component: lazyRouteComponent(() => import("./persona.tsx"), "PersonaPage"),
});

/** The pages of personas. */
export const personasRoutes = [personasRoute, newPersonaRoute, personaRoute] as const;
