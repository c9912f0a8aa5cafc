/**
 * Sanitizes all text by a model, a repository or a person before it is posted. Only this file and `compose-body`, which
 * joins the results, create a `PostableBody`. Threats: quick actions in any notation, mentions, references and closing
 * words, raw HTML, images, links to other sites, hidden characters, copied markers, secrets, renderer directives, size.
 * Renderers disagree on what is code, so dangerous text is broken with a character that works in code and in prose, and
 * all fences are rewritten.
 */
import type { PostableBody } from './postable-body.ts';
import { asPostable } from './postable.ts';
import { breakInCode } from './break-points.ts';
import { codeFence } from './code-fence.ts';
import { cutWithNotice } from './cut.ts';
import { makeInert, type InertOptions } from './inert.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { hasHidden } from './visible.ts';

export type SanitizeOptions = InertOptions & {
  /** Maximum length in UTF-16 units, including the notice that the text was cut. */
  readonly maxLength: number;
  /** Our own secrets; other credentials are found by their format. */
  readonly secrets: readonly string[];
};

export type Sanitized = { readonly body: PostableBody; readonly redactions: number };

/** The forms of the secrets take longer to compute than most texts take to sanitize. */
const redactors = new WeakMap<readonly string[], Redactor>();

const redactorOf = (secrets: readonly string[]): Redactor => {
  const redactor = redactors.get(secrets) ?? createRedactor(secrets);
  redactors.set(secrets, redactor);
  return redactor;
};

const WITHHELD = '_(Withheld: this text contains a secret that could not be removed.)_';

/** Redacts before and after, because rewriting can join the parts of a secret. */
const redactAround = (text: string, redact: Redactor, inert: (text: string) => string): Sanitized => {
  let redacted = redact(text);
  let count = redacted.count;
  for (let pass = 0; pass < 3; pass += 1) {
    const written = inert(redacted.text);
    redacted = redact(written);
    if (redacted.count === 0) return { body: asPostable(written), redactions: count };
    count += redacted.count;
  }
  return { body: asPostable(WITHHELD), redactions: count };
};

/** Sanitizes text. Idempotent; linear in the text; never longer than `maxLength`. Never throws. */
export const sanitize = (text: string, options: SanitizeOptions): Sanitized => {
  const inert = (piece: string): string => makeInert(piece, options);
  const whole = redactAround(text, redactorOf(options.secrets), inert);
  return { ...whole, body: asPostable(cutWithNotice(whole.body, options.maxLength, inert)) };
};

/** Matches a suggestion. A suggestion without code deletes its lines. */
const SUGGESTION = /^(`{3,}|~{3,})suggestion(?::-\d{1,4}\+\d{1,4})?\n(?:([^]*)\n)?\1$/;

const isFaithful = (code: string, fence: string, redact: Redactor): boolean =>
  !code.includes(fence) &&
  !hasHidden(code) &&
  breakInCode(code.split('\n')).join('\n') === code &&
  redact(code).count === 0;

/** The code of a suggestion must not change: if it contains a command, a hidden character or a secret, it becomes a plain code block. */
export const sanitizeSuggestion = (block: string, options: SanitizeOptions): Sanitized => {
  const [, fence = '', code = ''] = SUGGESTION.exec(block) ?? [];
  const redact = redactorOf(options.secrets);
  if (fence !== '' && block.length <= options.maxLength && isFaithful(code, fence, redact)) {
    return { body: asPostable(block), redactions: 0 };
  }
  return sanitize(fence === '' ? block : codeFence(code), options);
};
