/** Change requests that could lead to comments on wrong lines, or to missing files. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { account, expectLines } from '../support/accounting.ts';
import {
  botBodies,
  commitBase,
  inlineOf,
  open,
  push,
  repliesOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { AUTHOR, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';
import { runGit } from '../sim/forgejo/git.ts';

const EVAL = '  return eval(text);';
const filler = (count: number, name = 'line'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `// ${name} ${index + 1}`);

const LOADER = textOf(
  'export const load = (read) => {',
  '  try {',
  '    return read();',
  '  } catch (error) {',
  "    throw new Error('cannot read', { cause: error });",
  '  }',
  '};',
);

const MODULE = textOf(...filler(40), 'export const one = (text) => {', '  return text;', '};', ...filler(40, 'tail'));
const SHORT = textOf('export const run = (text) => {', '  return text;', '};');
const LONG = textOf(...filler(5_000));

const BASE = {
  'README.md': '# Shop\n',
  'load.js': LOADER,
  'module.js': MODULE,
  'rebased.js': SHORT,
  'windows.js': SHORT.replaceAll('\n', '\r\n'),
  'long.js': LONG,
  'moving.js': textOf(...filler(60)),
  'doomed.js': textOf(...filler(30), EVAL, ...filler(30)),
  'größe/menü 菜单.js': SHORT,
};

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 2' });
  await commitBase(world, BASE);
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const inPlace = { lost: [], moved: [] };

describe.sequential('a nasty change request', () => {
  test(
    'whose finding stands on a line that it left alone',
    async () => {
      const files = { 'load.js': LOADER.replace("    throw new Error('cannot read', { cause: error });\n", '') };
      const number = await open(world, { branch: 'context', files });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path: 'load.js', line: 4 }])).toMatchObject({ ...inPlace, inline: 1 });
      await expectLines(world, number, /catch \(error\)/);
    },
    STORY_MS,
  );

  test(
    'that renames a file and edits it',
    async () => {
      const files = { 'module.js': null, 'lib/renamed.js': MODULE.replace('  return text;', EVAL) };
      const number = await open(world, { branch: 'rename', files });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path: 'lib/renamed.js', line: 42 }])).toMatchObject({ ...inPlace, inline: 1 });
      await expectLines(world, number, /eval\(text\)/);
    },
    STORY_MS,
  );

  test(
    'whose second version is rebased over edits above the finding',
    async () => {
      const broken = SHORT.replace('  return text;', EVAL);
      const number = await open(world, { branch: 'rebase', files: { 'rebased.js': broken } });
      await verdictOf(world, number);
      await world.sim.commitFiles({
        repo: REPO,
        branch: 'main',
        files: { 'rebased.js': textOf(...filler(9)) + SHORT },
        message: 'Comment\n',
        author: OWNER,
      });
      const rebased =
        textOf(...filler(9)) +
        broken +
        textOf(...filler(6), 'export const again = (text) => {', '  return eval(text + 1);', '};');
      await world.sim.commitFiles({
        repo: REPO,
        branch: 'rebase',
        onto: 'refs/heads/main',
        files: { 'rebased.js': rebased },
        message: 'Run\n',
        author: AUTHOR,
      });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path: 'rebased.js', line: 20 }])).toMatchObject({ ...inPlace, inline: 1 });
      expect(inlineOf(world, number).map(({ line, review }) => ({ line, review }))).toEqual([
        { line: 2, review: 1 },
        { line: 20, review: 2 },
      ]);
      // The thread whose lines only moved waits, and is shown where they are now.
      expect(repliesOf(world, number)).toEqual([]);
      expect(summaryOf(world, number).ledger).toMatchObject([
        { id: 'F-001', state: 'open' },
        { id: 'F-002', state: 'open' },
      ]);
      const summary = botBodies(world, number).find((body) => body.includes('<summary>Commands</summary>'));
      expect(summary).toContain('`rebased.js:11`');
    },
    STORY_MS,
  );

  test(
    'with six equal lines',
    async () => {
      const parts = Array.from({ length: 6 }, (_, index) => [
        `export const f${index} = (text) => {`,
        EVAL,
        '};',
        ...filler(4),
      ]);
      const number = await open(world, { branch: 'equal', files: { 'equal.js': textOf(...parts.flat()) } });
      expect(await verdictOf(world, number)).toBe('feedback');
      const expected = parts.map((_, index) => ({ path: 'equal.js', line: 2 + 7 * index }));
      expect(account(world, number, expected)).toMatchObject({ ...inPlace, inline: 6 });
      await expectLines(world, number, /eval\(text\)/);
    },
    STORY_MS,
  );

  test(
    'in a file with CRLF',
    async () => {
      const files = { 'windows.js': SHORT.replace('  return text;', EVAL).replaceAll('\n', '\r\n') };
      const number = await open(world, { branch: 'crlf', files });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path: 'windows.js', line: 2 }])).toMatchObject({ ...inPlace, inline: 1 });
      await expectLines(world, number, /eval\(text\);\r$/);
    },
    STORY_MS,
  );

  test(
    'that only deletes',
    async () => {
      const number = await open(world, {
        branch: 'deletions',
        files: { 'doomed.js': textOf(...filler(30)), 'README.md': null },
      });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(account(world, number, [])).toMatchObject({ ...inPlace, inline: 0 });
    },
    STORY_MS,
  );

  // Those that block always get their thread; `review.max_comments` (20) limits the others.
  test.each([
    { count: 71, bad: EVAL, holds: /eval\(text\)/, verdict: 'feedback', inline: 71 },
    { count: 101, bad: EVAL, holds: /eval\(text\)/, verdict: 'feedback', inline: 101 },
    { count: 72, bad: "  test.skip('runs', () => {});", holds: /test\.skip/, verdict: 'lgtm', inline: 20 },
  ])(
    'with $count files, each with a finding like $bad',
    async ({ count, bad, holds, verdict, inline }) => {
      const paths = Array.from({ length: count }, (_, index) => `many-${count}/file-${index}.js`);
      const content = SHORT.replace('  return text;', bad);
      const files = Object.fromEntries(paths.map((path) => [path, content]));
      const number = await open(world, { branch: `many-${count}`, files });
      expect(await verdictOf(world, number)).toBe(verdict);
      const expected = paths.map((path) => ({ path, line: 2 }));
      expect(account(world, number, expected)).toMatchObject({ ...inPlace, inline, listed: count - inline });
      await expectLines(world, number, holds);
    },
    STORY_MS,
  );

  test(
    'with more files than are looked at',
    async () => {
      const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`huge/${index}.js`, SHORT]));
      const number = await open(world, { branch: 'huge', files });
      expect(await verdictOf(world, number)).toBe('inconclusive');
      expect(botBodies(world, number).join('\n')).toMatch(
        /<summary>Not reviewed \(\d+\)<\/summary>\n\n- `\(the whole change\)`: more than 1000 changed files/,
      );
    },
    STORY_MS,
  );

  test(
    'deep in a file of 5,000 lines',
    async () => {
      const lines = [...filler(5_000)];
      lines[4_320] = 'export const deep = (text) => eval(text);';
      const number = await open(world, { branch: 'deep', files: { 'long.js': textOf(...lines) } });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path: 'long.js', line: 4_321 }])).toMatchObject({ ...inPlace, inline: 1 });
      await expectLines(world, number, /eval\(text\)/);
    },
    STORY_MS,
  );

  test(
    'on a path beyond ASCII',
    async () => {
      const path = 'größe/menü 菜单.js';
      const number = await open(world, { branch: 'path', files: { [path]: SHORT.replace('  return text;', EVAL) } });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(account(world, number, [{ path, line: 2 }])).toMatchObject({ ...inPlace, inline: 1 });
      await expectLines(world, number, /eval\(text\)/);
    },
    STORY_MS,
  );

  test(
    'that moves a submodule along',
    async () => {
      const number = await open(world, {
        branch: 'submodule',
        files: { 'sub.js': SHORT.replace('  return text;', EVAL) },
      });
      await verdictOf(world, number);
      await world.sim.moveBranch({ repo: REPO, branch: 'submodule', to: await bumpSubmodule(), as: AUTHOR });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(summaryOf(world, number)).toMatchObject({
        review: 2,
        ledger: [{ state: 'open', path: 'sub.js', line: 2 }],
      });
      expect(botBodies(world, number).join('\n')).not.toMatch(/Not reviewed \(/);
      expect(inlineOf(world, number)).toHaveLength(1);
    },
    STORY_MS,
  );

  test(
    'that carries a bad line far away is not taken for a fix',
    async () => {
      const first = textOf('export const run = (text) => {', EVAL, '};', ...filler(80));
      const number = await open(world, { branch: 'moving', files: { 'carried.js': first } });
      await verdictOf(world, number);
      const second = textOf(...filler(80), 'export const start = (text) => {', EVAL, '};');
      await push(world, 'moving', { 'carried.js': second });
      expect(await verdictOf(world, number)).toBe('feedback');
    },
    STORY_MS,
  );
});

/** Commits a change of a submodule to the branch. */
const bumpSubmodule = async (): Promise<string> => {
  const gitDir = world.sim.world.repos[0]?.gitDir ?? '';
  const head = (await runGit(gitDir, ['rev-parse', 'refs/heads/submodule'])).trim();
  const input = [
    'commit refs/heads/scratch',
    'mark :1',
    `committer ${AUTHOR} <${AUTHOR}@noreply.localhost> 1700000000 +0000`,
    'data 5\nbump\n',
    `from ${head}`,
    `M 160000 ${'1'.repeat(40)} modules/lib`,
    '',
    'get-mark :1',
    '',
  ].join('\n');
  return (await runGit(gitDir, ['fast-import', '--quiet', '--force'], { input })).trim();
};
