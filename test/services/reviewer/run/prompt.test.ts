import { modelLook } from '../../../../services/reviewer/packet/looked.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkDraft } from '../../../../services/reviewer/check-draft.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { PacketLimits, PacketRequest } from '../../../../services/reviewer/packet/packet.ts';
import { buildReviewPrompt, type PromptSources, type ReviewTask } from '../../../../services/reviewer/run/prompt.ts';
import { type DiffSources, showDiff } from '../../../../services/reviewer/packet/show-diff.ts';
import { createProtect } from '../../../../shared/agent/present-result.ts';
import { reviewOpening } from '../../../../shared/agent/prompt/review-opening.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import type { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { runId } from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';
import {
  createReviewWorld,
  lookedAt,
  numbered,
  request,
  type ReviewWorld,
  TASK,
  textOf,
  thread,
} from '../review-world.ts';

const OWN_SECRET = ['operators', 'own', 'value', '9f3c'].join('-');
const TOKEN = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');
const BOUNDARY = 'k3v9q2m7x1z8c4b6n0';

let world: ReviewWorld;
beforeEach(() => {
  world = createReviewWorld();
});
afterEach(() => world.dispose());

type Wish = {
  readonly request?: Partial<PacketRequest>;
  readonly limits?: Partial<PacketLimits>;
  readonly task?: Partial<ReviewTask>;
  readonly sources?: Partial<Pick<DiffSources, 'maxDiffBytes'> & Pick<PromptSources, 'guidelines'>>;
};

type Range = { readonly base: CommitSha; readonly head: CommitSha };

const build = async ({ base, head }: Range, wish: Wish = {}) => {
  const packet = await buildPacket(request(base, head, wish.request), world.source(wish.limits));
  const protect = createProtect(createRedactor([OWN_SECRET]));
  const { maxDiffBytes = 100_000, guidelines = [] } = wish.sources ?? {};
  const shown = await showDiff({ packet, maxDiffBytes, protect }, never());
  const task = { ...TASK, ...wish.task };
  const prompt = await buildReviewPrompt({ packet, task, guidelines, shown, protect }, never());
  return {
    packet,
    prompt,
    notShown: shown.notShown,
    text: reviewOpening(prompt, BOUNDARY)
      .map(({ text }) => text)
      .join('\n'),
  };
};

const previousOf = (base: CommitSha, head: CommitSha) => ({
  previous: { head, base, fingerprint: 'f'.repeat(64), verdict: 'feedback' as const },
});

test('F-W6: names the commits that last touched removed lines, redacted, and is silent where there are none', async () => {
  const head = world.commit({ 'a.ts': 'a();\n' });
  const packet = await buildPacket(request(head, head), world.source());
  const protect = createProtect(createRedactor([OWN_SECRET]));
  const shown = await showDiff({ packet, maxDiffBytes: 1_000, protect }, never());
  const openingOf = async (removed?: readonly string[]) => {
    const sources = {
      packet,
      task: TASK,
      guidelines: [],
      shown,
      ...(removed === undefined ? {} : { removed }),
      protect,
    };
    return JSON.stringify(reviewOpening(await buildReviewPrompt(sources, never()), BOUNDARY));
  };
  const text = await openingOf([`a.ts:4 0123456789 Guard ${OWN_SECRET}`]);
  expect(text).toContain('Commits that last touched the removed lines, at the base:');
  expect(text).toContain('a.ts:4 0123456789 Guard [redacted]');
  expect(await openingOf([])).toBe(await openingOf());
  expect(await openingOf()).not.toContain('last touched');
});

describe('the prompt of a first round', () => {
  test('shows the whole change, its size, what is left out by rule, and nothing of earlier rounds', async () => {
    const base = world.commit({ 'a.ts': textOf(...numbered(30)) });
    const head = world.commit({ 'a.ts': textOf('first();', ...numbered(30), 'last();'), 'package-lock.json': '{}\n' });
    const { prompt, text, notShown } = await build({ base, head });
    expect(prompt).toMatchObject({
      header: { title: 'A change', author: 'author', targetBranch: 'main', head },
      size: { files: 1, changedLines: 2 },
      delta: null,
      openThreads: [],
      closedThreads: [],
      omitted: [{ path: 'package-lock.json' }],
    });
    expect(prompt.diff).toContain('first();');
    expect(prompt.diff).toContain('last();');
    expect(text).not.toMatch(/later round|Open threads|Closed or settled|Notes from/);
    expect(notShown).toEqual([]);
  });
});

