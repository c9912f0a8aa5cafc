/**
 * The scripted reviewer of the convergence script: it finds defects by reading the files, and nags. In every review it
 * reports all of them again, in other words from review 2 on, even when they were answered and nothing has changed.
 */
import { type Defect, findDefects } from '../sim/messages/defects.ts';
import type { Exchange } from '../sim/messages/exchange.ts';
import type { DiffLine } from '../sim/messages/read-diff.ts';
import { reply, text, toolUse } from '../sim/messages/reply.ts';
import type { Script } from '../sim/messages/script.ts';
import { type Answer, type LegalAnswer, SUBMIT, writeSubmission } from '../sim/messages/submission.ts';
import { PATHS } from './convergence-shop.ts';

type FileText = { readonly path: string; readonly lines: readonly string[] };

export const naggingReviewer: Script = (exchange) => {
  if (exchange.turn === 0) return reply([text('I read first.'), ...PATHS.map((path) => toolUse('Read', { path }))]);
  return reply([text('Here is the review.'), toolUse(SUBMIT, submissionOf(exchange))]);
};

const ROW = /^(\d+)\t(.*)$/;

/** Results of the reads, in the order of the calls. */
const filesIn = ({ heard }: Exchange): readonly FileText[] => {
  const results = heard.filter((said) => said.split('\n').some((row) => ROW.test(row)) && said.includes('tool-read'));
  return results.slice(0, PATHS.length).map((said, index) => {
    const rows = said.split('\n').flatMap((row) => {
      const [, number, content = ''] = ROW.exec(row) ?? [];
      return number === undefined ? [] : [{ number: Number(number), content }];
    });
    const lines: string[] = [];
    for (const { number, content } of rows) lines[number - 1] = content;
    return { path: PATHS[index] ?? '', lines };
  });
};

const GUARD = 'requireLogin();';
const UNGUARDED = 'Charges a customer who is not logged in';

const unguarded = ({ path, lines }: FileText): readonly Defect[] =>
  lines.flatMap((content, index) => {
    if (!content.includes('charge(') || lines[index - 1]?.trim() === GUARD) return [];
    const evidence = content.trim();
    const body = `${UNGUARDED}: nothing in this function checks the login before \`${evidence}\`.`;
    return [{ path, line: index + 1, severity: 'P1', title: UNGUARDED, body, evidence }];
  });

const defectsIn = (file: FileText): readonly Defect[] => {
  const { path, lines } = file;
  const rows = lines.map((content, index): DiffLine => ({ path, line: index + 1, kind: 'added', text: content }));
  return [...findDefects(rows), ...unguarded(file)];
};

const FIRST_REVIEW = 'This is review 1.';

/** Rephrases a finding, as models do. */
const nag = (defect: Defect): Defect => ({
  ...defect,
  title: `${defect.title}, still`,
  body: `As I said: ${defect.body} Please look at it again.`,
});

const submissionOf = (exchange: Exchange) => {
  const files = filesIn(exchange);
  const found = files.flatMap(defectsIn);
  const defects = exchange.firstUserText.includes(FIRST_REVIEW) ? found : found.map(nag);
  const choose: LegalAnswer = ({ id, actions }) => {
    const answer = standsStill(threadOf(exchange.firstUserText, id), files, found) ? insist(actions) : ACCEPT;
    return actions.includes(answer.action) ? answer : null;
  };
  return writeSubmission(exchange, { summary: 'I have read the shop.', defects, choose });
};

type ThreadText = { readonly title: string; readonly path: string | null; readonly cited: readonly string[] };

const threadOf = (prompt: string, id: string): ThreadText => {
  const from = prompt.indexOf(`${id}: replies so far: `);
  const block = prompt.slice(from).split(/\n\n(?=F-\d+: replies so far: )/)[0] ?? '';
  const [, title = ''] = new RegExp(`^${id} P\\d: (.*)$`, 'm').exec(block) ?? [];
  const [, path = null] = /^now at: (\S+), line/m.exec(block) ?? [];
  const [, cited = ''] = /^cited code:\n([\s\S]*?)(?:\nreply by |\n[^\n]*thread|$)/m.exec(block) ?? [];
  return { title, path, cited: cited.split('\n').map((each) => each.trim()) };
};

/** True while the cited code, or another case of the same defect, still exists. */
const standsStill = (
  { title, path, cited }: ThreadText,
  files: readonly FileText[],
  found: readonly Defect[],
): boolean => {
  const claimed = found.filter((defect) => path === null || defect.path === path);
  if (claimed.some((defect) => title.startsWith(defect.title))) return true;
  if (title.startsWith(UNGUARDED)) return false;
  const lines = new Set(files.flatMap((file) => file.lines.map((each) => each.trim())));
  return cited.every((each) => lines.has(each));
};

const ACCEPT: Answer = { action: 'resolve', stance: 'accepts', body: 'This is done.' };

const insist = (actions: readonly string[]): Answer => ({
  action: actions.includes('reply') ? 'reply' : 'veto',
  stance: 'seeks_change',
  body: 'The code still does it.',
});
