/** Bash in a review: on offer where a cage stands, and nowhere else. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../shared/agent/model/model.ts';
import { findTestCage } from '../../../support/cage.ts';
import { call, reply, scriptedModel, type ScriptedModel, submit } from '../../../shared/agent/scripted-model.ts';
import { createReviewWorld } from '../review-world.ts';
import { agentRunnerStage, asked } from './agent-runner-stage.ts';

const { cage, folder, why, dispose } = await findTestCage();
const world = createReviewWorld();
afterAll(() => {
  world.dispose();
  dispose();
});

const CANARY = join(folder, 'made');
const TRAP = `#!/bin/sh\ntouch ${CANARY}\necho TRAPPED\n`;

/** Programs under the names of tools, and settings by which tools run programs. */
const TRAPS = {
  'package.json': JSON.stringify({ scripts: { preinstall: `touch ${CANARY}`, prepare: `touch ${CANARY}` } }),
  Makefile: `all:\n\ttouch ${CANARY}\n`,
  '.rubocop.yml': 'require: ./trap.rb\n',
  'trap.rb': `File.write('${CANARY}', 'x')\n`,
  '.pre-commit-config.yaml': `repos:\n- repo: local\n  hooks:\n  - {id: x, name: x, language: system, entry: touch ${CANARY}}\n`,
  'conftest.py': `open('${CANARY}', 'w')\n`,
  'sgconfig.yml': 'ruleDirs: [rules]\n',
  '.ripgreprc': '--pre=./trap\n',
  '.gitattributes': '* diff=trap filter=trap\n',
  '.env': `GIT_EXTERNAL_DIFF=./trap\n`,
};

const change = () => {
  const base = world.commit({ ...TRAPS, 'a.js': 'export const a = 1;\n' });
  for (const name of ['trap', 'git', 'rg', 'ls', 'head', 'tail', 'wc', 'node', 'bwrap']) {
    world.repository.executable(name, TRAP);
  }
  return { base, head: world.commit({ 'a.js': 'export const a = 2;\n' }) };
};

const COMMANDS = [
  'git log --oneline base..HEAD',
  'git diff base HEAD -- a.js',
  'ls',
  'head a.js',
  'tail a.js',
  'wc -l a.js',
];

const review = async (model: ScriptedModel, where: typeof cage): Promise<void> => {
  const checkouts = join(folder, 'checkouts');
  await agentRunnerStage({ world, checkouts }, model, { cage: where }).draft(change());
  expect(readdirSync(checkouts)).toEqual([]);
  expect(existsSync(CANARY)).toBe(false);
};

const namesOf = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name);

/** What came back for the calls of the turn before. */
const answersIn = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1));

describe.skipIf(cage === null)(`a review in a cage${why}`, () => {
  it('T4, T5: has Bash on offer, and none of its tools runs what the repository brings', async () => {
    const model = scriptedModel([
      reply([...COMMANDS.map((command) => call('Bash', { command })), call('Grep', { pattern: 'const a' })]),
      reply([call('Glob', { pattern: '*' }), call('Read', { path: 'a.js' }), call('Bash', { command: 'ls | sh' })]),
      submit(),
    ]);
    await review(model, cage);
    expect(namesOf(asked(model, 0))).toContain('Bash');
    const answers = answersIn(asked(model, 1));
    expect(answers).toContain(' change\\n</data-');
    expect(answers).toContain('-export const a = 1;\\n+export const a = 2;');
    expect(answers).toContain('1 a.js');
    expect(`${answers}${answersIn(asked(model, 2))}`).not.toContain('TRAPPED');
    expect(answersIn(asked(model, 2))).toContain('refused: | outside of quotes; there is no shell');
  });
});

describe('a review without a cage', () => {
  it('has no Bash: no tool, no word of it in the prompt, and a call of it is a failed one', async () => {
    const model = scriptedModel([reply([call('Bash', { command: 'ls' })]), submit()]);
    await review(model, null);
    expect(namesOf(asked(model, 0))).not.toContain('Bash');
    expect(JSON.stringify(asked(model, 0))).not.toMatch(/\bBash\b/);
    expect(answersIn(asked(model, 1))).toContain('there is no such tool');
  });
});
