import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked, Explorers } from '../../../../services/reviewer/run/explorers.ts';
import type { Notes } from '../../../../shared/vocabulary/question.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { scriptedModel, submit } from '../../../shared/agent/scripted-model.ts';
import { createReviewWorld, numbered, type ReviewWorld, textOf } from '../review-world.ts';
import { agentRunnerStage, asked, textIn } from './agent-runner-stage.ts';

const TOKEN = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

let world: ReviewWorld;
let checkouts: string;
beforeEach(async () => {
  world = createReviewWorld();
  checkouts = await mkdtemp(join(tmpdir(), 'fixpoint-finders-'));
});
afterEach(async () => {
  world.dispose();
  await rm(checkouts, { recursive: true, force: true });
});

const finders = (notes: (eye: string) => string | null): Explorers & { readonly heard: Asked[] } => {
  const heard: Asked[] = [];
  return {
    heard,
    ask: async (questions) => {
      heard.push(...questions);
      return questions.map(({ question }): Notes | null => {
        const text = notes(question.kind === 'find' ? question.eye : question.kind);
        if (text === null) return null;
        const spent = { ...NOTHING_SPENT, modelCalls: 3, costUsd: 0.5 };
        return { v: 1, outcome: text === '' ? 'nothing_found' : 'answered', text, spent };
      });
    },
  };
};

const RISKY = { 'src/auth/login.js': 'export const login = (name) => name;\n' };

const change = (files: Readonly<Record<string, string>> = RISKY) => {
  const base = world.commit({ 'README.md': '# Shop\n' });
  return { base, head: world.commit(files) };
};

const review = async (explorers: Explorers, files?: Readonly<Record<string, string>>, on = true) => {
  const model = scriptedModel([submit()]);
  const { draft } = agentRunnerStage({ world, checkouts }, model, { finders: on, scope: { explorers } });
  return { draft: await draft(change(files)), opening: textIn(asked(model, 0)) };
};

describe('finders', () => {
  it('look at a risky change, each for one thing, and the reviewer judges what they noted', async () => {
    const explorers = finders((eye) => (eye === 'tests' ? '' : `## Callers\nsrc/auth/login.js:1 ${eye} ${TOKEN}`));
    const { draft, opening } = await review(explorers);
    expect(explorers.heard.map(({ id }) => id.replace(/^[0-9a-z]+-/, ''))).toEqual([
      'find-1',
      'find-2',
      'find-3',
      'find-4',
    ]);
    const questions = explorers.heard.map(({ question }) => question);
    expect(questions).toMatchObject(
      ['correctness', 'security', 'removed', 'tests'].map((eye) => ({ kind: 'find', eye })),
    );
    expect(questions[0]).toMatchObject({ diff: expect.stringContaining('export const login') });
    expect(opening).toContain('They are unproven');
    expect(opening).toContain('src/auth/login.js:1 security [redacted]');
    expect(opening).not.toContain('tests:\n');
    expect(opening).not.toContain(TOKEN);
    // Their calls and costs count; turns are the reviewer's own.
    expect([draft.spent.modelCalls, draft.spent.turns]).toEqual([13, 1]);
    expect(draft.spent.costUsd).toBeGreaterThan(2);
  });

  it('that are lost leave nothing, and the review goes on', async () => {
    const { draft, opening } = await review(finders(() => null));
    expect(opening).not.toContain('They are unproven');
    expect(draft.spent.modelCalls).toBe(1);
  });

  const MANY = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`src/part${index}.js`, 'part();\n']));

  it.each<[string, Readonly<Record<string, string>> | undefined, boolean, number]>([
    ['a risky change', undefined, true, 4],
    ['a change of more than 1,000 lines', { 'src/main.js': textOf(...numbered(1_001)) }, true, 4],
    ['a change of more than 50 files', MANY, true, 4],
    ['any other change', { 'src/main.js': textOf(...numbered(1_000)) }, true, 0],
    ['a change if the setting is off', undefined, false, 0],
  ])('look at %s, or not: %#', async (_name, files, on, count) => {
    const explorers = finders(() => '');
    await review(explorers, files, on);
    expect(explorers.heard).toHaveLength(count);
  });

  it('are waited for, and asked only once', async () => {
    let ready = false;
    const answering = finders(() => '## Tests\nnone');
    const explorers: Explorers = { ask: async (all, signal) => (ready ? answering.ask(all, signal) : null) };
    const model = scriptedModel([submit()]);
    const { run } = agentRunnerStage({ world, checkouts }, model, { finders: true, scope: { explorers } });
    const range = change();
    expect(await run(range)).toEqual({ kind: 'waits' });
    expect(model.requests).toHaveLength(0);
    ready = true;
    const first = await run(range);
    expect(first.kind).toBe('draft');
    expect(await run(range)).toEqual(first);
    expect(answering.heard).toHaveLength(4);
  });
});
