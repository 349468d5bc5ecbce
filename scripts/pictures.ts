// `npm run pictures` takes a screenshot of every page, wide and narrow, light and dark.
import { mkdirSync } from "node:fs";
import { Command, Option } from "commander";
import { openContext, openPage, SIZES, THEMES } from "../test/web/support/browsing.ts";
import { openChromium } from "../test/web/support/chromium.ts";
import { pagesOf } from "../test/web/support/pages.ts";
import { startSeeded } from "../test/web/support/seed.ts";

const FOLDER = "pictures";

const sizes = Object.keys(SIZES) as (keyof typeof SIZES)[];
const command = new Command("pictures")
  .description("Takes pictures of the pages of a seeded service.")
  .argument("[names...]", "pages; all of them by default")
  .addOption(new Option("--size <size>", "one size; both by default").choices(sizes))
  .addOption(new Option("--theme <theme>", "one theme; both by default").choices(THEMES))
  .parse();
const wanted = command.args;
const options = command.opts<{ size?: keyof typeof SIZES; theme?: (typeof THEMES)[number] }>();
mkdirSync(FOLDER, { recursive: true });
const seeded = await startSeeded();
const browser = await openChromium();
const pages = (await pagesOf(seeded)).filter(({ name }) => wanted.length === 0 || wanted.includes(name));

for (const size of sizes.filter((each) => options.size === undefined || each === options.size))
  for (const theme of THEMES.filter((each) => options.theme === undefined || each === options.theme)) {
    const signedIn = await openContext(browser, seeded.url, { size, theme });
    const stranger = await openContext(browser, seeded.url, { size, theme, signedIn: false });
    for (const { name, path, isPublic, prepare } of pages) {
      const { page, errors } = await openPage(isPublic ? stranger : signedIn, path);
      await prepare?.(page);
      await page.screenshot({ path: `${FOLDER}/${name}-${size}-${theme}.png` });
      for (const error of errors) console.log(`${name} (${size}, ${theme}): ${error}`);
      await page.close();
    }
    await signedIn.close();
    await stranger.close();
  }

console.log(`${pages.length} pages are in ${FOLDER}/`);
await browser.close();
await seeded.stop();
process.exit(0);
