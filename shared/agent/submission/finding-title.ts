/** A heading has room for about this many characters. */
const MAX_TITLE = 100;
const CUT_TITLE = 90;

/** Cuts at a blank if there is one in the second half, and never inside a character. */
export const cutTitle = (title: string): string => {
  if (title.length <= MAX_TITLE) return title;
  const blank = title.lastIndexOf(' ', CUT_TITLE);
  const last = title.charCodeAt(CUT_TITLE - 1);
  const inCharacter = last >= 0xd800 && last <= 0xdbff;
  const at = blank > CUT_TITLE / 2 ? blank : CUT_TITLE - Number(inCharacter);
  return `${title.slice(0, at).replace(/[\s,;:–-]{1,20}$/, '')}…`;
};

export const titleFrom = (body: string): string => {
  const [line = ''] = body.trim().split('\n');
  return cutTitle(/^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line);
};

/** If the title is cut, the body begins with the whole title, so that nothing is lost. */
export const titled = (given: string, body: string): { readonly title: string; readonly body: string } => {
  const title = given.trim();
  if (title === '') return { title: titleFrom(body), body };
  const cut = cutTitle(title);
  return { title: cut, body: cut === title || body.startsWith(title) ? body : `${title}\n\n${body}` };
};
