import { colorOf, colorToken, dashOf } from "./plot-drawing.ts";

/** `color` is the number of a line's colour, and `token` the colour of a part. */
export type PictureLine = { label: string } & ({ color: number } | { token: string });

type Words = { title: string; detail: string; lines: readonly PictureLine[] };

const EDGE = 16;
const ROW = 18;
const SWATCH = 24;
const FONT = '"Inter Variable", sans-serif';

/** Returns a PNG of plots, one below the other, with a title and a legend, in the colours of the page. */
export async function pictureOf(plots: readonly HTMLCanvasElement[], { title, detail, lines }: Words): Promise<Blob> {
  const host = plots[0]!.parentElement!;
  const color = (token: string) => colorOf(host, token);
  const scale = devicePixelRatio;
  const width = Math.max(...plots.map((plot) => plot.width)) / scale + 2 * EDGE;
  const legendTop = 52 + plots.reduce((sum, plot) => sum + plot.height / scale, 0);
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = (legendTop + lines.length * ROW + EDGE) * scale;
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  context.fillStyle = color("--surface");
  context.fillRect(0, 0, width, canvas.height / scale);
  context.textBaseline = "middle";
  const write = (text: string, font: string, token: string, x: number, y: number) => {
    context.font = `${font} ${FONT}`;
    context.fillStyle = color(token);
    context.fillText(text, x, y, width - x - EDGE);
  };
  write(title, "640 14px", "--text", EDGE, 20);
  write(detail, "420 11px", "--text-2", EDGE, 38);
  let top = 52;
  for (const plot of plots) {
    context.drawImage(plot, EDGE, top, plot.width / scale, plot.height / scale);
    top += plot.height / scale;
  }
  for (const [at, line] of lines.entries()) {
    const y = legendTop + ROW * (at + 0.5);
    const isPart = "token" in line;
    context.strokeStyle = color(isPart ? line.token : colorToken(line.color));
    context.lineWidth = isPart ? 8 : 2;
    context.setLineDash(isPart ? [] : dashOf(line.color));
    context.beginPath();
    context.moveTo(EDGE, y);
    context.lineTo(EDGE + SWATCH, y);
    context.stroke();
    write(line.label, "420 11px", "--text", EDGE + SWATCH + 8, y);
  }
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no picture."))), "image/png"),
  );
}
