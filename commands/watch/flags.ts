export const flags = { once: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

export const HELP = `Asks the signing service what was signed: tells people once, and wakes the stacks that wait for it.

Usage: docsign watch [--once] FILE

FILE is JSON, with "wake", "notify" or both:
  {
    "memory": "docsign-watch.state.json",
    "notify": [
      { "name": "chat",    "documentsOf": { "cwd": "sign", "stack": "prod" }, "to": "slack", "urlFrom": "SLACK_URL" }
    ],
    "wake": [
      { "name": "sign",    "documentsOf": { "cwd": "sign", "stack": "prod" },
        "run": ["pulumi", "refresh", "--run-program", "--yes", "--stack", "prod"], "cwd": "sign" },
      { "name": "publish", "documents": ["5001"],
        "run": ["pulumi", "up", "--yes", "--stack", "prod"], "cwd": "publish" },
      { "name": "chat",    "webhook": "https://hooks.example.com/signed" }
    ]
  }

Address and key come from DOCSIGN_BASE_URL and DOCSIGN_API_KEY. Ctrl-C ends it; started again, it goes on where it was.

Options
  --once   tell what is new, ask one question, wake who is to be woken, and end; for a scheduler. "notify" takes it
  --help   this page
`;