describe('the prompt of a later round', () => {
  test('shows the hunks that changed since, names the files that did not, and counts only what it shows', async () => {
    const base = world.commit({ 'a.ts': textOf(...numbered(60)), 'same.ts': 'x\n' });
    const round1 = { 'a.ts': textOf('known();', ...numbered(60)), 'same.ts': 'seen();\n' };
    const before = world.commit(round1);
    const head = world.commit({ 'a.ts': textOf('known();', ...numbered(60), 'fresh();') });
    const { prompt } = await build({ base, head }, { request: previousOf(base, before), task: { review: 2 } });
    expect(prompt.diff).toContain('fresh();');
    expect(prompt.diff).not.toMatch(/known|seen/);
    expect(prompt.diff).toMatch(/^=== a\.ts \(modified, \+1 -0\)/m);
    expect(prompt.size).toEqual({ files: 1, changedLines: 1, usedIn: 0 });
    expect(prompt.delta).toEqual({ unchangedPaths: ['same.ts'] });
  });

  test('knows a file again that was renamed in between, with and without further changes', async () => {
    const [kept, moved] = [numbered(60), numbered(60).map((line) => `${line} // moved`)];
    const base = world.commit({ 'kept.ts': textOf(...kept), 'moved.ts': textOf(...moved) });
    const before = world.commit({ 'kept.ts': textOf('seen1();', ...kept), 'moved.ts': textOf('seen2();', ...moved) });
    const head = world.commit({
      'kept.ts': null,
      'moved.ts': null,
      'kept-new.ts': textOf('seen1();', ...kept),
      'moved-new.ts': textOf('seen2();', ...moved, 'fresh();'),
    });
    const { prompt, packet } = await build({ base, head }, { request: previousOf(base, before) });
    const files = packet.delta?.files.map(({ file }) => file) ?? [];
    // By identity: what is shown is looked up by it.
    expect(packet.reviewable.every((file) => files.includes(file))).toBe(true);
    expect(packet.reviewable.map(({ newPath }) => newPath)).toEqual(['kept-new.ts', 'moved-new.ts']);
    // The new name is news; it is told by the header, with the hunks that were seen before where there are no others.
    expect(prompt.diff).toMatch(/^=== kept-new\.ts \(renamed from kept\.ts/m);
    expect(prompt.diff).toMatch(/^=== moved-new\.ts \(renamed from moved\.ts, \+1 -0\)/m);
    expect(prompt.diff).toContain('fresh();');
    expect(prompt.diff).not.toContain('seen2');
  });

  test('is silent about excluded files, also when they stay the same', async () => {
    const base = world.commit({ 'a.ts': 'a\n' });
    const before = world.commit({ 'a.ts': 'b\n', 'package-lock.json': '{}\n' });
    const head = world.commit({ 'a.ts': 'c\n' });
    const { prompt } = await build({ base, head }, { request: previousOf(base, before) });
    expect(prompt.delta).toEqual({ unchangedPaths: [] });
    expect(prompt.diff).not.toContain('package-lock');
  });

  test('is whole when the earlier state cannot be had any more', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': 'a();\n' });
    const gone = 'e'.repeat(40) as CommitSha;
    const { prompt } = await build({ base, head }, { request: previousOf(base, gone), task: { review: 2 } });
    expect(prompt.delta).toBeNull();
    expect(prompt.diff).toContain('a();');
  });
});

