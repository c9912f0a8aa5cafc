/** A scripted reviewer for several rounds: insists on a thread while its lines are unchanged, and repeats no finding. */
import { findDefects } from './defects.ts';
import type { Exchange } from './exchange.ts';
import { readDiff } from './read-diff.ts';
import { reply, toolUse } from './reply.ts';
import type { Script } from './script.ts';
import { type LegalAnswer, SUBMIT, writeSubmission } from './submission.ts';

type OpenThread = { readonly id: string; readonly title: string; readonly isGone: boolean };

const THREAD = /^(?<id>F-\d{3,}) P[0-3]: (?<title>.+)\nnow at: (?<where>.+)$/gm;
const GONE = 'its lines no longer exist';

const threadsIn = ({ firstUserText }: Exchange): readonly OpenThread[] =>
  [...firstUserText.matchAll(THREAD)].map(({ groups }) => ({
    id: groups?.['id'] ?? '',
    title: groups?.['title'] ?? '',
    isGone: groups?.['where'] === GONE,
  }));

const answerTo =
  (threads: readonly OpenThread[]): LegalAnswer =>
  ({ id, actions }) => {
    if (threads.find((thread) => thread.id === id)?.isGone !== false) {
      return { action: 'resolve', stance: 'accepts', body: 'The line is another one now.' };
    }
    const action = ['reply', 'veto'].find((each) => actions.includes(each));
    return action === undefined ? null : { action, stance: 'seeks_change', body: 'The line still does it.' };
  };

/** Deterministic by prompt and turn. */
export const insistingReviewer: Script = (exchange) => {
  const diff = readDiff(exchange.firstUserText);
  const paths = [...new Set(diff.map(({ path }) => path))];
  if (exchange.turn === 0 && paths.length > 0) return reply(paths.map((path) => toolUse('Read', { path })));
  const threads = threadsIn(exchange);
  const defects = findDefects(diff).filter(({ title }) => !threads.some((thread) => thread.title === title));
  const summary = `Looked at ${paths.length} files and found ${defects.length} new things to change.`;
  return reply([toolUse(SUBMIT, writeSubmission(exchange, { summary, defects, choose: answerTo(threads) }))]);
};
