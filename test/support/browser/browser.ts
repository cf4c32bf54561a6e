import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { unpackedOnce } from "./unpacked.js";

const NAMES = ["google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome", "microsoft-edge"];

/** A browser that is installed here; undefined where there is none. */
function installed(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":").filter(folder => folder !== "");
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return [...folders.flatMap(folder => NAMES.map(name => join(folder, name))), mac].find(existsSync);
}

/** The one that the npm package unpacks, with the flags that let it run as any user and without a screen. */
async function packaged(): Promise<{ executablePath: string; args: string[] }> {
  const { default: chrome } = await import("@sparticuz/chromium");
  // These two make one process of it, which ends with the first page that is closed.
  const fragile = new Set(["--single-process", "--no-zygote"]);
  const args = chrome.args.filter(flag => !fragile.has(flag) && flag !== "--disable-web-security");
  const program = join(tmpdir(), "chromium");
  return { executablePath: await unpackedOnce(program, () => chrome.executablePath()), args };
}

export async function launch(): Promise<Browser> {
  const executablePath = installed();
  const found = executablePath === undefined ? await packaged() : { executablePath, args: ["--no-sandbox"] };
  return chromium.launch({ ...found, headless: true });
}

let shared: Promise<Browser> | undefined;

/** One browser for all tests of a process; it ends with the process. */
export function browser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

/** A window of its own, which fails the test for whatever the page reports as an error. */
export class Tab implements AsyncDisposable {
  readonly errors: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {
    page.on("pageerror", error => this.errors.push(String(error)));
    page.on("console", message => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("dialog", dialog => {
      this.errors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  static async open(url: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const tab = new Tab(context, await context.newPage());
    await tab.page.goto(url);
    return tab;
  }

  /** What axe finds wrong, one line each. */
  async accessibility(): Promise<string[]> {
    const require = createRequire(import.meta.url);
    // As text: the policies of both pages load nothing, and run no eval.
    const source = join(dirname(require.resolve("axe-core")), "axe.min.js");
    await this.page.addScriptTag({ path: source });
    // What is skipped as out of sight has no layout, and axe takes its boxes for ones that lie over others.
    await this.page.addStyleTag({ content: "* { content-visibility: visible !important }" });
    return this.page.evaluate(AXE);
  }

  /** How far the page is wider than the window: nothing should be cut off. */
  overflow(): Promise<number> {
    return this.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

const AXE = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(found =>
  found.violations.map(({ id, nodes }) => id + ": " + nodes.map(node => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")))`;
