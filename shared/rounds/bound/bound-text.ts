import { MAX_GRANTS } from '../model/policy.ts';
import { type Bound, type BoundInput, helpersOf, maxComments, maxRequests, type ModelLimits } from './bound.ts';

/** `notes`: lines to print below the table, about what this configuration does not limit. */
export type BoundTextOptions = { readonly notes: readonly string[] };

type Line = readonly [name: string, value: string, why: string];

export const boundText = (bound: Bound, input: BoundInput, { notes }: BoundTextOptions): string => {
  const lines = [...roundLines(bound, input), ...spendingLines(bound, input), ...restLines(bound, input)];
  const widths = [0, 1].map((column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const rows = lines.map(([name, value, why]) =>
    `${name.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${why}`.trimEnd(),
  );
  return ['At most, for one change request:', '', ...rows, '', ...furtherRequests(bound, input), ...notes, ''].join(
    '\n',
  );
};

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

const roundLines = ({ thread, changeRequest }: Bound, { policy }: BoundInput): readonly Line[] => [
  ['cycles of one thread', number(thread.cycles), cyclesWhy(policy)],
  ['rounds', number(changeRequest.rounds), 'rounds.max'],
  [
    'reviews',
    number(changeRequest.reviews),
    'rounds.max_runs + rounds.max_silent - 1: rounds, failed and superseded runs, answers',
  ],
  ['runs', number(changeRequest.runs), 'reviews + rounds.max_carried: heads whose verdict is carried call no model'],
  ['failed attempts of a round', number(changeRequest.attempts), attemptsWhy(policy)],
  ['fixes', number(changeRequest.fixes), policy.author.enabled ? 'rounds.max - 1' : 'the author is disabled'],
];

const cyclesWhy = ({ rounds: { max, maxRuns, threadCount } }: BoundInput['policy']): string => {
  if (max === 1) return 'rounds.max 1: in the last round a reply is not allowed';
  return maxRuns < threadCount
    ? `1 + rounds.max_runs ${maxRuns}, less than rounds.thread_count ${threadCount}: a reply takes a run`
    : `1 + rounds.thread_count ${threadCount}`;
};

const attemptsWhy = ({ rounds: { attempts, maxRuns } }: BoundInput['policy']): string => {
  const limit = attempts <= maxRuns ? 'rounds.attempts' : `rounds.max_runs, less than rounds.attempts ${attempts}`;
  return `${limit}; then a human takes over`;
};

const requestsText = (model: ModelLimits, fixes: number): string => {
  const { reviewer, maxParts, author } = model;
  const parts = maxParts === 1 ? '' : `${maxParts} parts × `;
  const helpers = helpersOf(model).flatMap(([name, count, each]) =>
    count === 0 ? [] : [` + ${count} ${name} × ${each}`],
  );
  const fixing = author === null || fixes === 0 ? '' : `, and fixes × ${maxRequests(author)}`;
  return `reviews × (${parts}${maxRequests(reviewer)}${helpers.join('')})${fixing}; each call tried at most ${reviewer.tries} times`;
};

const spendingLines = ({ changeRequest, limitedBy }: Bound, { model }: BoundInput): readonly Line[] => {
  const { fixes, modelCalls, inputTokens, outputTokens, costUsd } = changeRequest;
  if (model === null) return [['calls of a model', '0', 'only rules review']];
  const paid = fixes === 0 || model.author === null ? '' : ', each fix as a run';
  return [
    ['calls of a model', number(modelCalls), requestsText(model, fixes)],
    ['input tokens', number(inputTokens), `${limitedBy.inputTokens}${paid}`],
    ['output tokens', number(outputTokens), outputWhy(limitedBy.outputTokens, model)],
    ['US dollars', number(costUsd), `${limitedBy.costUsd}${paid}`],
  ];
};

const outputWhy = (by: Bound['limitedBy']['outputTokens'], { maxOutputTokens }: ModelLimits): string =>
  by === 'arithmetic' ? `calls × ${number(maxOutputTokens)} per call` : `${by}, input and output together`;

const restLines = (
  { changeRequest }: Bound,
  { policy, reviewerSeconds, authorSeconds }: BoundInput,
): readonly Line[] => {
  const { fixes, wallSeconds, deadlineSeconds } = changeRequest;
  const fixing = fixes === 0 ? '' : ` + fixes × ${authorSeconds}`;
  return [
    ['seconds at work', number(wallSeconds), `runs × ${reviewerSeconds}${fixing}`],
    ['seconds with waiting', number(deadlineSeconds), 'then guard ends every run that has not reported'],
    ['comments', number(maxComments(policy)), 'summary, threads, one answer per cycle, hand-offs'],
  ];
};

const furtherRequests = ({ changeRequest }: Bound, { policy }: BoundInput): readonly string[] => [
  `Nothing that a bot does increases these numbers.${policy.author.enabled ? ' A fix counts as a push.' : ''} Each time a human acts:`,
  '- a push or an answer beyond the caps adds one comment that mentions a human, and no run;',
  `- a further request by a commander adds at most 1 round and ${changeRequest.attempts} runs (${MAX_GRANTS} times at most), within`,
  '  the same budgets of tokens and money;',
  '- every other command adds one comment.',
];
