/** Edits of people to the bot's comments on any kind of forge, and all comments of the bot with their markers. */
import type { MarkerPayload } from '../../shared/rounds/model/marker-payload.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { FleetSim } from '../support/fleet-forge.ts';
import { AUTHOR, BOT, OWNER } from './convergence-stage.ts';

export type At = {
  readonly sim: FleetSim;
  readonly repo: string;
  readonly number: number;
  readonly markerSecret: string;
};

export type BotWord = {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  /** Null when a comment has no marker, or its signature is not ours. */
  readonly marker: MarkerPayload | null;
  readonly resolved: boolean;
};

type Raw = Omit<BotWord, 'marker'>;

const everything = ({ sim, repo, number }: At): readonly Raw[] => {
  if (!('traits' in sim))
    return sim.mergeRequestAt({ project: repo, iid: number }).notes.map((note) => ({
      id: note.id,
      author: note.author.username,
      body: note.body,
      resolved: note.resolvedBy !== null,
    }));
  return sim.pullAt({ repo, number }).comments.map(({ id, author, body, resolver }) => ({
    id,
    author: author.login,
    body,
    resolved: resolver !== null,
  }));
};

export const wordsOf = (at: At): readonly BotWord[] =>
  everything(at)
    .filter(({ author }) => author.startsWith(BOT))
    .map((word) => {
      const [reading] = readMarkers(word.body, [at.markerSecret]);
      return { ...word, marker: reading?.kind === 'valid' ? reading.payload : null };
    });

export type Marked<Kind extends MarkerPayload['kind']> = BotWord & {
  readonly marker: Extract<MarkerPayload, { readonly kind: Kind }>;
};

export const markedAs = <Kind extends MarkerPayload['kind']>(words: readonly BotWord[], kind: Kind) =>
  words.filter((word): word is Marked<Kind> => word.marker?.kind === kind);

/** The newest summary: under a new account, the bot creates its own. Null when it was deleted. */
export const lastSummary = (at: At): Marked<'summary'> | null => markedAs(wordsOf(at), 'summary').at(-1) ?? null;

export const summaryOf = (at: At): Marked<'summary'> => {
  const summary = lastSummary(at);
  if (summary === null) throw new Error('there is no summary');
  return summary;
};

/** The first comment of the newest thread with a matching finding. */
export const findingIn = (at: At, of: (word: Marked<'finding'>) => boolean): Marked<'finding'> => {
  const found = markedAs(wordsOf(at), 'finding').findLast(of);
  if (found === undefined) throw new Error('no such finding was said');
  return found;
};

const discussionOf = ({ sim, repo, number }: At, id: number): string | null => {
  if ('traits' in sim) return null;
  const note = sim.mergeRequestAt({ project: repo, iid: number }).notes.find((each) => each.id === id);
  return note?.discussionId ?? null;
};

export const answerIn = async (at: At, word: BotWord, body: string): Promise<void> => {
  const { sim, repo, number } = at;
  if ('traits' in sim) return void (await sim.replyInline({ repo, number, as: AUTHOR, to: word.id, body }));
  const discussion = discussionOf(at, word.id) ?? '';
  await sim.replyToDiscussion({ project: repo, iid: number, as: AUTHOR, discussion, body });
};

export const resolveSilently = async (at: At, word: BotWord): Promise<void> => {
  const { sim, repo, number } = at;
  if ('traits' in sim) sim.resolveThread({ repo, number, as: AUTHOR, comment: word.id, resolved: true });
  else {
    const discussion = discussionOf(at, word.id) ?? '';
    await sim.resolveDiscussion({ project: repo, iid: number, as: AUTHOR, discussion });
  }
};

/** Edits a comment as a user who may edit others' comments; null deletes it. */
export const overwrite = async ({ sim, repo, number }: At, word: BotWord, body: string | null): Promise<void> => {
  if ('traits' in sim) sim.changeComment({ repo, id: word.id, as: OWNER, body });
  else await sim.changeNote({ project: repo, iid: number, as: OWNER, note: word.id, body });
};

export const say = async ({ sim, repo, number }: At, body: string): Promise<void> => {
  if ('traits' in sim) sim.comment({ repo, number, as: OWNER, body });
  else await sim.comment({ project: repo, iid: number, as: OWNER, body });
};
