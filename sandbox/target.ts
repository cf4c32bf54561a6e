/** What a request asks for, exactly as it was sent: dots and escapes in the path are left alone. */
export interface Target {
  path: string;
  query: URLSearchParams;
}

export function targetOf(sent: string): Target {
  const mark = sent.indexOf("?");
  if (mark === -1) return { path: sent, query: new URLSearchParams() };
  return { path: sent.slice(0, mark), query: new URLSearchParams(sent.slice(mark)) };
}
