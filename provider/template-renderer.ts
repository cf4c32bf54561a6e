import type { TemplateRenderer } from "./resources/pdf/template-input.js";

/** The renderer is a bundle of its own, with its libraries and fonts: a plugin that never renders never loads it. */
const load = () => import("../sdk/templates/render.js");

export const templateRenderer: TemplateRenderer = {
  render: async request => (await load()).render(request),
  problemsOf: async (request, unknown) => (await load()).problemsOf(request, unknown),
};
