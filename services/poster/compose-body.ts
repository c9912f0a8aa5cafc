import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { Action, Severity, Stance, Verdict } from '../../shared/vocabulary/finding.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import { asPostable } from '../../shared/text/postable.ts';
import { FOLD_BEGIN, FOLD_END } from '../../shared/rounds/model/posting/post-plan.ts';
import type { Marker } from '../../shared/rounds/memory/marker.ts';

const isBlock = (value: string): boolean => value.includes('\n') || /^\s*(?:`{3}|~{3})/.test(value);

/** Sanitized text, and values of types that cannot contain unsanitized text. */
export type PostValue = PostableBody | number | CommitSha | Severity | Verdict | Action | Stance;

/**
 * Template tag that puts Fixpoint's own words around sanitized text; the types enforce this. A multi-line value gets
 * its own lines.
 */
export const fixedText = (words: TemplateStringsArray, ...values: readonly PostValue[]): PostableBody => {
  let body = words[0] ?? '';
  values.forEach((value, index) => {
    const text = String(value);
    const after = words[index + 1] ?? '';
    const before = isBlock(text) && body !== '' && !body.endsWith('\n') ? '\n' : '';
    body += `${before}${text}${isBlock(text) && after !== '' && !after.startsWith('\n') ? '\n' : ''}${after}`;
  });
  return asPostable(body);
};

export type BodyParts = {
  /** Empty sections are left out. */
  readonly sections: readonly PostableBody[];
  /** Markers from `signMarker`; they are added at the end after a blank line. */
  readonly markers: readonly Marker[];
};

export const composeBody = ({ sections, markers }: BodyParts): PostableBody => {
  const text = sections.filter((section) => section.trim() !== '').join('\n\n');
  return asPostable([text, markers.join('\n')].filter((part) => part !== '').join('\n\n'));
};

/**
 * Composes the only HTML that is posted. Title and text are sanitized, so they contain no tags; `title` is one line.
 */
export const composeFold = (title: PostableBody, text: PostableBody): PostableBody =>
  asPostable(`${FOLD_BEGIN}\n<summary>${title.replaceAll('\n', ' ')}</summary>\n\n${text}\n\n${FOLD_END}`);
