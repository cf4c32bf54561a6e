// A provider as an author writes it on pulumi-go-provider: notes, each a file in a folder.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/pulumi/pulumi-go-provider/infer"
)

type Note struct{}

type NoteArgs struct {
	Title string `pulumi:"title" provider:"replaceOnChanges"`
	Text  string `pulumi:"text" provider:"secret"`
}

type NoteState struct {
	NoteArgs
	Length int `pulumi:"length"`
}

func stateOf(args NoteArgs) NoteState {
	return NoteState{NoteArgs: args, Length: utf8.RuneCountInString(args.Text)}
}

func file(id string) string { return filepath.Join(os.Getenv("NOTES"), filepath.Base(id)) }

func write(args NoteArgs) error { return os.WriteFile(file(args.Title), []byte(args.Text), 0o600) }

func (*Note) Create(_ context.Context, req infer.CreateRequest[NoteArgs]) (infer.CreateResponse[NoteState], error) {
	answer := infer.CreateResponse[NoteState]{ID: req.Inputs.Title, Output: stateOf(req.Inputs)}
	if req.DryRun {
		return answer, nil
	}
	return answer, write(req.Inputs)
}

func (*Note) Read(_ context.Context, req infer.ReadRequest[NoteArgs, NoteState]) (infer.ReadResponse[NoteArgs, NoteState], error) {
	text, err := os.ReadFile(file(req.ID))
	if errors.Is(err, os.ErrNotExist) {
		return infer.ReadResponse[NoteArgs, NoteState]{}, nil
	}
	args := NoteArgs{Title: req.ID, Text: string(text)}
	return infer.ReadResponse[NoteArgs, NoteState]{ID: req.ID, Inputs: args, State: stateOf(args)}, err
}

func (*Note) Update(_ context.Context, req infer.UpdateRequest[NoteArgs, NoteState]) (infer.UpdateResponse[NoteState], error) {
	answer := infer.UpdateResponse[NoteState]{Output: stateOf(req.Inputs)}
	if req.DryRun {
		return answer, nil
	}
	return answer, write(req.Inputs)
}

func (*Note) Delete(_ context.Context, req infer.DeleteRequest[NoteState]) (infer.DeleteResponse, error) {
	err := os.Remove(file(req.ID))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return infer.DeleteResponse{}, err
}

func main() {
	provider, err := infer.NewProviderBuilder().WithResources(infer.Resource(&Note{})).Build()
	if err == nil {
		err = provider.Run(context.Background(), "notes", "0.1.0")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
