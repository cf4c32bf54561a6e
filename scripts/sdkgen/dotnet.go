// Writes a package's SDK for .NET into one JSON file, content by path: sdkgen <schema.json> dotnet <out.json>.
// With older packages of the engine's: later releases don't hold this generator.
package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	languages := map[string]schema.Language{"csharp": dotnet.Importer}
	pkg, err := schema.ImportSpec(spec, languages)
	check(err)
	// The generator downloads a logo whatever the schema says, and keeps it as a PNG: this one is plain, and needs no network.
	server := httptest.NewServer(http.HandlerFunc(plainLogo))
	defer server.Close()
	pkg.LogoURL = server.URL
	files, err := dotnet.GeneratePackage("sdkgen", pkg, nil, nil)
	check(err)
	made, err := json.Marshal(files)
	check(err)
	check(os.WriteFile(os.Args[3], made, 0o644))
}

func plainLogo(w http.ResponseWriter, _ *http.Request) {
	var picture bytes.Buffer
	check(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))))
	_, err := w.Write(picture.Bytes())
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
