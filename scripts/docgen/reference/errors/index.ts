import { evidence, functions } from "./beside.js";
import { creating } from "./creating.js";
import type { Section } from "./error.js";
import { guard } from "./guard.js";
import { inputs } from "./inputs.js";
import { installation } from "./installation.js";
import { people } from "./people.js";
import { reading } from "./reading.js";
import { service } from "./service.js";
import { sets } from "./sets.js";
import { settings } from "./settings.js";
import { templates } from "./templates.js";
import { watch } from "./watch.js";

/** Everything a user can meet, in the order they are likely to. */
export const errors: readonly Section[] = [
  installation,
  settings,
  inputs,
  service,
  guard,
  creating,
  reading,
  people,
  functions,
  sets,
  templates,
  evidence,
  watch,
];
