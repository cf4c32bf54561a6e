// Undici 8, which the rules speak HTTP with, doesn't load in an older Node, and doesn't say why. Import this before it.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `pulumi-docsign: expected Node 22.19 or newer as the first \`node\` on PATH, got Node ${process.versions.node}.`,
  );
}

export {};
