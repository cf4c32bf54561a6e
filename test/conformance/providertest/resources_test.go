// Our resources under Pulumi's own harness for providers. The test in TypeScript beside it starts the service, and passes
// the folders of the program and of the launcher.
package providertest

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/providertest/providers"
	"github.com/pulumi/providertest/pulumitest"
	"github.com/pulumi/providertest/pulumitest/assertpreview"
	"github.com/pulumi/providertest/pulumitest/assertrefresh"
	"github.com/pulumi/providertest/pulumitest/opttest"
	"github.com/pulumi/providertest/replay"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optimport"
)

var launcher = os.Getenv("LAUNCHER")

// The harness destroys its stacks at the end, and fails where that fails.
func TestEveryResource(t *testing.T) {
	test := pulumitest.NewPulumiTest(t, os.Getenv("PROGRAM"),
		opttest.SkipInstall(), opttest.LocalProviderPath("docsign", launcher))
	test.Preview(t)
	replayed(t, test, "CheckConfig", "Configure", "Check", "Create")
	up := test.Up(t)
	assertpreview.HasNoChanges(t, test.Preview(t))
	replayed(t, test, "Check", "Diff", "Invoke")
	assertrefresh.HasNoChanges(t, test.Refresh(t))
	replayed(t, test, "Read", "Diff")
	imported(t, test, up.Outputs)
}

// A stack of its own takes over what can be imported: the program then changes nothing of it.
func imported(t *testing.T, test *pulumitest.PulumiTest, outputs auto.OutputMap) {
	stack := test.NewStack(t, "imported")
	var resources []*optimport.ImportResource
	for _, value := range outputs["importable"].Value.([]any) {
		is := value.(map[string]any)
		resources = append(resources, &optimport.ImportResource{
			Type: is["type"].(string), Name: is["name"].(string), ID: is["id"].(string),
		})
	}
	_, err := stack.ImportResources(test.Context(),
		optimport.Resources(resources), optimport.GenerateCode(false), optimport.Protect(false))
	if err != nil {
		t.Fatal(err)
	}
	changes := test.Preview(t).ChangeSummary
	if changes["same"] != len(resources)+1 || changes["create"] != 1 || len(changes) != 2 {
		t.Errorf("expected the reminder to be created and all else to be the same, got %v", changes)
	}
}

// Another process of the provider answers the calls of the last command as the engine has logged them.
func replayed(t *testing.T, test *pulumitest.PulumiTest, methods ...string) {
	ctx, cancel := context.WithCancel(test.Context())
	defer cancel()
	port, err := providers.LocalBinary("docsign", launcher)(ctx, test)
	if err != nil {
		t.Fatal(err)
	}
	server, err := providers.NewProviderInterceptProxy(ctx, port, providers.ProviderInterceptors{})
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, entry := range test.GrpcLog(t).Entries {
		method, ours := strings.CutPrefix(entry.Method, "/pulumirpc.ResourceProvider/")
		// The engine logs a call when it begins as well, without a response. The others speak of the engine that has ended.
		if !ours || entry.Response == nil || slices.Contains([]string{"Handshake", "GetPluginInfo", "Cancel"}, method) {
			continue
		}
		text, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		replay.Replay(t, server, string(text))
		met[method] = true
	}
	for _, method := range methods {
		if !met[method] {
			t.Errorf("expected a call of %s in the log, found none", method)
		}
	}
}
