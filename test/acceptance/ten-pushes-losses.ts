/** What the bot may lose between two of the ten pushes, and what is there for a reader in the end. */
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { type BotWord, lastSummary, markedAs, overwrite, wordsOf } from '../integration/convergence-hands.ts';
import type { At } from './ten-pushes-stage.ts';

export type Loss = {
  readonly name: string;
  readonly act: (at: At) => Promise<void>;
  /** The first gap between two steps in which it changes something. */
  readonly from: number;
};

const handsAt = ({ stage, number }: At) => ({
  sim: stage.sim,
  repo: stage.repo,
  number,
  markerSecret: stage.markerSecret,
});

const summaryWord = (at: At) => {
  const summary = lastSummary(handsAt(at));
  if (summary === null) throw new Error('there is no summary');
  return summary;
};

/** The first summary that stated a result, as the forge once showed it. */
const olderEdit = ({ stage: { sim, repo }, number }: At): string => {
  const bodies = sim.effects
    .filter((effect) => effect.repo === repo && effect.number === number)
    .flatMap(({ detail }) => (typeof detail['body'] === 'string' ? [detail['body']] : []));
  const first = bodies.find((body) => /^\*\*\d+ problems? to fix before merging\*\*/.test(body));
  if (first === undefined) throw new Error('the summary has no older edit');
  return first;
};

export const LOSSES: readonly Loss[] = [
  { name: 'Redis is flushed', act: async ({ stage }) => stage.wipe(), from: 0 },
  {
    name: 'the summary is deleted',
    act: async (at) => {
      await overwrite(handsAt(at), summaryWord(at), null);
      await at.stage.calm();
    },
    from: 0,
  },
  {
    name: 'an older edit of the summary is restored',
    act: async (at) => {
      await overwrite(handsAt(at), summaryWord(at), olderEdit(at));
      await at.stage.calm();
    },
    // Before the first push there is only one edit.
    from: 1,
  },
];

export type End = {
  readonly verdict: string | null;
  readonly status: string;
  readonly description: string;
  readonly rounds: number;
  readonly reviews: number;
  /** State in the ledger, and on the forge. */
  readonly threads: readonly string[];
  /** What the bot has said, as a reader sees it. */
  readonly words: readonly string[];
  /** What it has said more than once. */
  readonly twice: readonly string[];
};

/** Commits, addresses and ids differ from run to run. */
const readable = ({ stage, number }: At, body: string): string => {
  const { heads } = stage.look(number);
  return stripMarkers(body)
    .replaceAll(stage.sim.url, '')
    .replaceAll(/#(issuecomment-|note_)\d+/g, '#$1')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, (hash) => {
      const index = heads.findIndex((head) => head.startsWith(hash));
      return index < 0 ? '(commit)' : `head-${index + 1}`;
    });
};

/** Where there is no summary, a review that asks holds it, and has no words of its own. */
const isBodyOfReview = ({ marker }: BotWord): boolean => marker?.kind === 'answer' && marker.note.startsWith('review.');

const repeated = (words: readonly BotWord[]): readonly string[] => {
  const keys = words.flatMap(({ marker }) => {
    if (marker === null) return ['without a marker'];
    if (marker.kind === 'finding') return [`finding at ${marker.path}`];
    return marker.kind === 'summary' || marker.kind === 'handoff' ? [marker.kind] : [];
  });
  return keys.filter((key, index) => keys.indexOf(key) !== index);
};

export const endOf = async (at: At): Promise<End> => {
  const words = wordsOf(handsAt(at));
  const { verdict, rounds, review, ledger } = summaryWord(at).marker;
  return {
    verdict,
    status: await at.stage.statusOf(at.number),
    description: readable(at, at.stage.descriptionOf(at.number)),
    rounds: rounds ?? 0,
    reviews: review,
    threads: markedAs(words, 'finding')
      .map(({ marker: { id, path, title }, resolved }) => {
        const state = ledger.find((entry) => entry.id === id)?.state ?? 'forgotten';
        return `${id} ${path} ${title}: ${state}, ${resolved ? 'resolved' : 'open'} on the forge`;
      })
      .toSorted(),
    words: words
      .filter((word) => !isBodyOfReview(word))
      .map(({ body, resolved }) => `${resolved ? '[resolved] ' : ''}${readable(at, body)}`)
      .toSorted(),
    twice: repeated(words),
  };
};
