import type { Section } from "./error.js";

export const service: Section = {
  title: "The service's answers",
  about:
    "Each begins with what was asked, such as `GET https://api.example.com/v1/documents/4711`. The provider repeats reads before they fail. It never repeats a create or a reminder without proof that the first did nothing.",
  at: [],
  rows: [
    {
      id: "unauthorized",
      says: ["the service doesn't accept the credentials from …"],
      means: "Status 401: the key or login isn't valid here.",
      todo: "Change the setting it names, then run `pulumi up`: refresh and destroy use the settings of the last one.",
    },
    {
      id: "login-failed",
      says: ["… with … failed: …", '… answered without a usable "…"'],
      means: "Signing in with `email` and `password` didn't lead to a key.",
      todo: "Try the login on the platform, or use `apiKey`.",
    },
    {
      id: "forbidden",
      says: ["the credentials from … aren't allowed to do this…"],
      means: "Status 403: the key is valid, for another account.",
      todo: "Use the key of the account that owns the document or folder.",
    },
    {
      id: "not-found",
      says: ["the account has nothing there…", "this isn't the service's own 'not found'…"],
      means: "Status 404: from the service, or from something else at that address.",
      todo: "Check the id and whose key it is; in the second case the address.",
    },
    {
      id: "too-many-requests",
      says: ["too many requests…", "… wasn't sent: the service asked everybody to wait until …"],
      means: "Status 429, ten times or for more than two minutes. Nothing was done.",
      todo: "Run the command again later.",
    },
    {
      id: "refused",
      says: ["the service refuses this request"],
      means: "The service made nothing. Its own words stand in brackets.",
      todo: "Change what they name.",
    },
    {
      id: "redirect",
      says: ["it redirects to …, and redirects aren't followed…"],
      means: "A redirect would take the key to another address.",
      todo: "If you trust that address, set it.",
    },
    {
      id: "log-in-page",
      says: ["what stands in between wants somebody to log in…"],
      means: "A proxy or a network's portal answered. The service got nothing.",
      todo: "Log in there, and run the command again.",
    },
    {
      id: "unreachable",
      says: [
        "the host name is unknown; …",
        "nothing listens at that address; …",
        "no connection within 10 s; …",
        "no connection could be made",
      ],
      means: "Nothing left this machine, so nothing was created.",
      todo: "Check the address, the network, the proxy.",
    },
    {
      id: "broken-connection",
      says: ["the connection broke before the answer was complete…", "no complete answer"],
      means:
        "The request left. No whole answer came, or none within `docsign:requestTimeout` (`docsign:uploadTimeout` for a create).",
      todo: "Run the command again: it looks for the document before it sends anything.",
    },
    {
      id: "unreadable",
      says: [
        "… answered … with something that can't be understood",
        "… answered … with what looks like a web page; …",
        "… answered … without the {ok, payload} envelope",
        "with something that isn't JSON (…)",
      ],
      means: "The answer isn't one of the service's.",
      todo: "Check the address, and for a proxy in between. The next run looks before it sends.",
    },
    {
      id: "unknown-outcome",
      says: ["The outcome of … is unknown: the service may have done it…"],
      means: "A write was sent and its answer was lost.",
      todo: "Read on in the message: it says what the provider found by looking.",
    },
    {
      id: "cancelled",
      says: ["it was cancelled before it was sent", "the engine gave the call up"],
      means: "Ctrl-C, or the engine, stopped a call.",
      todo: "Run the command again.",
    },
    {
      id: "file-elsewhere",
      says: ["the file lives at …, not at the service's own origin…"],
      means: "The service names a file at another address, which the key must not reach.",
      todo: "If you trust the address, download the file by hand.",
    },
    {
      id: "bug",
      says: ["this is a bug in …, please report it: …"],
      means: "The provider met what it takes for impossible.",
      todo: "Report the message. Run the command again: what was created is remembered.",
    },
    {
      id: "wrong-version",
      says: ["pulumi-docsign has no … '…'.…", "there is no package schema of version …, only 0"],
      means: "The program's SDK is of another version, or a type is misspelt.",
      todo: "Install plugin and SDK in one version, or take a name it lists.",
    },
  ],
};