describe('files that do not fit', () => {
  const change = (): Range => {
    const base = world.commit({});
    const lines = textOf(...numbered(40));
    return { base, head: world.commit({ 'a.ts': lines, 'b.ts': lines, 'z.ts': lines }) };
  };
  const ROOM = { maxDiffBytes: 1_800 };

  test('give way to those with open threads, and are named in the prompt', async () => {
    const range = change();
    const { prompt, notShown, text } = await build(range, {
      request: { openThreads: [thread('z.ts', 3, range.head)] },
      sources: ROOM,
    });
    expect(prompt.diff).toMatch(/^=== z\.ts/m);
    expect(prompt.diff).not.toMatch(/^=== [ab]\.ts/m);
    expect(notShown.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
    expect(text).toMatch(
      /not in the diff, so they are not reviewed[^]*\na\.ts: the file needs .*\nb\.ts: the file needs /,
    );
  });

  test('make the review incomplete', async () => {
    const { packet, notShown } = await build(change(), { sources: ROOM });
    const looked = { ...lookedAt(packet), model: modelLook(notShown) };
    const draft = { summary: '', findings: [], answers: [], omitted: [], looked, spent: NOTHING_SPENT, exceeded: null };
    const identity = { runId: runId('run'), review: 1, attempt: 1 };
    const { coverage } = await checkDraft(identity, draft, { packet, redact: createRedactor([]) });
    expect(coverage).toMatchObject({ files: 3, reviewed: 1, complete: false });
  });

  test('keep their own names for that, also when a name holds a secret', async () => {
    const base = world.commit({});
    const head = world.commit({ [`${TOKEN}.ts`]: textOf(...numbered(40)) });
    const { notShown, text } = await build({ base, head }, { sources: { maxDiffBytes: 10 } });
    expect(notShown.map(({ path }) => path)).toEqual([`${TOKEN}.ts`]);
    expect(text).not.toContain(TOKEN);
  });
});

describe('what people said', () => {
  test('reaches the prompt: answers in their thread, closed threads, discussion, wishes and earlier notes', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a.ts': 'a();\n' });
    const { text } = await build(
      { base, head },
      {
        request: { openThreads: [thread('a.ts', 1, head, 'F-001'), thread('a.ts', 1, head, 'F-002')] },
        task: {
          replies: new Map([['F-002', [{ author: 'ada', text: 'This is by design.' }]]]),
          closedThreads: [{ ...thread('b.ts', 7, null, 'F-000'), title: 'An old claim' }],
          comments: [
            {
              author: 'bob',
              atMs: 1,
              text: 'I doubt it.',
              where: null,
              resolved: false,
              isOwn: false,
              isSystem: false,
            },
          ],
          instructions: 'look at locking',
          earlierNotes: '## Callers\nnone',
          stage: 'final',
          review: 3,
        },
      },
    );
    const [first = '', second = ''] = text.split('F-002: replies so far:').map((part) => part.slice(0, 600));
    expect(first).not.toContain('by design');
    expect(second).toContain('reply by ada:\nThis is by design.');
    for (const words of ['F-000 P1 b.ts:7 An old claim', 'bob:\nI doubt it.', 'look at locking', '## Callers\nnone'])
      expect(text).toContain(words);
    expect(text).toContain('This is review 3. It is the last review that may ask');
  });
});

describe('no secret and nothing hidden', () => {
  const SECRETS = [TOKEN, OWN_SECRET];

  test('is left in title, description, names, comments, replies, notes, wishes, guidelines, code or paths', async () => {
    const say = (what: string): string => `${what} ${TOKEN} ${OWN_SECRET} end`;
    const base = world.commit({ 'old-name.ts': textOf(...numbered(20)) });
    const head = world.commit({
      'old-name.ts': null,
      [`keys/${TOKEN}.ts`]: textOf(...numbered(20), `const key = '${TOKEN}';`, `use('${OWN_SECRET}');`),
    });
    const { text } = await build(
      { base, head },
      {
        request: { openThreads: [{ ...thread(`keys/${TOKEN}.ts`, 21, head), title: say('claim') }] },
        task: {
          title: say('title'),
          description: say('description'),
          author: say('author'),
          targetBranch: say('branch'),
          closedThreads: [{ ...thread(`keys/${TOKEN}/gone.ts`, 1, null, 'F-002'), title: say('closed') }],
          replies: new Map([['F-001', [{ author: 'ada', text: say('reply') }]]]),
          comments: [
            {
              author: 'bob',
              atMs: 1,
              text: say('comment'),
              where: { path: `x/${TOKEN}`, line: 1 },
              resolved: false,
              isOwn: false,
              isSystem: false,
            },
          ],
          instructions: say('wish'),
          earlierNotes: say('notes'),
        },
        sources: { guidelines: [{ path: 'AGENTS.md', scope: [], text: say('guideline') }] },
      },
    );
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    for (const what of [
      'title',
      'description',
      'author',
      'branch',
      'claim',
      'closed',
      'reply',
      'comment',
      'wish',
      'notes',
      'guideline',
    ])
      expect(text).toMatch(new RegExp(`${what} \\[redacted\\].* end`));
    expect(text).toMatch(/^=== keys\/\[redacted\].*\(renamed from old-name\.ts/m);
  });

  test('reaches the model: characters that cannot be seen are shown', async () => {
    const base = world.commit({});
    const head = world.commit({ 'a\u202eb.ts': 'if (admin\u200b) { /* \u2066 */ }\n' });
    const { text } = await build({ base, head }, { task: { title: 'Fix\u202e it', author: 'a\u200bda' } });
    expect(text).not.toMatch(/[\u200b\u202e\u2066]/);
    for (const shown of ['admin[U+200B]', 'Fix[U+202E] it', 'a[U+200B]da']) expect(text).toContain(shown);
  });
});
