/** What each action takes, and does. */
export const controlActions: Readonly<Record<string, string>> = {
  sign: `{documentId, who, type?}: a person signs; who is an e-mail or an invitation's id, type advanced or autograph`,
  "sign-all": "{documentId}: everybody who hasn't signed does, stage by stage",
  decline: "{documentId, who}: a person declines",
  certify: "{documentId, what?, constancia?}: certificates appear; what is requested, blockchain, nom151 or all",
  version: "{documentId, pdf}: a new version is uploaded, its bytes in base64",
  comment: "{documentId, by, text, title?}: a registered person comments",
  status: "{documentId, status}: the service claims this status, known or not; null follows its rules again",
  edit: "{documentId, name?, description?, folderId?, organizationId?}: changed behind a client's back",
  remove: "{documentId}: it is gone",
  invite: "{documentId, email, name?, message?, stage?, allowedSignatureTypes?}: one person more",
  account: "{email, name?, password?, apiKey?, quota?, storage?}: another account",
  user: "{email, name}: a registered person without an account",
  organization: "{name, members?}: an organization of registered people",
  seed: "what a seed file holds, on top of what is there",
  configure: "behaviour the interface leaves open; answers all settings, so {} shows them",
  fault: "a fault for a coming request; the kinds are below",
  "rate-limit": "{limit, windowMs, match?, retryAfter?}: 429 for what is more",
  disarm: "{kind}: takes back every armed fault of this kind",
  "clear-faults": "{}: no faults, holds or limits any more",
  hold: "{match?, at?}: a request waits at headers, before, after or mid-body; answers its hold's number",
  arrived: "{hold}: answers once a request waits there",
  release: "{hold}: lets it go on",
  clock: "{set?, advance?, frozen?}: the service's time; advance is in milliseconds",
  reset: "{}: as it was at the start",
};

export const controlViews: Readonly<Record<string, string>> = {
  state: "everything below, the settings and the time",
  documents: "with signers, versions and files",
  folders: "all folders",
  mails: "who was mailed, about which document",
  history: "every request seen",
};

/** What else can be got, and isn't JSON. */
export const controlStreams: Readonly<Record<string, string>> = {
  events: "server-sent events: one whenever there is something new to see",
  "files/ID/NAME": "of a version: original.pdf, signed.pdf, btc.pdf, eth.pdf or constancia.asn1",
  page: "the page for browsers, at the sandbox's own address",
};
