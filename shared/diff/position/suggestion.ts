import type { Position } from './position.ts';
import { isSteeringFile } from '../paths/steering-files.ts';

export type SuggestionRefusal =
  | 'removed_lines'
  | 'too_many_lines'
  | 'holds_control_characters'
  | 'only_blank'
  | 'steering_file';

export type RenderedSuggestion =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: SuggestionRefusal };

/** GitLab's limit on the number of lines above the commented line. */
const MAX_LINES_ABOVE = 100;
const MIN_FENCE = 3;

/**
 * Renders a block, in GitLab's syntax, that replaces exactly the lines `start..end` of the new side. `replacement` has
 * no final newline; an empty one deletes the lines. A suggestion is refused if applying it would change lines other
 * than the lines shown. It is also refused for files that configure CI or other tools, because a click must not execute
 * what a model wrote.
 */
export const renderSuggestion = (position: Position, replacement: string): RenderedSuggestion => {
  const { side, start, end, newPath } = position;
  if (side === 'old' || start.newLine === null || end.newLine === null) return refuse('removed_lines');
  if (isSteeringFile(newPath)) return refuse('steering_file');
  const above = end.newLine - start.newLine;
  if (above > MAX_LINES_ABOVE) return refuse('too_many_lines');
  if (/[\0\r]/.test(replacement)) return refuse('holds_control_characters');
  if (isOnlyBlank(replacement)) return refuse('only_blank');
  const fence = fenceFor(replacement);
  const body = replacement === '' ? '' : `${replacement}\n`;
  return { kind: 'rendered', text: `${fence}suggestion:-${above}+0\n${body}${fence}` };
};

/**
 * GitLab treats such a replacement as empty and would delete the lines (`@text.blank?` in
 * lib/gitlab/diff/suggestion.rb). It tests Ruby's `[[:space:]]`, which is JavaScript's whitespace and U+0085.
 */
export const isOnlyBlank = (replacement: string): boolean => replacement !== '' && /^[\s\u0085]*$/u.test(replacement);

const refuse = (reason: SuggestionRefusal): RenderedSuggestion => ({ kind: 'refused', reason });

/** Returns a fence that is longer than any run of backticks in the content, so that the content cannot close it. */
export const fenceFor = (content: string): string => {
  const runs = content.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
  return '`'.repeat(Math.max(MIN_FENCE, longest + 1));
};
