// What of the development dependencies ends up in a bundle. Nothing newer than Node 18 knows: `prepare` reads it.

export const BUNDLED = [
  "@aws-sdk/client-s3",
  "@cantoo/pdf-lib",
  "asn1js",
  "dejavu-fonts-ttf",
  "fontkit",
  "marked",
  "pg-boss",
  "pkijs",
  "postgres",
  "unpdf",
  "yaml",
];

/** The paths in a lock file of these packages and of all they need. */
export function withDependencies(packages, names) {
  const found = new Set();
  const add = (name, from) => {
    const path = nearest(packages, name, from);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path];
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) add(needed, path);
  };
  for (const name of names) add(name, "");
  return [...found];
}

/** Where Node finds a package: beside the one that needs it, or in a folder above. */
function nearest(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") return undefined;
  }
}
