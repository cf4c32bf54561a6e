export const usage = "Usage: docsign fleet COMMAND [STACK …] [--file fleet.yaml]   (--help shows more)";

export const help = `Runs one program over many stacks, on one machine or on many.

Usage: docsign fleet COMMAND [STACK …] [options]

Commands
  preview          says of every stack what an up would do, and how many mails it would send
  up               brings every stack to what the program says
  refresh          reads what the service holds into every stack's state
  destroy          lets go of every stack's resources
  status           the last run, and what runs now
  cancel           takes stacks out of the queue, and asks those that run to stop
  retry            runs the stacks of the last run again that didn't go well
  worker           takes stacks from the queue until it is stopped; Ctrl-C drains it
  export           the same fleet for another scheduler

Options
  --file FILE, -f    the fleet file (default fleet.yaml)
  --expect-mails N   up: previews first, and begins only if N mails would be sent
  --move             up: moves contracts between the states of shards after their number grew; mails nobody
  --work             works in this process, too, while it follows a run
  --parallel N       stacks at a time in this process, instead of what the fleet file says
  --board FILE       writes the board's page over all stacks at the end of a run
  --json             status as JSON
  --kubernetes       export: objects of the Pulumi Kubernetes Operator; with --source and --branch
  --github           export: a GitHub Actions workflow with a job for each stack
  --tables           export: writes each shard's rows to a file in the program's folder, as a worker does
  --version          the version
  --help, -h         this page

Environment
  DOCSIGN_FLEET_DATABASE   postgres://… that the workers share. Without it this command starts a Postgres of its own
                           on this machine, and works in this process.
  DOCSIGN_FLEET_DIR        folder of that Postgres

Exit codes
  0    every stack went well
  1    a stack failed or was cancelled, or the run wasn't begun
  2    a flag is wrong
  10   stacks wait for signatures, and nothing else is wrong
`;
