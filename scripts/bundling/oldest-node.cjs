// The first lines that Node reads of the plugin, in words that any Node knows, so that one that is too old can say so.
var wanted = [22, 19];
var found = process.versions.node.split(".").map(Number);
if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  process.stderr.write(
    "pulumi-resource-docsign: Node 22.19 or newer is needed; 'node' on PATH is " +
      process.version +
      " (" +
      process.execPath +
      "); install a newer one from nodejs.org\n",
  );
  process.exit(1);
}
