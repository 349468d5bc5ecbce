import { Page } from "../frame/page.tsx";

export function SimulationPage() {
  return <Page title="Simulation">{null}</Page>;
}
