/** Disturbances between two steps of the convergence script, and the final state for a reader. */
import { calledFor } from '../../shared/rounds/memory/handoffs.ts';
import { stripMarkers } from '../../shared/rounds/memory/marker.ts';
import { lastSummary, markedAs, overwrite, summaryOf, wordsOf } from './convergence-hands.ts';
import { type Play, statusOf } from './convergence-script.ts';

export type Disturbance = {
  readonly name: string;
  readonly act: (play: Play) => Promise<void>;
  /**
   * `same`: the final state equals the undisturbed one. `same_claims`: the same, except that comments of the old account
   * stay unchanged, because nobody else may edit them. `handed_off`: the bot posts only a hand-off.
   */
  readonly ends: 'same' | 'same_claims' | 'handed_off';
};

/** The first summary that stated the result of a round. */
const olderEdit = ({ sim, repo, number }: Play): string => {
  const edits = sim.effects
    .filter((effect) => effect.repo === repo && effect.number === number)
    .flatMap(({ detail }) => (typeof detail['body'] === 'string' ? [detail['body']] : []));
  const first = edits.find((body) => /^\*\*\d+ problems? to fix before merging\*\*/.test(body));
  if (first === undefined) throw new Error('the summary has no older edit');
  return first;
};

export const DISTURBANCES: readonly Disturbance[] = [
  { name: 'Redis is flushed', act: (play) => play.stage.flush(), ends: 'same' },
  {
    name: 'the summary is deleted',
    act: async (play) => {
      // A change request that was never reviewed may have none.
      const summary = lastSummary(play);
      if (summary !== null) await overwrite(play, summary, null);
      await play.stage.calm();
    },
    ends: 'same',
  },
  {
    name: 'an older edit of the summary is restored',
    act: async (play) => {
      await overwrite(play, summaryOf(play), olderEdit(play));
      await play.stage.calm();
    },
    ends: 'same',
  },
  {
    name: 'the bot gets another account, and the old one is listed',
    act: (play) => play.stage.changeBot({ listed: true }),
    ends: 'same_claims',
  },
  {
    name: 'the bot gets another account, and nobody says so',
    act: (play) => play.stage.changeBot({ listed: false }),
    ends: 'handed_off',
  },
];

const withoutIds = (play: Play, body: string): string => {
  const heads = [...play.shops.keys()];
  // A recreated summary takes a number, so later comments have other addresses.
  const placeless = stripMarkers(body).replaceAll(/\]\(https?:[^)\s]*\)/g, '](address)');
  return placeless.replaceAll(/\b[0-9a-f]{7,40}\b/g, (hash) => {
    const index = heads.findIndex((head) => head.startsWith(hash));
    return index < 0 ? hash : `head-${index + 1}`;
  });
};

/** All comments of the bot, sorted, because a recreated summary is at another place. */
export const readersView = (play: Play) => ({
  words: wordsOf(play)
    .map(({ body, resolved }) => `${resolved ? '[resolved] ' : ''}${withoutIds(play, body)}`)
    .toSorted(),
  status: statusOf(play),
});

/** Findings with their places and states, by any account. */
export const claimsOf = (play: Play) => {
  const words = wordsOf(play);
  const { verdict, review, ledger } = summaryOf(play).marker;
  return {
    findings: markedAs(words, 'finding').map(
      ({ marker: { id, path, line, title } }) => `${id} ${path}:${line} ${title}`,
    ),
    replies: markedAs(words, 'reply')
      .filter(({ marker }) => marker.action !== 'resolve')
      .map(({ marker: { id, action, count } }) => `${id} ${action} ${count}`),
    ledger: ledger.map(({ id, state, severity }) => `${id} ${severity} ${state}`).toSorted(),
    verdict,
    review,
    status: statusOf(play),
  };
};

/** Comments of an unlisted account: one hand-off, edited for each later head. */
export const handedOff = (play: Play) => {
  const mine = wordsOf(play).filter(({ author }) => author === play.stage.botName());
  const calls = markedAs(mine, 'handoff').map(({ marker }) => calledFor(marker));
  return {
    kinds: new Set(mine.map(({ marker }) => marker?.kind ?? 'no marker')),
    calls: calls.length,
    heads: [...new Set(calls.flat().map(({ input }) => input.head))],
    reasons: new Set(calls.flat().map(({ reason }) => reason)),
    verdict: summaryOf(play).marker.verdict,
  };
};
