import { pictureOf, type PictureLine } from "../ui/plot-picture.ts";
import { saveFile } from "../ui/save-file.ts";

/** Name of a file without its ending: `svc-response_latency-2026-11-20`. */
export const nameOf = (id: string, fromMs: number): string =>
  `svc-${id}-${new Date(fromMs).toISOString().slice(0, 10)}`;

type Picture = { id: string; fromMs: number; title: string; detail: string; lines: readonly PictureLine[] };

/** Saves the plot inside an element. */
export async function savePicture(element: HTMLElement, { id, fromMs, ...words }: Picture): Promise<void> {
  const canvases = [...element.querySelectorAll("canvas")];
  if (canvases.length > 0) saveFile(`${nameOf(id, fromMs)}.png`, await pictureOf(canvases, words));
}
