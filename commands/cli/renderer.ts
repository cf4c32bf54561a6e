/** The renderer is a bundle of its own, with its libraries and fonts: other commands never load it. */
export const loadRenderer = () => import("../../sdk/templates/render.js");
