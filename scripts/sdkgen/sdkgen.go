// Writes a package's SDK in one language into one JSON file, content by path: sdkgen <schema.json> <nodejs|python|go> <out.json>.
// For language hosts that can't generate SDKs themselves; the code generators are the engine's own.
package main

import (
	"encoding/json"
	"log"
	"os"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "sdkgen"

var generators = map[string]func(*schema.Package) (map[string][]byte, error){
	"nodejs": func(pkg *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	},
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, pkg, nil, nil)
	},
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return golang.GeneratePackage(tool, pkg, nil)
	},
}

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	languages := map[string]schema.Language{
		"nodejs": nodejs.Importer, "python": python.Importer, "go": golang.Importer,
	}
	pkg, err := schema.ImportSpec(spec, languages, schema.NewNullLoader(), schema.ValidationOptions{})
	check(err)
	generate, ok := generators[os.Args[2]]
	if !ok {
		log.Fatalf("no SDK can be written in %q", os.Args[2])
	}
	files, err := generate(pkg)
	check(err)
	made, err := json.Marshal(files)
	check(err)
	check(os.WriteFile(os.Args[3], made, 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
