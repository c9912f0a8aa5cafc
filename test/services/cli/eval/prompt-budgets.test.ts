/** How many tokens of each request are the same in every review. They are paid for with each call, or read from the cache. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseReviewer } from '../../../../services/cli/review/choose-runner.ts';
import { createProtect } from '../../../../shared/agent/present-result.ts';
import { createBashTool } from '../../../../shared/agent/tools/bash.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { FIXED_LIMITS, fixedTokens, ownTokens, toolTokens } from '../../../bench/fixed-tokens.ts';
import { evalCase } from '../../../shared/eval/cases.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import type { RequestEntry } from '../../../sim/messages/log.ts';
import { readDiff } from '../../../sim/messages/read-diff.ts';
import { reply, toolUse } from '../../../sim/messages/reply.ts';
import { SUBMIT, writeSubmission } from '../../../sim/messages/submission.ts';
import { type ModelWorld, startModelWorld } from '../model-world.ts';
import { evaluateCases } from './own-set.ts';

const RUN_MS = 120_000;

/** Tokens around the code of a change: title, commits, size, and what to do. */
const FRAME_LIMIT = 300;

let folder: ReturnType<typeof temporaryFolder>;
let world: ModelWorld;
beforeAll(async () => {
  folder = temporaryFolder();
  world = await startModelWorld();
});
afterAll(async () => {
  folder?.dispose();
  await world?.sim.close();
});

const fileOf = (index: number, lines: number) => ({
  path: `src/part${index}.js`,
  before: null,
  after: Array.from({ length: lines }, (_, line) => `export const value${index}x${line} = ${line * 7};\n`).join(''),
});

const changeOf = (files: number, lines: number) =>
  evalCase({
    id: `files-${files}`,
    change: { kind: 'files', files: Array.from({ length: files }, (_, index) => fileOf(index, lines)) },
    golden: [{ path: 'src/part0.js', from: 1, text: 'x', severity: 'P1' }],
  });

const VERIFY = 'submit_verification';

/** Asks an explorer if it may, and makes a claim that has to be verified. */
const reviewed = async (files: number, lines: number): Promise<readonly RequestEntry[]> => {
  const from = world.sim.requests.length;
  world.says((exchange) => {
    const has = (tool: string): boolean => exchange.tools.some(({ name }) => name === tool);
    if (has(VERIFY)) return reply([toolUse(VERIFY, { outcome: 'confirmed', reason: 'It is so.' })]);
    if (!has(SUBMIT)) return reply('Nothing found.');
    if (has('Agent') && exchange.turn === 0) return reply([toolUse('Agent', { question: 'Who uses value0x1?' })]);
    const [line] = readDiff(exchange.firstUserText);
    if (line === undefined) throw new Error('the prompt has no diff');
    const { path, line: at, text: evidence } = line;
    const defects = [{ path, line: at, severity: 'P1' as const, title: 'Wrong value', body: 'It is 0.', evidence }];
    return reply([toolUse(SUBMIT, writeSubmission(exchange, { summary: 'Reviewed.', defects, choose: () => null }))]);
  });
  const { reviewer } = chooseReviewer(
    { runner: 'agent', apiKey: world.sim.apiKey, baseUrl: world.sim.url },
    { env: {}, onProgress: () => {} },
  );
  await evaluateCases([changeOf(files, lines)], { folder: folder.path, reviewerOf: () => reviewer });
  return world.sim.requests.slice(from);
};

const has = ({ request }: RequestEntry, tool: string): boolean =>
  request?.tools?.some(({ name }) => name === tool) ?? false;

const isReviewer = (entry: RequestEntry): boolean => has(entry, SUBMIT);
const isVerifier = (entry: RequestEntry): boolean => has(entry, VERIFY);
const isOther = (entry: RequestEntry): boolean => entry.request !== null && !isReviewer(entry) && !isVerifier(entry);

const isFinder = ({ request }: RequestEntry): boolean =>
  JSON.stringify(request?.system ?? '').includes('You look for defects in one change');

const first = (entries: readonly RequestEntry[], isMeant: (entry: RequestEntry) => boolean): RequestEntry => {
  const found = entries.find(isMeant);
  if (found === undefined) throw new Error('no such request was made');
  return found;
};

/** Offered only in a cage, which these reviews do without. */
const BASH = toolTokens({
  request: {
    model: 'any',
    max_tokens: 1,
    messages: [],
    tools: [
      (({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: { ...inputSchema, type: 'object' as const },
      }))(
        createBashTool(() => Promise.reject(new TypeError('nothing is run')), createProtect(createRedactor([]))).schema,
      ),
    ],
  },
});

test(
  'tools and instructions of the reviewer and of the verifier fit their budgets in a small change',
  async () => {
    const entries = await reviewed(1, 1);
    const [reviewer, verifier] = [first(entries, isReviewer), first(entries, isVerifier)];
    expect(BASH).toBeGreaterThan(50);
    expect(fixedTokens(reviewer) + BASH).toBeLessThanOrEqual(FIXED_LIMITS.small);
    expect(fixedTokens(verifier) + BASH).toBeLessThanOrEqual(FIXED_LIMITS.verifier);
    // One line of code: everything else is the frame around it.
    expect(ownTokens(reviewer)).toBeLessThanOrEqual(FRAME_LIMIT);
  },
  RUN_MS,
);

test(
  'tools and instructions of the reviewer, of an explorer and of finders fit their budgets in a large change',
  async () => {
    const entries = await reviewed(25, 60);
    const reviewer = first(entries, isReviewer);
    const finders = entries.filter((entry) => isOther(entry) && isFinder(entry));
    const explorer = first(entries, (entry) => isOther(entry) && !isFinder(entry));
    expect(fixedTokens(reviewer) + BASH).toBeLessThanOrEqual(FIXED_LIMITS.large);
    expect(fixedTokens(explorer) + BASH).toBeLessThanOrEqual(FIXED_LIMITS.explorer);
    expect(finders.length).toBeGreaterThan(1);
    expect(Math.max(...finders.map(fixedTokens)) + BASH).toBeLessThanOrEqual(FIXED_LIMITS.finder);
  },
  RUN_MS,
);
