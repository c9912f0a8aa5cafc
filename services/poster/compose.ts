/** Turns the parts of a plan into bodies: every text is sanitized, every body gets its signed marker. */
import { renderSuggestion } from '../../shared/diff/position/suggestion.ts';
import type { Closing } from '../../shared/rounds/plan/difference.ts';
import type { PlannedInline, PlannedReply, PostPlan } from '../../shared/rounds/model/post-plan.ts';
import {
  calledBeforeText,
  handoffCallText,
  operatorCallText,
  threadCallText,
} from '../../shared/rounds/plan/wording/call-text.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import { codeFence } from '../../shared/text/code-fence.ts';
import { composeBody, fixedText } from './compose-body.ts';
import type { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { insteadOf, withoutButton, withoutLines } from '../../shared/rounds/memory/finding-comment.ts';
import { signMarker, stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { sanitize, sanitizeSuggestion } from '../../shared/text/sanitize.ts';
import type { PosterDeps, PosterForge } from './deps.ts';

export type Composer = {
  readonly inline: (planned: PlannedInline) => PostableBody;
  readonly plain: (text: string, marker: MarkerPayload) => PostableBody;
  readonly closed: (closing: Closing) => PostableBody;
  /** An existing comment of the bot with more text at its end. */
  readonly extended: (body: string, text: string, marker: MarkerPayload) => PostableBody;
  /** A reply that calls a person. `names`: whom; nobody else is mentioned, and with none nobody is. */
  readonly calling: (reply: PlannedReply, names: readonly string[]) => PostableBody;
  /** `names`: as for a reply. */
  readonly notice: (notice: PostPlan['notices'][number], names: readonly string[]) => PostableBody;
};

type NoticeMarker = PostPlan['notices'][number]['marker'];

/** Room for the marker of a full ledger in base64, and for the blank lines between sections. */
const MARKER_ROOM = 70_000;
const SMALL_MARKER_ROOM = 4_000;

export const createComposer = (forge: PosterForge, deps: Pick<PosterDeps, 'markerSecrets'>): Composer => {
  const [secret] = deps.markerSecrets;
  const clean = (text: string, room: number, mayMention: readonly string[] = []): PostableBody =>
    sanitize(text, { ...forge.sanitizing, mayMention, maxLength: Math.max(2_000, forge.sanitizing.maxLength - room) })
      .body;
  // By itself: a fence that the text leaves open would make code of the call, and nobody would hear it.
  const call = (words: (names: readonly string[]) => string, names: readonly string[]): PostableBody =>
    clean(names.length === 0 ? '' : words(names), SMALL_MARKER_ROOM, names);
  const signed = (sections: readonly PostableBody[], marker: MarkerPayload): PostableBody =>
    composeBody({ sections, marker: signMarker(marker, secret) });
  return {
    inline: (planned) =>
      signed([clean(planned.text, SMALL_MARKER_ROOM), ...suggestionSection(forge, planned)], planned.marker),
    plain: (text, marker) => signed([clean(text, marker.kind === 'summary' ? MARKER_ROOM : SMALL_MARKER_ROOM)], marker),
    closed: ({ closure, comment, marker }) =>
      signed([clean(`${closure.text}\n\n${withoutButton(stripMarkers(comment.body))}`, SMALL_MARKER_ROOM)], marker),
    extended: (body, text, marker) => signed([clean(`${stripMarkers(body)}\n\n${text}`, MARKER_ROOM)], marker),
    calling: ({ marker, text }, names) => signed([clean(text, SMALL_MARKER_ROOM), call(threadCallText, names)], marker),
    notice: ({ marker, text, calls }, names) => {
      // Mentions are sanitized separately, because an unclosed fence in the text would turn them into code.
      const line = call(calls === undefined ? operatorCallText : handoffCallText, names);
      const before = marker.kind === 'handoff' && marker.called !== undefined ? calledBeforeText(marker.called) : '';
      return signed(
        [clean(text, SMALL_MARKER_ROOM), clean(before, SMALL_MARKER_ROOM), line],
        withCalled(marker, names),
      );
    },
  };
};

/** Remembered on the forge, so that an edit can name them without calling them again. */
const withCalled = (marker: NoticeMarker, names: readonly string[]): NoticeMarker =>
  marker.kind === 'handoff' && names.length > 0 ? { ...marker, called: [...names] } : marker;

/** Omits a suggestion that cannot be applied exactly; the finding describes it in words. */
const suggestionSection = (forge: PosterForge, { suggestion, position }: PlannedInline): readonly PostableBody[] => {
  if (suggestion === null) return [];
  const rendered = renderSuggestion(position, suggestion);
  if (rendered.kind === 'refused') return [];
  const options = { ...forge.sanitizing, mayMention: [] };
  if (forge.rangedSuggestions) {
    const { body } = sanitizeSuggestion(rendered.text, options);
    return [body === rendered.text ? body : shownOnly(position, body)];
  }
  if (suggestion === '') return [sanitize(withoutLines(...rangeOf(position)), options).body];
  // Not a suggestion block: a forge that adds support for them would replace only one of several lines.
  const code = codeFence(suggestion);
  const { body } = sanitize(code, options);
  if (body !== code) return [shownOnly(position, body)];
  return [fixedText`${sanitize(insteadOf(...rangeOf(position)), options).body}\n\n${body}`];
};

/** For code that the sanitizer changed, which must not be copied. */
const shownOnly = (position: PlannedInline['position'], body: PostableBody): PostableBody =>
  fixedText`Instead of ${linesOf(position)}, altered here so that nothing acts on it or leaks by it (do not copy it):\n\n${body}`;

const rangeOf = ({ start, end }: PlannedInline['position']): readonly [first: number, last: number] => [
  start.newLine ?? 0,
  end.newLine ?? 0,
];

const linesOf = (position: PlannedInline['position']): PostableBody => {
  const [first, last] = rangeOf(position);
  return first === last ? fixedText`line ${last}` : fixedText`lines ${first} to ${last}`;
};
