// The rival that the bench measures against: OpenTofu with a generic REST provider, built like the engine is.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "./cache.mjs";
import { requireGo } from "./go.mjs";
import { compileWithGo, once, removeDrafts } from "./go-program.mjs";
import { withLock } from "./lock.mjs";
import { say, withProgress } from "./progress.mjs";

const TOFU = "github.com/opentofu/opentofu";
const RESTAPI = "github.com/Mastercard/terraform-provider-restapi";
const suffix = process.platform === "win32" ? ".exe" : "";

const PROGRAMS = [
  {
    program: "tofu",
    package: `${TOFU}/cmd/tofu`,
    version: "1.12.6",
    require: { [TOFU]: "v1.12.6" },
    // Without it a release calls itself a development version.
    flags: `-X ${TOFU}/version.dev=no`,
    // Go honours only the main module's replacements, so OpenTofu's own has to be repeated here.
    replace: "github.com/hashicorp/hcl/v2 v2.20.1 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828",
    usually: "about 5 minutes, once",
  },
  {
    program: "terraform-provider-restapi",
    package: RESTAPI,
    version: "1.20.0",
    require: { [RESTAPI]: "v1.20.0" },
    usually: "about a minute, once",
  },
];

const recipes = PROGRAMS.map(({ usually, ...recipe }) => recipe);
const RECIPE = createHash("sha256").update(JSON.stringify(recipes)).digest("hex").slice(0, 8);
const KEY = `built-${RECIPE}-${process.platform}-${process.arch}`;

/** `{ tofu, restapi, versions }`: the rival's programs, built on the first call and found on the next. */
export async function bringPeers({ cache = cacheDirectory(), go = requireGo, compile = compileWithGo } = {}) {
  const home = join(cache, "peers", KEY);
  const bin = join(home, "bin");
  const path = program => join(bin, program + suffix);
  const whole = () => PROGRAMS.every(({ program }) => existsSync(path(program)));
  if (!whole()) {
    await withLock(
      join(cache, "peers", ".lock"),
      async () => {
        if (whole()) return;
        await go();
        await mkdir(bin, { recursive: true });
        await removeDrafts(home);
        for (const program of PROGRAMS) {
          await once(bin, program.program + suffix, (output, draft) => {
            const what = `building ${program.program} ${program.version} from source`;
            return withProgress({ what, usually: program.usually }, detail => compile(program, output, draft, detail));
          });
        }
      },
      { onWait: ({ pid }) => say(`another set-up (pid ${pid}) is building OpenTofu; waiting for it`) },
    );
  }
  const [tofu, restapi] = PROGRAMS;
  return {
    tofu: path(tofu.program),
    restapi: path(restapi.program),
    versions: { opentofu: tofu.version, restapi: restapi.version },
  };
}
