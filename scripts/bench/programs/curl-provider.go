// A provider that runs a command for each resource, as Pulumi's command provider does, on the same library: that one
// isn't published as a Go module.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/pulumi/pulumi-go-provider/infer"
)

type Command struct{}

type CommandArgs struct {
	Create   string `pulumi:"create"`
	Triggers []any  `pulumi:"triggers" provider:"replaceOnChanges"`
}

type CommandState struct {
	CommandArgs
	Stdout string `pulumi:"stdout"`
}

func (*Command) Create(ctx context.Context, req infer.CreateRequest[CommandArgs]) (infer.CreateResponse[CommandState], error) {
	state := CommandState{CommandArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[CommandState]{Output: state}, nil
	}
	command := exec.CommandContext(ctx, "/bin/sh", "-c", req.Inputs.Create)
	command.Stderr = os.Stderr
	stdout, err := command.Output()
	state.Stdout = string(stdout)
	return infer.CreateResponse[CommandState]{ID: req.Name, Output: state}, err
}

func main() {
	provider, err := infer.NewProviderBuilder().WithResources(infer.Resource(&Command{})).Build()
	if err == nil {
		err = provider.Run(context.Background(), "curl", "0.1.0")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
