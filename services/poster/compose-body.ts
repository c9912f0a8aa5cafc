import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { Action, Severity, Stance, Verdict } from '../../shared/vocabulary/finding.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import { asPostable } from '../../shared/text/postable.ts';
import type { Marker } from '../../shared/rounds/memory/marker.ts';

const isBlock = (value: string): boolean => value.includes('\n') || /^\s*(?:`{3}|~{3})/.test(value);

/** What may stand between fixed words: sanitized texts, and values that cannot hold anything but themselves. */
export type PostValue = PostableBody | number | CommitSha | Severity | Verdict | Action | Stance;

/**
 * Fixed words of ours around sanitized texts: post`**${severity}** ${title}`. Only literals of our source and
 * bodies that were sanitized can enter, which the types see to. A value of several lines is put on lines of its own.
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
  /** In order; empty ones are left out. */
  readonly sections: readonly PostableBody[];
  /** Made by `signMarker`; it stands last, after a blank line. */
  readonly marker: Marker | null;
};

/** Joins sanitized sections with blank lines and appends the marker. Adds nothing else. */
export const composeBody = ({ sections, marker }: BodyParts): PostableBody => {
  const text = sections.filter((section) => section.trim() !== '').join('\n\n');
  return asPostable([text, marker ?? ''].filter((part) => part !== '').join('\n\n'));
};
