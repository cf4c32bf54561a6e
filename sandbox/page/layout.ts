import { type Content, type Html, html, mark, moment } from "../../commands/ui/html.js";
import { grouped } from "../../commands/ui/time.js";
import type { Scene } from "./page.js";
import { mailsToAnswer } from "./seats.js";

export const PAGE = "/_sandbox/page";

export interface View {
  /** Undefined for a view that isn't there. */
  readonly place: "inbox" | "documents" | "requests" | "faults" | undefined;
  readonly title: string;
  readonly body: Content;
}

export const missingView = (): View => ({
  place: undefined,
  title: "Nothing here",
  body: html`<div class="title"><h1>Nothing here</h1><p class="muted">This address has no page. What it was about may be gone since the sandbox was reset or started anew.</p></div>
<p><a class="button" href="${PAGE}/inbox">Go to the inbox</a></p>`,
});

/** The frame around every view. The part with the id `page` is what is drawn anew when something has changed. */
export function layout({ sandbox, context }: Scene, { place, title, body }: View): Html {
  const waiting = mailsToAnswer(context.store.data);
  const armed = sandbox.faults.pending.length;
  const tab = (name: NonNullable<View["place"]>, text: string, count: number, lively = false) =>
    html`<a href="${PAGE}/${name}"${
      name === place ? html` aria-current="page"` : ""
    }>${text} <span class="count${lively && count > 0 ? " lively" : ""}">${grouped(count)}</span></a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${PAGE}/style.css">
<script src="${PAGE}/sandbox.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div id="page">
<header class="top"><div>
<a class="brand" href="${PAGE}/inbox">${mark} Signing sandbox</a>
<nav aria-label="Views">
${tab("inbox", "Inbox", waiting, true)}
${tab("documents", "Documents", context.store.data.documents.length)}
${tab("requests", "Requests", sandbox.history.length)}
${tab("faults", "Faults and clock", armed, true)}
</nav>
<span class="aside">${sandbox.clock.frozen ? "Time stands still at" : "Service time"} ${moment(sandbox.clock.now())} UTC</span>
</div></header>
<main id="content" tabindex="-1">
<noscript><p class="note">Everything can be read without JavaScript. Signing, uploading and breaking things from here need it; so do live updates. <code>docsign sandbox --help</code> shows the same with curl.</p></noscript>
${body}
</main>
</div>
<p class="note bad" id="offline" role="alert" hidden>The sandbox doesn't answer any more. Start it again, and this page goes on by itself.</p>
<div class="toast" id="toast" role="status" aria-live="polite"></div>
</body>
</html>
`;
}
