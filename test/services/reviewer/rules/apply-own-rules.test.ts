/** Own rules in one review: whose version applies, and what a later review makes of their threads. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reviewOnce, type ReviewResult } from '../../../../services/reviewer/review.ts';
import { applyOwnRules } from '../../../../services/reviewer/rules/apply-own-rules.ts';
import { hashOfAskedRules } from '../../../../services/reviewer/rules/asked-rules.ts';
import { createRulesRunner } from '../../../../services/reviewer/runners/rules.ts';
import type { PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import { loadRules } from '../../../../shared/rules/own/load-rules.ts';
import type { RuleSet } from '../../../../shared/rules/own/own-rule.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { createReviewWorld, request, type ReviewWorld, SCOPE, TASK, textOf, thread } from '../review-world.ts';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

const FILE = '.fixpoint/rules/no-fetch.yml';

const rule = (severity = 'error', pattern = 'fetch($URL)'): string =>
  textOf(
    'id: no-fetch',
    'language: JavaScript',
    `severity: ${severity}`,
    'message: Call $URL through the client',
    `rule: { pattern: ${pattern} }`,
    'invalid: ["fetch(a)"]',
  );

const CALL = textOf('export const page = fetch(address);');

type Wish = { readonly sets?: readonly RuleSet[]; readonly more?: Partial<PacketRequest> };

const review = async (
  target: CommitSha,
  head: CommitSha,
  { sets = [], more = {} }: Wish = {},
): Promise<ReviewResult & { readonly kind: 'draft' }> => {
  const source = world.source();
  const own = { revisions: source.revisions, target, sets };
  const result = await reviewOnce({
    identity: { runId: runId('run'), review: 1, attempt: 1 },
    request: request(target, head, more),
    task: TASK,
    scope: SCOPE,
    source,
    runner: createRulesRunner(),
    redact: createRedactor([]),
    operatorRules: '',
    analyze: async (asked, signal) => applyOwnRules(own, asked, signal),
  });
  if (result.kind !== 'draft') throw new Error(result.kind);
  return result;
};

const found = ({ draft }: ReviewResult & { readonly kind: 'draft' }) =>
  draft.findings.map(({ claim: { rule: id, severity, line, title } }) => [id, severity, line, title]);

const OF_PROJECT = ['project/no-fetch', 'P1', 1, 'Call address through the client'];

describe('the rules of the project', () => {
  test('are those of the target branch', async () => {
    const base = world.commit({ [FILE]: rule() });
    const result = await review(base, world.commit({ 'a.js': CALL }));
    expect(found(result)).toEqual([OF_PROJECT]);
    expect(result.draft.coverage).toMatchObject({ complete: true });
    expect(result.draft.summary).toBe('The built-in rules and own rules found 1 problem.');
  });

  test.each<readonly [string, string | null]>([
    ['removes', null],
    ['switches off', rule('off')],
    ['lowers', rule('hint')],
    ['narrows', rule('error', 'other($URL)')],
    ['breaks', '- ['],
  ])('are not changed by a change that %s them', async (_, edited) => {
    const base = world.commit({ [FILE]: rule() });
    const result = await review(base, world.commit({ [FILE]: edited, 'a.js': CALL }));
    expect(found(result)).toEqual([OF_PROJECT]);
    expect(result.draft.coverage.analyzers).toBeUndefined();
  });

  test('are not those that the change adds, and a note says when these apply', async () => {
    const base = world.commit({ 'b.js': textOf('export {};') });
    const { draft } = await review(base, world.commit({ [FILE]: rule(), 'a.js': CALL }));
    expect(draft.findings).toEqual([]);
    expect(draft.repository?.notes).toEqual([expect.stringContaining(FILE)]);
  });

  test('make the review incomplete if one is broken, and say which', async () => {
    const base = world.commit({ [FILE]: rule('error', 'other($URL)') });
    const { draft } = await review(base, world.commit({ 'a.js': CALL }));
    const why = `have a mistake in \`${FILE}\`: \`project/no-fetch\` does not match its example \`invalid[0]\``;
    expect(draft.coverage.analyzers).toEqual([{ name: 'project', kind: 'rules', reason: why }]);
    expect(draft.coverage.omitted).toEqual([{ path: '(rules project)', reason: why }]);
  });

  test.each<readonly [string, (text: string) => Readonly<Record<string, string>>, string]>([
    ['a file is too large', (text) => ({ [FILE]: `${text}${'# more\n'.repeat(10_000)}` }), 'it is larger than 64 KiB'],
    ['there are too many files', (text) => many(101, text), 'are not all used: there are more than 100 files'],
  ])('make the review incomplete if %s', async (_, files, why) => {
    const base = world.commit(files(rule()));
    const { draft } = await review(base, world.commit({ 'a.js': CALL }));
    expect(draft.coverage.analyzers?.map(({ reason }) => reason).join('\n')).toContain(why);
  });

  test('concern no change that only repairs them', async () => {
    const base = world.commit({ [FILE]: '- [' });
    const { draft } = await review(base, world.commit({ [FILE]: rule() }));
    expect(draft.coverage.analyzers).toBeUndefined();
  });
});

const many = (count: number, text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`.fixpoint/rules/${at}.yml`, text.replace('no-fetch', `r${at}`)]),
  );

describe('two sources with a rule of the same id', () => {
  const both = async (severities: readonly [organisation: string, project: string]) => {
    const [organisation, project] = severities;
    const set = await loadRules('acme', [{ path: 'a.yml', text: rule(organisation) }], new AbortController().signal);
    const base = world.commit({ [FILE]: rule(project) });
    return found(await review(base, world.commit({ 'a.js': CALL }), { sets: [set] })).map(([id, severity]) => [
      id,
      severity,
    ]);
  };

  test.each<readonly [string, string, readonly (readonly [string, string])[]]>([
    [
      'error',
      'error',
      [
        ['acme/no-fetch', 'P1'],
        ['project/no-fetch', 'P1'],
      ],
    ],
    [
      'error',
      'hint',
      [
        ['acme/no-fetch', 'P1'],
        ['project/no-fetch', 'P3'],
      ],
    ],
    ['error', 'off', [['acme/no-fetch', 'P1']]],
    [
      'hint',
      'error',
      [
        ['acme/no-fetch', 'P3'],
        ['project/no-fetch', 'P1'],
      ],
    ],
    ['off', 'error', [['project/no-fetch', 'P1']]],
  ])('(%s by the operator, %s by the project) do not change each other', async (organisation, project, expected) => {
    expect(await both([organisation, project])).toEqual(expected);
  });
});

describe('the time of all sets together', () => {
  const slowSet = async (name: string): Promise<RuleSet> => {
    const before = { kind: 'expression_statement', stopBy: 'end' };
    const follows = { ...before, follows: { ...before, follows: { ...before, has: { pattern: 'none()' } } } };
    const slow = { id: 'slow', language: 'JavaScript', message: 'x', rule: { kind: 'expression_statement', follows } };
    const text = JSON.stringify({ ...slow, severity: 'error', invalid: ['none();\na;\nb;\nc;'] });
    return loadRules(name, [{ path: 'slow.yml', text }], new AbortController().signal);
  };

  test('is bounded, however many are slow: each is named, and the others still apply', async () => {
    const base = world.commit({ [FILE]: rule() });
    const { revisions } = world.source();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const sets = await Promise.all(names.map(slowSet));
    const startedAt = performance.now();
    const { hits, failed } = await applyOwnRules(
      { revisions, target: base, sets, totalMs: 3_000 },
      { files: [{ path: 'a.js', rule: null }], textOf: async () => `${CALL}${'f(1);\n'.repeat(5_000)}` },
      new AbortController().signal,
    );
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(hits.map(({ rule: id }) => id)).toEqual(['project/no-fetch']);
    expect(failed.map(({ name }) => name)).toEqual(names);
    for (const { reason } of failed)
      expect(reason).toMatch(/^could not check `a\.js` \((?:the rules engine|there was no)/);
  });
});

describe('a thread about an own rule', () => {
  const threadAt = (head: CommitSha) => ({
    ...thread('a.js', 1, head),
    rule: 'project/no-fetch',
    legalActions: ['resolve', 'reply'] as const,
  });

  const again = async (target: CommitSha, opened: CommitSha, head: CommitSha) => {
    const openThreads = [{ ...threadAt(opened), legalActions: ['resolve', 'reply'] as ['resolve', 'reply'] }];
    const { draft } = await review(target, head, { more: { openThreads } });
    return draft.answers.map(({ action, body }) => [action, body]);
  };

  test('is resolved when the rule no longer matches', async () => {
    const base = world.commit({ [FILE]: rule() });
    const opened = world.commit({ 'a.js': CALL });
    const head = world.commit({ 'a.js': textOf('export const page = client.get(address);') });
    expect(await again(base, opened, head)).toEqual([
      ['resolve', expect.stringMatching(/`project\/no-fetch` is (?:fixed|gone)/)],
    ]);
  });

  test('stays while the rule matches', async () => {
    const base = world.commit({ [FILE]: rule() });
    const opened = world.commit({ 'a.js': CALL });
    const head = world.commit({ 'a.js': textOf('export const page = await fetch(address);') });
    expect(await again(base, opened, head)).toEqual([['reply', expect.stringContaining('is still there')]]);
  });

  test('stays while its code exists, if the rule is gone', async () => {
    const base = world.commit({ 'b.js': textOf('export {};') });
    const opened = world.commit({ 'a.js': CALL });
    const head = world.commit({ 'a.js': textOf('// moved', 'export const page = fetch(address);') });
    expect(await again(base, opened, head)).toEqual([]);
  });
});

describe('the hash of what was read from the target', () => {
  const hash = async (target: CommitSha): Promise<string> => {
    const { revisions, signal } = world.source();
    return hashOfAskedRules(revisions, { target, base: null, files: [], operator: '' }, signal);
  };

  test('changes with the rules of the project, and with nothing else beside them', async () => {
    const none = await hash(world.commit({ 'a.js': CALL }));
    const first = await hash(world.commit({ [FILE]: rule() }));
    const other = await hash(world.commit({ '.fixpoint/rules/notes.txt': 'a' }));
    const second = await hash(world.commit({ [FILE]: rule('hint') }));
    const gone = await hash(world.commit({ [FILE]: null }));
    expect([other === first, gone === none, new Set([none, first, second]).size]).toEqual([true, true, 3]);
  });
});
