/** Rows I11 and X11 of the acceptance matrix, played through all services on simulated forges. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthorCommand, makeAuthorCommand, UNCAGED } from '../support/author-command.ts';
import { type AuthorStage, startAuthorStage } from '../support/author-stage.ts';
import { findTestCage } from '../support/cage.ts';
import { usually } from '../support/deep.ts';
import { textOf } from '../support/story.ts';
import { eventually, STORY_MS } from '../support/story-world.ts';

const BAD = textOf('export const run = (text) => eval(text);');

/** Runs the file `plan`; fails while that file does not exist. */
const SCRIPT = `
const plan = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
for (const [file, text] of Object.entries(plan.files)) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}
for (const [file, target] of Object.entries(plan.links ?? {})) {
  fs.rmSync(file, { force: true });
  fs.symlinkSync(target, file);
}
console.log(JSON.stringify({ declined: plan.declined ?? [] }));
`;

/** Validation commands need a cage at every head; without one, nothing would pass. */
const { cage, dispose, why } = await findTestCage();
afterAll(dispose);
const GATE = `[validation]
command = [{ name = "stays whole", command = ["/bin/sh", "-c", "! grep -q BROKEN *.js"] }]
`;

describe.each(usually('forgejo' as const, 'gitlab' as const))('on a simulated %s', (kind) => {
  let folder: string;
  let command: AuthorCommand;
  let stage: AuthorStage;
  const planFile = (): string => path.join(folder, 'plan.json');

  type Plan = {
    readonly files: Readonly<Record<string, string>>;
    readonly links?: Readonly<Record<string, string>>;
    readonly declined?: readonly { readonly id: string; readonly reason: string }[];
  };
  const plan = async (wish: Plan | null): Promise<void> =>
    wish === null ? rm(planFile(), { force: true }) : writeFile(planFile(), JSON.stringify(wish));

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-author-plan-'));
    command = await makeAuthorCommand(SCRIPT, '', [planFile()]);
    stage = await startAuthorStage(kind, `${command.toml}${cage === null ? UNCAGED : GATE}`);
    await stage.commit('main', { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => {
    await stage?.close();
    await command?.dispose();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }, STORY_MS);

  const kindsOf = (number: number): readonly string[] =>
    stage
      .markers(number)
      .map(({ kind: of }) => of)
      .filter((of) => of === 'fix' || of === 'handoff' || of === 'decline');
  const handedOff = async (number: number): Promise<void> => {
    await eventually('a hand-off', () => kindsOf(number).includes('handoff'));
    await stage.calm();
  };

  test(
    'I11: "@bot fix" at one head and a push before the worker: nothing is pushed, and that is said once',
    async () => {
      await plan(null);
      const number = await stage.open('moves', { 'moves.js': BAD });
      await handedOff(number);
      await plan({ files: { 'moves.js': 'export const run = JSON.parse;\n' } });
      await stage.holdFixes(true);
      await stage.say(number, '@fixpoint fix');
      await eventually('a waiting fix', async () => (await stage.waitingFixes()) === 1);
      await stage.commit('moves', { 'README.md': '# The shop\n' });
      const heads = stage.look(number).heads;
      await stage.holdFixes(false);
      await eventually('the note', () => kindsOf(number).includes('fix'));
      await stage.calm();
      const notes = stage.markers(number).filter((payload) => payload.kind === 'fix');
      expect(notes).toMatchObject([{ outcome: 'head_moved', pushed: null, head: heads.at(-2) }]);
      expect(stage.bodies(number).filter((body) => body.includes('the source branch moved on'))).toHaveLength(1);
      expect(stage.look(number).heads).toEqual(heads);
    },
    STORY_MS,
  );

  test.each<[string, string, Plan]>([
    ['a CI file', 'ci', { files: { 'ci.js': 'ok();\n', '.gitlab-ci.yml': 'evil: {}\n' } }],
    ['a hook', 'hook', { files: { '.git/hooks/pre-push': '#!/bin/sh\n' } }],
    ['a link', 'link', { files: {}, links: { 'link.js': '/etc/passwd' } }],
    ['nothing', 'nothing', { files: {} }],
  ])(
    'X11: a change to %s is not pushed, and a human is called once',
    async (_what, branch, wish) => {
      await plan(wish);
      const number = await stage.open(branch, { [`${branch}.js`]: BAD });
      await handedOff(number);
      expect(kindsOf(number)).toEqual(['handoff']);
      expect(stage.look(number).heads).toHaveLength(1);
    },
    STORY_MS,
  );

  test.skipIf(cage === null)(
    `a fix that breaks a validation command which its head passes is not pushed, and the call names it${why}`,
    async () => {
      await plan({ files: { 'broken.js': 'export const run = BROKEN;\n' } });
      const number = await stage.open('broken', { 'broken.js': BAD });
      await handedOff(number);
      const calls = stage.markers(number).filter((payload) => payload.kind === 'handoff');
      expect(calls).toMatchObject([{ reason: 'fix_validation_failed' }]);
      expect(stage.bodies(number).join('\n')).toContain('that the head passes: `stays whole`');
      expect(stage.look(number).heads).toHaveLength(1);
      await plan({ files: { 'broken.js': 'export const run = JSON.parse;\n' } });
      await stage.say(number, '@fixpoint fix');
      await eventually('a push', () => stage.look(number).heads.length === 2);
      await stage.calm();
    },
    STORY_MS,
  );

  test(
    'findings that the author declines are answered in their threads, and a human is called once',
    async () => {
      await plan({ files: {}, declined: [{ id: 'F-001', reason: 'It is meant so. Closes #1 @everyone' }] });
      const number = await stage.open('declined', { 'declined.js': BAD });
      await handedOff(number);
      expect([...kindsOf(number)].toSorted()).toEqual(['decline', 'handoff']);
      const answer = stage.bodies(number).find((body) => body.includes('It is meant so'));
      expect(answer).not.toMatch(/(?<![\\`\u200b&])@everyone/);
      expect(stage.look(number).heads).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    'a request where nothing blocks is answered by a sentence, and nothing is ordered',
    async () => {
      await plan({ files: { 'asked.js': 'export const run = JSON.parse;\n' } });
      const number = await stage.open('asked', { 'asked.js': textOf('export const fine = 1;') });
      await eventually('a verdict', () =>
        stage.markers(number).some((m) => m.kind === 'summary' && m.verdict === 'lgtm'),
      );
      await stage.calm();
      await stage.say(number, '@fixpoint fix');
      await eventually('an answer', () => stage.bodies(number).some((body) => body.includes('nothing to fix')));
      await stage.calm();
      expect([kindsOf(number), stage.look(number).heads.length]).toEqual([[], 1]);
    },
    STORY_MS,
  );
});
