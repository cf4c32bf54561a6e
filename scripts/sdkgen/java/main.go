// Writes a package's SDK for Java into one JSON file, content by path: sdkgen <schema.json> java <out.json>.
// A module of its own: the generator is made for another release of the engine's packages than the others.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	languages := map[string]schema.Language{"java": java.Importer}
	pkg, err := schema.ImportSpec(spec, languages, schema.ValidationOptions{})
	check(err)
	files, err := java.GeneratePackage("sdkgen", pkg, nil, nil, false, false)
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
