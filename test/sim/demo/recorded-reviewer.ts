/** The demo's model: recorded claims and answers, chosen by what the prompt shows. Deterministic by prompt and turn. */
import type { Exchange } from '../messages/exchange.ts';
import { readDiff } from '../messages/read-diff.ts';
import { type Reply, type ReplyBlock, reply, text, toolUse } from '../messages/reply.ts';
import { seededReviewer } from '../messages/seeded-reviewer.ts';
import { type Answer, SUBMIT, threadsIn } from '../messages/submission.ts';
import { EMPTY_LIST, LIMITED, NEGATIVE_SUM, OFF_BY_ONE, RECORDED, type RecordedFinding } from './model-seeds.ts';

const SEED = 7;

const QUESTIONS = [
  'Who calls total() of src/cart.js, and does anybody rely on its second argument being absent?',
  'Which tests cover the price list and the monthly report, and what do they leave out?',
] as const;

const explorer = seededReviewer(SEED);

export const recordedReviewer = (exchange: Exchange): ReturnType<typeof explorer> => {
  if (!has(exchange, SUBMIT)) return explorer(exchange);
  const opening = exchange.turn === 0 ? openingCalls(exchange) : [];
  if (opening.length > 0) return reply([text('I look around first.'), ...opening]);
  return submit(exchange);
};

const has = ({ tools }: Exchange, wanted: string): boolean => tools.some(({ name }) => name === wanted);

const pathsIn = ({ firstUserText }: Exchange): readonly string[] => [
  ...new Set(readDiff(firstUserText).map(({ path }) => path)),
];

/** Two explorers, in the first review of the story only. */
const openingCalls = (exchange: Exchange): readonly ReplyBlock[] => {
  const paths = pathsIn(exchange);
  const isFirst = exchange.firstUserText.includes('This is review 1.') && paths.includes(OFF_BY_ONE.path);
  return [
    ...(isFirst && has(exchange, 'Agent') ? QUESTIONS.map((question) => toolUse('Agent', { question })) : []),
    ...(has(exchange, 'Read') ? paths.slice(0, 2).map((path) => toolUse('Read', { path })) : []),
  ];
};

const submit = (exchange: Exchange): Reply => {
  const input = {
    summary: summaryOf(exchange),
    walkthrough: walkthroughOf(exchange),
    findings: findingsIn(exchange),
    answers: answersTo(exchange),
    fixed: fixedIn(exchange),
    not_reviewed: [],
  };
  return reply([text('Here is the review.'), toolUse(SUBMIT, input)]);
};

const SUMMARIES: readonly (readonly [sign: string, text: string])[] = [
  [LIMITED, 'The rest is fixed: the discount is limited, and what the rules had found is gone.'],
  [OFF_BY_ONE.suggestion ?? '', 'The loop ends where it should, and half of what the rules had found is gone.'],
  [OFF_BY_ONE.code, 'Adds discounts, a list of sold-out items and a checkout, and moves the report to its own file.'],
];

const summaryOf = ({ firstUserText }: Exchange): string =>
  SUMMARIES.find(([sign]) => firstUserText.includes(sign))?.[1] ?? 'Looked at the change.';

const WALKTHROUGH: Readonly<Record<string, string>> = {
  'src/cart.js': 'The total takes a discount.',
  'src/discount.js': 'New: a price with a discount in percent.',
  'src/stock.js': 'New: the names of the items that are sold out.',
  'src/checkout.js': 'New: places an order and returns its number.',
};

const walkthroughOf = (exchange: Exchange) =>
  pathsIn(exchange).flatMap((path) => {
    const said = WALKTHROUGH[path];
    return said === undefined ? [] : [{ path, text: said }];
  });

/** Leaves out what the prompt already names: it has a thread. */
const findingsIn = (exchange: Exchange) => {
  const diff = readDiff(exchange.firstUserText);
  return RECORDED.filter(({ title }) => !exchange.firstUserText.includes(title)).flatMap((finding) => {
    const at = diff.find(
      ({ path, kind, text: code }) => path === finding.path && kind === 'added' && code === finding.code,
    );
    return at === undefined ? [] : [writeFinding(finding, at.line)];
  });
};

const writeFinding = ({ title, path, code, severity, body, suggestion }: RecordedFinding, line: number) => ({
  path,
  line,
  side: 'new',
  severity,
  relation: 'current_diff',
  title,
  body,
  evidence: code.trim(),
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** Threads that need an action, and those whose fix needs no quotation. */
const answersTo = (exchange: Exchange): readonly (Answer & { readonly thread: string })[] =>
  threadsIn(exchange).flatMap(({ id, actions, needsAction, needsEvidence }) => {
    const title = titleOf(exchange, id);
    const isByRule = RECORDED.every((finding) => finding.title !== title);
    const isClosable = isByRule && !needsEvidence;
    return needsAction || isClosable ? [{ thread: id, ...answerTo(title, actions) }] : [];
  });

const titleOf = ({ firstUserText }: Exchange, id: string): string =>
  new RegExp(`^${id} P[0-3]: (?<title>.+)$`, 'm').exec(firstUserText)?.groups?.['title'] ?? '';

const accepts = (body: string): Answer => ({ action: 'resolve', stance: 'accepts', body });
const insists = (action: string, body: string): Answer => ({ action, stance: 'seeks_change', body });

const answerTo = (title: string, actions: readonly string[]): Answer => {
  switch (title) {
    case EMPTY_LIST.title:
      return accepts('That is right: `checkOut` adds the order before it asks for the newest one. I withdraw this.');
    case NEGATIVE_SUM.title:
      return actions.includes('reply')
        ? insists('reply', 'A request can be sent without the form. Nothing between it and this line limits `percent`.')
        : insists(
            'veto',
            'Whether the form checks it or not, a request without the form still gets money from the shop.',
          );
    case OFF_BY_ONE.title:
      return accepts('The loop ends at the last item now.');
    default:
      return accepts('The line no longer does it.');
  }
};

const SETTLED = /^Of these threads, a person decides (?<ids>F-\d+(?:, F-\d+)*)\./m;

/** A settled thread is closed by quoting its fix. */
const fixedIn = ({ firstUserText }: Exchange): readonly { readonly thread: string; readonly evidence: string }[] => {
  const isFixed = readDiff(firstUserText).some(({ kind, text: code }) => kind === 'added' && code === LIMITED);
  const ids = SETTLED.exec(firstUserText)?.groups?.['ids']?.split(', ') ?? [];
  return isFixed ? ids.map((thread) => ({ thread, evidence: LIMITED.trim() })) : [];
};
