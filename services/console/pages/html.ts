/** HTML as tagged templates. Every value is escaped, and nothing writes markup in any other way. */
import { html as template, raw } from 'hono/html';

/** Text that is escaped when a template contains it. */
type Text = string | number | null | false;

/** True if a value after this part of a template would be an attribute without quotes. */
const isUnquoted = (part: string): boolean => {
  const word = part.slice(Math.max(part.lastIndexOf(' '), part.lastIndexOf('\n')) + 1);
  return word.endsWith('=') && !word.includes('"');
};

/** The result of a template. */
export type Markup = { readonly isEscaped: true; readonly toString: () => string };

export type Content = Text | Markup | readonly Content[];

/** Refuses a template with an attribute without quotes, in which a value could begin another attribute. */
export const html = (strings: TemplateStringsArray, ...values: readonly Content[]): Markup => {
  if (strings.slice(0, -1).some(isUnquoted)) throw new Error('a template has a value after "=" without quotes');
  // A template without promises in its values is no promise.
  return template(strings, ...values) as Markup;
};

export const render = (markup: Markup): string => markup.toString();

/** A value for a script of another file. It cannot end its element, and a browser does not run it. */
export const dataBlock = (id: string, value: unknown): Markup => {
  const text = JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
  return html`<script id="${id}" type="application/json">${raw(text)}</script>`;
};

/** An address outside of this page that a browser may open; null for any other scheme, such as `javascript:`. */
export const webAddress = (url: string | null): string | null => {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
};

/** A link that opens the forge, or the text alone if there is no address. */
export const outside = (url: string | null, text: string): Content => {
  const href = webAddress(url);
  return href === null ? text : html`<a href="${href}" rel="noopener noreferrer">${text}</a>`;
};
