/** What the author of the ten pushes does beside pushing, and what reaches people of what the bot says. */
import type { FindingMarker, MarkerPayload, SummaryMarker } from '../../shared/rounds/model/marker-payload.ts';
import { readMarkers } from '../../shared/rounds/memory/marker.ts';
import type { VerdictStage } from '../integration/verdict-stage.ts';

const AUTHOR = 'author';

export type At = { readonly stage: VerdictStage; readonly number: number };

/** Answers in the thread that the bot opened at this file. */
export const answerAt = async ({ stage, number }: At, path: string, body: string): Promise<void> => {
  const { sim, repo, bot } = stage;
  if ('traits' in sim) {
    const { comments } = sim.pullAt({ repo, number });
    const found = comments.find(({ author, code }) => author.login === bot && code?.path === path);
    if (found === undefined) throw new Error(`no thread at ${path}`);
    await sim.replyInline({ repo, number, as: AUTHOR, to: found.id, body });
    return;
  }
  const { notes } = sim.mergeRequestAt({ project: repo, iid: number });
  const found = notes.find(({ author, position }) => author.username === bot && position?.new_path === path);
  if (found === undefined) throw new Error(`no thread at ${path}`);
  await sim.replyToDiscussion({ project: repo, iid: number, as: AUTHOR, discussion: found.discussionId, body });
};

const bodiesOf = ({ stage, number }: At): readonly string[] => {
  const { comments, reviews, inline } = stage.look(number);
  const all = [...comments, ...reviews, ...inline, ...inline.flatMap(({ replies }) => replies)];
  return all.filter(({ author }) => author === stage.bot).map(({ body }) => body);
};

const markersOf = (at: At): readonly MarkerPayload[] =>
  bodiesOf(at)
    .flatMap((body) => readMarkers(body, [at.stage.markerSecret]))
    .flatMap((reading) => (reading.kind === 'valid' ? [reading.payload] : []));

export const summaryAt = (at: At): SummaryMarker => {
  const found = markersOf(at).filter((payload): payload is SummaryMarker => payload.kind === 'summary');
  const [summary] = found;
  if (summary === undefined || found.length > 1) throw new Error(`${found.length} summaries instead of one`);
  return summary;
};

export const findingsAt = (at: At): readonly FindingMarker[] =>
  markersOf(at).filter((payload): payload is FindingMarker => payload.kind === 'finding');

export type Count = {
  /** Comments that the bot has created so far: on the whole, as the body of a review, or as an answer in a thread. */
  readonly created: number;
  /** Kinds of the mails to the author that the bot has caused so far. */
  readonly mails: readonly string[];
};

export const countUntil = (at: At): Count => {
  const { sim, bot } = at.stage;
  const mails = sim.mails.filter(({ by, to }) => by === bot && to.includes(AUTHOR)).map(({ kind }) => kind);
  // The findings of a review are one thing with it.
  return { created: bodiesOf(at).length - findingsAt(at).length, mails };
};
