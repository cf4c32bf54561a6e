/** Names that every JavaScript object has members of. */
export const PROTOTYPE_NAMES = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"] as const;

/** Texts that lead elsewhere, or end early, where they are made part of a path, an address or a header. */
export const PATH_PARTS = [
  "..",
  "../../../etc/passwd",
  "x/../../../y",
  "/etc/passwd",
  "..\\..\\windows",
  "C:\\windows",
  "%2e%2e%2f",
  "a/b",
  "name\0.asn1",
  "name\r\nX-Evil: 1",
  "?x=1",
  "#x",
  "~root",
  "$HOME",
  "`id`",
] as const;

/** Texts that mean something to somebody on their way: terminals, templates, spreadsheets, shells, Markdown, HTML. */
export const NASTY_TEXTS: readonly string[] = [
  ...PROTOTYPE_NAMES,
  ...PATH_PARTS,
  "\r\nInjected: yes",
  "\u202efdp.exe",
  "\ud83d",
  "\udc00x",
  "\0",
  "\u001b[2J",
  `\${email}`,
  "{{email}}",
  "\\{{email}}",
  "{{__proto__}}",
  "=1+1",
  "@SUM(A1)",
  '=HYPERLINK("http://evil.example")',
  "<script>alert(1)</script>",
  "![x](http://evil.example)",
  "[x](javascript:1)",
  "'; drop table x; --",
  '"]}',
  "\\",
  "4dabf18193072939515e22adb298388d",
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
];
