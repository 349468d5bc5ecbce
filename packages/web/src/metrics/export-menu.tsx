import { Download } from "lucide-react";
import type { RefObject } from "react";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import type { PictureLine } from "../ui/plot-picture.ts";
import { saveCsv } from "../ui/csv.ts";
import { nameOf, savePicture } from "./export.ts";

type ExportMenuProps = {
  id: string;
  title: string;
  /** Source and period of the plot, for the picture. */
  detail: string;
  fromMs: number;
  rows: readonly (readonly (string | number | null)[])[];
  lines: readonly PictureLine[];
  /** Element that contains the plots. */
  plots: RefObject<HTMLElement | null>;
};

export const ExportMenu = ({ rows, plots, ...words }: ExportMenuProps) => (
  <Menu
    trigger={
      <Button look="quiet" small iconOnly aria-label={`Export ${words.title}`} title="Export">
        <Download size={14} strokeWidth={1.75} aria-hidden />
      </Button>
    }
  >
    <MenuItem onSelect={() => saveCsv(nameOf(words.id, words.fromMs), rows)}>Values as CSV</MenuItem>
    <MenuItem onSelect={() => void savePicture(plots.current!, words)}>Picture as PNG</MenuItem>
  </Menu>
);
