/** A scripted reviewer: reads, explores, and submits what simple patterns find. */
import { type Defect, findDefects } from './defects.ts';
import type { Exchange } from './exchange.ts';
import { createRandom } from './random.ts';
import { type DiffLine, readDiff } from './read-diff.ts';
import { type Reply, type ReplyBlock, reply, text, toolUse } from './reply.ts';
import { type Answer, type LegalAnswer, SUBMIT, writeSubmission } from './submission.ts';

export type SeededReviewerOptions = {
  /** Questions for explorers, all asked in the first turn. Default: none. */
  readonly explore?: readonly string[];
  /** Number of files of the diff to read in the first turn. Default: 1. */
  readonly reads?: number;
  readonly greps?: readonly string[];
  /** Percentage of the defects that it reports, selected by the seed. Default: 100. */
  readonly notices?: number;
  readonly answer?: LegalAnswer;
};

/** Deterministic by seed, prompt and turn, so that a resumed run gets the same replies as the lost one. */
export const seededReviewer =
  (seed: number, options: SeededReviewerOptions = {}) =>
  (exchange: Exchange): Reply => {
    const names = exchange.tools.map(({ name }) => name);
    if (names.includes(SUBMIT)) return review(seed, options, exchange);
    if (names.includes('WriteNotes')) return explore(exchange);
    return reply(JSON.stringify({ summary: 'Reviewed.', comments: noticed(seed, options, exchange) }));
  };

const has = ({ tools }: Exchange, wanted: string): boolean => tools.some(({ name }) => name === wanted);

const review = (seed: number, options: SeededReviewerOptions, exchange: Exchange): Reply => {
  const opening = exchange.turn === 0 ? openingCalls(options, exchange) : [];
  if (opening.length > 0) return reply([text('I look around first.'), ...opening]);
  return reply([text('Here is the review.'), toolUse(SUBMIT, submission(seed, options, exchange))]);
};

const openingCalls = (options: SeededReviewerOptions, exchange: Exchange): readonly ReplyBlock[] => {
  const paths = [...new Set(diffIn(exchange).map(({ path }) => path))].slice(0, options.reads ?? 1);
  const agents = (options.explore ?? []).map((question) => toolUse('Agent', { question }));
  const greps = (options.greps ?? []).map((pattern) => toolUse('Grep', { pattern }));
  const reads = paths.map((path) => toolUse('Read', { path }));
  return [
    ...(has(exchange, 'Agent') ? agents : []),
    ...(has(exchange, 'Read') ? reads : []),
    ...(has(exchange, 'Grep') ? greps : []),
  ];
};

const diffIn = ({ firstUserText }: Exchange): readonly DiffLine[] => readDiff(firstUserText);

const claims = (words: string, { title, path }: Defect): boolean =>
  words.includes(`${title}: \``) && words.includes(` in ${path}.`);

/** Leaves out defects whose claim is in the prompt: they have a thread already. */
const noticed = (seed: number, options: SeededReviewerOptions, exchange: Exchange): readonly Defect[] =>
  findDefects(diffIn(exchange)).filter((defect) => {
    if (claims(exchange.firstUserText, defect)) return false;
    return createRandom(seed, defect.path, defect.line, defect.title).below(100) < (options.notices ?? 100);
  });

const submission = (seed: number, options: SeededReviewerOptions, exchange: Exchange) => {
  const defects = noticed(seed, options, exchange);
  const files = new Set(diffIn(exchange).map(({ path }) => path)).size;
  const summary = `Looked at ${files} files and found ${defects.length} new things to change.`;
  const choose = options.answer ?? answerByDiff(exchange);
  return writeSubmission(exchange, { summary, defects, choose });
};

/** The part of the prompt about one thread: from its id to the next id. */
const aboutThread = (prompt: string, id: string): string => {
  const [, ...parts] = prompt.split(id);
  return parts.map((part) => part.split(/F-\d{3,}/)[0]?.slice(0, 4000) ?? '').join('\n');
};

/** Insists while an added line still has the defect of the thread. */
const answerByDiff = (exchange: Exchange): LegalAnswer => {
  const left = findDefects(diffIn(exchange));
  return ({ id, actions }) => {
    const about = aboutThread(exchange.firstUserText, id);
    const isLeft = left.some((defect) => claims(about, defect));
    return isLeft ? insist(actions) : accept(actions);
  };
};

const accept = (actions: readonly string[]): Answer =>
  actions.includes('resolve') ? { action: 'resolve', stance: 'accepts', body: 'This is settled.' } : insist(actions);

const insist = (actions: readonly string[]): Answer => {
  const action =
    ['reply', 'veto', 'resolve', 'escalate'].find((one) => actions.includes(one)) ?? actions[0] ?? 'resolve';
  const stance = action === 'resolve' ? 'accepts' : 'seeks_change';
  return {
    action,
    stance,
    body: 'The line still does it.',
    ...(action === 'escalate' ? { severity: 'P0' } : {}),
  };
};

const NOTES = `## Callers

None found outside of the change.

## Tests

No test names it.

## Type Definitions

Nothing of note.

## Knock-on Effects

None seen.

## Additional Context

None.
`;

/** An explorer greps for the first long word of its question, notes the result, and ends. */
const explore = (exchange: Exchange): Reply => {
  const word = /[A-Za-z_]{5,}/.exec(exchange.firstUserText)?.[0] ?? 'main';
  const looks = has(exchange, 'Grep') ? 1 : 0;
  if (exchange.turn < looks) return reply([toolUse('Grep', { pattern: word })]);
  if (exchange.turn === looks) return reply([toolUse('WriteNotes', { text: NOTES })]);
  return reply('The notes are written.');
};
