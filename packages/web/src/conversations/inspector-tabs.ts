/** The parts of a conversation's inspector. */
export const INSPECTOR_TABS = ["turn", "measures", "quality", "grades"] as const;
export type InspectorTab = (typeof INSPECTOR_TABS)[number];
