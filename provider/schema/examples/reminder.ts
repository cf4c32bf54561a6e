import type { Example } from "./example.js";

export const reminder: Example = {
  title: "A reminder each week, until everyone has signed",
  programs: {
    typescript: `
import * as docsign from "pulumi-docsign-plugin";

const week = Math.floor(Date.now() / (7 * 24 * 3600 * 1000));

const weekly = new docsign.Reminder("weekly", { documentId: "4711", triggers: { week } });

export const reminded = weekly.sent;`,
    python: `
import time
import pulumi
import pulumi_docsign as docsign

week = int(time.time() // (7 * 24 * 3600))

weekly = docsign.Reminder("weekly", document_id="4711", triggers={"week": week})

pulumi.export("reminded", weekly.sent)`,
    go: `
package main

import (
	"time"

	"github.com/pulumi-docsign/pulumi-docsign/sdk/go/docsign"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		week := time.Now().Unix() / (7 * 24 * 3600)
		weekly, err := docsign.NewReminder(ctx, "weekly", &docsign.ReminderArgs{
			DocumentId: pulumi.String("4711"),
			Triggers:   pulumi.Map{"week": pulumi.Int(int(week))},
		})
		if err != nil {
			return err
		}
		ctx.Export("reminded", weekly.Sent)
		return nil
	})
}`,
    yaml: `
name: contracts
runtime: yaml
resources:
  weekly:
    type: docsign:Reminder
    properties:
      documentId: "4711"
      # Another value each week.
      triggers:
        week: 2026-47
outputs:
  reminded: \${weekly.sent}`,
  },
};
