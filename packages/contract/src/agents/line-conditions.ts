/** Conditions of the line of a call with sound. `good` changes nothing. */
export const LINE_CONDITIONS = ["good", "mobile", "bad-wifi", "satellite", "speakerphone"] as const;
/** Name of a condition of the line. */
export type LineCondition = (typeof LINE_CONDITIONS)[number];

type Counts = { packets: number; lost: number; late: number };

/** Returns what a line's condition did to the packets of one direction, as words. */
export function lineConditionText({ packets, lost, late }: Counts): string {
  const percent = packets === 0 ? 0 : ((lost + late) / packets) * 100;
  return `${lost} of ${packets} packets lost, ${late} too late (${percent.toFixed(1)}%)`;
}
