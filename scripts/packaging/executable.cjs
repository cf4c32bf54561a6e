// The first code of the single executable. The bundles are assets in it, under their names in the package; what they
// require of each other is found there.
const { compileFunction } = require("node:vm");
const { createRequire } = require("node:module");
const { getAsset, getAssetKeys } = require("node:sea");
const { posix } = require("node:path");

const inside = new Set(getAssetKeys());
const outside = createRequire(process.execPath);
const loaded = new Map();

function load(name) {
  if (loaded.has(name)) return loaded.get(name).exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const folder = posix.dirname(name);
  const require = wanted => {
    const path = posix.join(folder, wanted);
    return wanted.startsWith(".") && inside.has(path) ? load(path) : outside(wanted);
  };
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  compileFunction(getAsset(name, "utf8"), names, { filename: name })(module.exports, require, module, name, folder);
  return module.exports;
}

load("dist/plugin.cjs");
