import { type Content, html } from './html.ts';

const PROBLEMS: ReadonlyMap<number, readonly [title: string, words: string]> = new Map([
  [400, ['Unreadable request', 'The request cannot be read.']],
  [401, ['Log in first', 'This address needs a token.']],
  [403, ['Not allowed', 'This token or this form does not allow the action. Load the page again, then try once more.']],
  [404, ['Not found', 'There is nothing at this address, or it is no longer stored.']],
  [405, ['Only for reading', 'Nothing can be changed at this address.']],
  [413, ['Too large', 'The request is too large.']],
  [415, ['Unreadable request', 'The request is not a form of this page.']],
  [429, ['Too many attempts', 'Too many wrong tokens came from this address. Wait a minute, then try again.']],
  [503, ['Not available', 'Redis does not answer. The page works again as soon as it does.']],
]);

const OTHER: readonly [string, string] = ['Not possible', 'The request cannot be answered.'];

/** `words` replaces the usual explanation. */
export const problemPage = (
  status: number,
  words: string | null,
): { readonly title: string; readonly content: Content } => {
  const [title, usual] = PROBLEMS.get(status) ?? OTHER;
  return {
    title,
    content: html`<section class="problem">
      <h1>${title}</h1>
      <p>${words ?? usual}</p>
      <p><a href="/">Go to the first page</a></p>
    </section>`,
  };
};
