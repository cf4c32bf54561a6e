import type { Section } from "./error.js";

export const service: Section = {
  title: "The service's answers",
  about:
    "Each begins with what was asked, such as `GET https://api.example.com/v1/documents/4711`. Reads are repeated by themselves, within limits, before they fail; a create or a reminder never is without proof that it left nothing behind.",
  at: [],
  rows: [
    {
      id: "unauthorized",
      says: ["the service doesn't accept the credentials from …; check them…"],
      means: "Status 401: the key, or the login, isn't valid at this service.",
      todo: "Check the setting it names. After changing it run `pulumi up`: refresh and destroy use the settings of the last one.",
    },
    {
      id: "login-failed",
      says: ["… with … failed: …", '… answered without a usable "…"'],
      means: "Logging in with `email` and `password`, or asking for the key afterwards, didn't work.",
      todo: "Try the login on the platform; or use `apiKey`.",
    },
    {
      id: "forbidden",
      says: ["the credentials from … aren't allowed to do this; check which account they belong to…"],
      means: "Status 403: the key is valid, and belongs to somebody who may not do this.",
      todo: "Use the key of the account that owns the document or the folder.",
    },
    {
      id: "not-found",
      says: [
        "the account has nothing there. Check the id, whose key it is, and docsign:baseUrl (DOCSIGN_BASE_URL), its path included",
        "this isn't the service's own 'not found'; check docsign:baseUrl (DOCSIGN_BASE_URL)",
      ],
      means: "Status 404, in the service's own words, or from something else that answers at that address.",
      todo: "Check the id and whose key it is; in the second case the address.",
    },
    {
      id: "too-many-requests",
      says: [
        "too many requests…. Lower docsign:maxConcurrency, or try again later",
        "… wasn't sent: the service asked everybody to wait until …; try again then",
      ],
      means:
        "Status 429. Nothing was done, and the wait that the service asks for is longer than a call may take (two minutes), or it refused for ten.",
      todo: "Run the command again later, or with a lower `docsign:maxConcurrency`.",
    },
    {
      id: "service-fault",
      says: ["the service has a fault; try again later"],
      means: "Status 5xx.",
      todo: "Run the command again. What was created is kept, and nothing is sent twice.",
    },
    {
      id: "refused",
      says: ["…: the service refuses this request", "… answered … but not ok (…): the service refuses this request"],
      means: "The service understood the request and said no. Its own words stand in brackets.",
      todo: "Change what they name. A service that says no has made nothing.",
    },
    {
      id: "redirect",
      says: [
        "it redirects to …, and redirects aren't followed; if that's the service's new address, set docsign:baseUrl (DOCSIGN_BASE_URL)",
        "it answers with a redirect to nowhere; check docsign:baseUrl (DOCSIGN_BASE_URL)",
      ],
      means: "A redirect would take the key to another address.",
      todo: "Set `docsign:baseUrl` to the new address if you trust it.",
    },
    {
      id: "log-in-page",
      says: [
        "what stands in between wants somebody to log in; check docsign:baseUrl (DOCSIGN_BASE_URL), network and proxy",
      ],
      means: "A proxy or a network's portal answers with a page that asks for a password. Nothing was passed on.",
      todo: "Log in there, or take another way to the service; run the command again.",
    },
    {
      id: "unreachable",
      says: [
        "the host name is unknown; check docsign:baseUrl (DOCSIGN_BASE_URL)",
        "the host name can't be resolved just now; check the network",
        "nothing listens at that address; check docsign:baseUrl (DOCSIGN_BASE_URL)",
        "what answers there doesn't speak TLS: https:// at a port for http, or a proxy in between; check docsign:baseUrl (DOCSIGN_BASE_URL)",
        "the host can't be reached; check the network",
        "the network can't be reached",
        "no connection within 10 s; check docsign:baseUrl (DOCSIGN_BASE_URL), network and firewall",
        "no connection could be made",
      ],
      means: "No connection: nothing left this machine, so nothing was created.",
      todo: "Check the address, the network, a proxy; run the command again.",
    },
    {
      id: "certificate",
      says: ["the service's certificate isn't trusted; for a private authority set NODE_EXTRA_CA_CERTS"],
      means: "The service shows a TLS certificate this machine doesn't trust.",
      todo: "Give the authority's certificate in `NODE_EXTRA_CA_CERTS`.",
    },
    {
      id: "broken-connection",
      says: ["the connection broke before the answer was complete (…)"],
      means: "The request left, and its answer never came whole.",
      todo: "Run the command again: a create is looked for before anything is sent.",
    },
    {
      id: "timeout",
      says: ["…: … within … s", "no complete answer"],
      means: "No answer within `docsign:requestTimeout`, or `docsign:uploadTimeout` for a create.",
      todo: "Run the command again, with a longer limit for a slow service.",
    },
    {
      id: "unreadable",
      says: [
        "… answered … with something that can't be understood",
        "with what looks like a web page; check docsign:baseUrl (DOCSIGN_BASE_URL), and for a proxy or log-in page in between",
        "… answered … with what looks like a web page; check docsign:baseUrl",
        "with JSON nested too deep to be a document",
        "with something that isn't JSON (…)",
        "… answered … without the {ok, payload} envelope",
        "… answered … with a body that can't be read: …",
        "… answered … without the new folder's id",
        "…: expected document …, got document …",
        "…: the answer is compressed although it was asked not to be",
        "…: the answer is larger than … MB and was dropped",
      ],
      means: "An answer came, and isn't one of the service.",
      todo: "Check the address, and for a proxy in between. A create is looked for before anything is sent again.",
    },
    {
      id: "unknown-outcome",
      says: ["…. The outcome of … is unknown: the service may have done it. It was sent once and isn't sent again"],
      means: "A write was sent and its answer was lost.",
      todo: "Read on in the same message: it says what was found by looking.",
    },
    {
      id: "cancelled",
      says: [
        "…: it was cancelled before it was sent",
        "…: it was cancelled … it was sent",
        "the engine gave the call up",
      ],
      means: "Ctrl-C, or the engine's own end, stopped a call.",
      todo: "Run the command again.",
    },
    {
      id: "file-elsewhere",
      says: [
        "… is not an address",
        "the file lives at …, not at the service's own origin …: it isn't fetched, the key and the request stay at home",
        "the file's address carries a user name or password: it isn't fetched",
      ],
      means: "The service names an address for a file that isn't its own.",
      todo: "Download the file by hand, if you trust the address.",
    },
    {
      id: "too-large-to-keep",
      says: ["'…' is too large to be kept after a failure; `pulumi refresh` reads it again."],
      means: "Beside another error: an output was left out of state.",
      todo: "`pulumi refresh`.",
    },
    {
      id: "bug",
      says: ["this is a bug in pulumi-docsign, please report it: …"],
      means: "Something the provider takes for impossible happened.",
      todo: "Report the message. Run the command again: what was created is remembered.",
    },
    {
      id: "wrong-version",
      says: ["pulumi-docsign has no … '…'.…", "there is no package schema of version …, only 0"],
      means:
        "The program names something this version of the plugin doesn't have: a misspelt type, or an SDK of another version.",
      todo: "Take a name it lists; install the plugin and the SDK in one version.",
    },
  ],
};
