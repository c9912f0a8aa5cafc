/** Turns the parts of a plan into bodies: all text is sanitized, and every body gets its signed marker. */
import { renderSuggestion } from '../../shared/diff/position/suggestion.ts';
import type { Closing } from '../../shared/rounds/plan/difference.ts';
import type { PlannedInline, PlannedReply, PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import {
  calledBeforeText,
  handoffCallText,
  operatorCallText,
  threadCallText,
} from '../../shared/rounds/plan/wording/call-text.ts';
import type { PostableBody } from '../../shared/text/postable-body.ts';
import { codeFence } from '../../shared/text/code-fence.ts';
import { composeBody, composeFold, fixedText } from './compose-body.ts';
import { type MarkerPayload, MAX_CALLED, WrittenName } from '../../shared/rounds/model/marker-payload.ts';
import {
  insteadOf,
  withoutButton,
  withoutLines,
  withoutSmallPrint,
} from '../../shared/rounds/memory/finding-comment.ts';
import { signMarker, stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { sanitize, sanitizeSuggestion } from '../../shared/text/sanitize.ts';
import type { SummaryBody } from '../../shared/rounds/model/posting/post-plan.ts';
import type { PosterDeps, PosterForge } from './deps.ts';

export type Composer = {
  readonly inline: (planned: PlannedInline) => PostableBody;
  readonly plain: (text: string, marker: MarkerPayload) => PostableBody;
  readonly summary: (body: SummaryBody, marker: MarkerPayload) => PostableBody;
  readonly closed: (closing: Closing) => PostableBody;
  /** Composes several answers as one comment. `names`: the people to mention; nobody else is mentioned. */
  readonly answers: (
    answers: readonly { readonly text: string; readonly marker: MarkerPayload }[],
    names?: readonly string[],
  ) => PostableBody;
  /** Composes a reply that mentions a person. `names`: the same as for `answers`. */
  readonly calling: (reply: PlannedReply, names: readonly string[]) => PostableBody;
  /** `names`: the same as for `answers`. */
  readonly notice: (notice: PostPlan['notices'][number], names: readonly string[]) => PostableBody;
};

/** What the text of comments depends on. */
export type ComposesFor = Pick<PosterForge, 'sanitizing' | 'rangedSuggestions'>;

type NoticeMarker = PostPlan['notices'][number]['marker'];

/** Length reserved for the marker of a full ledger in base64, and for the blank lines between sections. */
const MARKER_ROOM = 70_000;
const SMALL_MARKER_ROOM = 4_000;

type Clean = (text: string, room: number, mayMention?: readonly string[]) => PostableBody;

/** `page`: address of the change request. If it is given, links to comments of the change request are allowed. */
export const createComposer = (
  forge: ComposesFor,
  deps: Pick<PosterDeps, 'markerSecrets'>,
  page?: string,
): Composer => {
  const [secret] = deps.markerSecrets;
  const sanitizing = { ...forge.sanitizing, page };
  const clean: Clean = (text, room, mayMention = []) =>
    sanitize(text, { ...sanitizing, mayMention, maxLength: Math.max(SMALLEST_FOLD, sanitizing.maxLength - room) }).body;
  // The mentions are sanitized separately: an unclosed fence in the text would turn them into code.
  const call = (words: (names: readonly string[]) => string, names: readonly string[]): PostableBody =>
    clean(names.length === 0 ? '' : words(names), SMALL_MARKER_ROOM, names);
  const signed = (sections: readonly PostableBody[], ...payloads: readonly MarkerPayload[]): PostableBody =>
    composeBody({ sections, markers: payloads.map((payload) => signMarker(payload, secret)) });
  return {
    inline: (planned) => {
      const { text, foot = '', marker } = planned;
      return signed(
        [clean(text, SMALL_MARKER_ROOM), ...suggestionSection(forge, planned), clean(foot, SMALL_MARKER_ROOM)],
        marker,
      );
    },
    plain: (text, marker) => signed([clean(text, SMALL_MARKER_ROOM)], marker),
    summary: (body, marker) => signed(summarySections(body, clean, sanitizing.maxLength), marker),
    closed: ({ closure, comment, marker }) => {
      const before = withoutButton(withoutSmallPrint(stripMarkers(comment.body)));
      return signed([clean(`${closure.text}\n\n${before}`, SMALL_MARKER_ROOM)], marker);
    },
    answers: (answers, names = []) => {
      const room = Math.ceil(sanitizing.maxLength - (sanitizing.maxLength - MARKER_ROOM) / Math.max(1, answers.length));
      return signed(
        [...answers.map(({ text }) => clean(text, room)), call(threadCallText, names)],
        ...answers.map(({ marker }) => marker),
      );
    },
    calling: ({ marker, text }, names) => signed([clean(text, SMALL_MARKER_ROOM), call(threadCallText, names)], marker),
    notice: ({ marker, text, calls }, names) => {
      const line = call(calls === undefined ? operatorCallText : handoffCallText, names);
      const before = marker.kind === 'handoff' && marker.called !== undefined ? calledBeforeText(marker.called) : '';
      return signed(
        [clean(text, SMALL_MARKER_ROOM), clean(before, SMALL_MARKER_ROOM), line],
        withCalled(marker, names),
      );
    },
  };
};

/**
 * Stores the names in the marker, so that an edit can show them without notifying these people again. The names come from
 * the forge, so a name that a marker cannot hold is left out.
 */
const withCalled = (marker: NoticeMarker, names: readonly string[]): NoticeMarker => {
  const called = names.filter((name) => WrittenName.safeParse(name).success).slice(0, MAX_CALLED);
  return marker.kind === 'handoff' && called.length > 0 ? { ...marker, called } : marker;
};

/** Length reserved for the tags and the title of a collapsed section. */
const FOLD_ROOM = 200;
const SMALLEST_FOLD = 2_000;

/** Collapsed sections that do not fit are left out; the text and the footer have priority. */
const summarySections = (
  { text, folds = [], foot = '' }: SummaryBody,
  clean: Clean,
  maxLength: number,
): readonly PostableBody[] => {
  const last = clean(foot, MARKER_ROOM);
  const first = clean(text, MARKER_ROOM + last.length);
  let room = MARKER_ROOM + first.length + last.length;
  const written = folds.flatMap((fold) => {
    if (maxLength - room < SMALLEST_FOLD + FOLD_ROOM) return [];
    const section = composeFold(clean(fold.title, room), clean(fold.text, room + FOLD_ROOM));
    room += section.length + 2;
    return [section];
  });
  return [first, ...written, last];
};

/** Omits a suggestion that cannot be applied exactly; the finding describes it in words. */
const suggestionSection = (forge: ComposesFor, { suggestion, position }: PlannedInline): readonly PostableBody[] => {
  if (suggestion === null) return [];
  const rendered = renderSuggestion(position, suggestion);
  if (rendered.kind === 'refused') return [];
  const options = { ...forge.sanitizing, mayMention: [] };
  if (forge.rangedSuggestions) {
    const { body } = sanitizeSuggestion(rendered.text, options);
    return [body === rendered.text ? body : shownOnly(position, body)];
  }
  if (suggestion === '') return [sanitize(withoutLines(...rangeOf(position)), options).body];
  // This is not a suggestion block. If the forge later supports such blocks, it would replace only one of several
  // lines.
  const code = codeFence(suggestion);
  const { body } = sanitize(code, options);
  if (body !== code) return [shownOnly(position, body)];
  return [fixedText`${sanitize(insteadOf(...rangeOf(position)), options).body}\n\n${body}`];
};

/** Shows code that the sanitizer changed, so that nobody applies it as a suggestion. */
const shownOnly = (position: PlannedInline['position'], body: PostableBody): PostableBody =>
  fixedText`Instead of ${linesOf(position)}, use this text. It was altered to contain no secrets and to trigger no actions, so do not copy it:\n\n${body}`;

const rangeOf = ({ start, end }: PlannedInline['position']): readonly [first: number, last: number] => [
  start.newLine ?? 0,
  end.newLine ?? 0,
];

const linesOf = (position: PlannedInline['position']): PostableBody => {
  const [first, last] = rangeOf(position);
  return first === last ? fixedText`line ${last}` : fixedText`lines ${first} to ${last}`;
};
