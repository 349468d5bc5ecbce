/** The parts of a simulation's inspector. */
export const SIMULATION_TABS = ["verdicts", "also", "tools", "turn"] as const;
export type SimulationTab = (typeof SIMULATION_TABS)[number];
