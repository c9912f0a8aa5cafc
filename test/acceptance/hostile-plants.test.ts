/** Row G3: files planted in the mirror, between jobs and at every step of a job, are never obeyed. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseBashCommand } from '../../shared/workspace/bash/bash-command.ts';
import { COMMAND_RULES } from '../../shared/workspace/bash/bash-grammar.ts';
import { createGitView } from '../../shared/workspace/bash/git-view.ts';
import { createGit } from '../../shared/workspace/git/git.ts';
import { GIT, never } from '../shared/workspace/repository.ts';
import { usually } from '../support/deep.ts';
import { type HostileStage, type Range, startHostileStage, TOKEN } from '../support/hostile-stage.ts';
import { misleadToFolder, poison } from '../support/poison.ts';

let stage: HostileStage;
let range: Range;
beforeEach(async () => {
  stage = await startHostileStage();
  const { repository } = stage;
  repository.write({ 'a.txt': 'one\n', '.gitattributes': '* diff=evil filter=evil merge=evil\n' });
  const base = repository.commit('base');
  repository.write({ 'a.txt': 'two\n', 'b.js': 'eval(location.hash);\n' });
  range = { base, head: repository.commit('change') };
});
afterEach(async () => stage.dispose());

const EVERY = 'every step';

const plant = (): void =>
  poison(stage.mirrorDir, { canary: stage.canary, listenerUrl: stage.listener.url, serverUrl: stage.server.url });

const plantAt =
  (wanted: string, seen: string[] = []) =>
  (step: string): void => {
    seen.push(step);
    if (wanted === EVERY || step === wanted) plant();
  };

const expectNothing = (): void => {
  expect({ ran: existsSync(stage.canary), called: stage.listener.calls() }).toEqual({ ran: false, called: 0 });
  expect(stage.logged()).not.toContain(TOKEN);
};

const ownConfig = (): string => readFileSync(path.join(stage.mirrorDir, 'config'), 'utf8');

describe('G3: a review of a mirror in which somebody plants', () => {
  test.each(usually(EVERY, 'before-fetch', 'before-review', 'runner', 'before-draft', 'before-report'))(
    'at %s runs nothing, calls nobody and finds what there is, and so does the next one',
    async (step) => {
      const clean = await stage.review(range);
      const seen: string[] = [];
      const planted = await stage.review(range, { onStep: plantAt(step, seen) });
      expect(seen).toContain(step === EVERY ? 'before-fetch' : step);
      plant();
      const next = await stage.review(range);
      for (const { draft } of [planted, next]) expect(draft?.findings).toEqual(clean.draft?.findings);
      expect(clean.draft?.findings).toMatchObject([{ claim: { path: 'b.js', rule: 'js-eval' } }]);
      expect(planted.draft?.patchFingerprint).toBe(clean.draft?.patchFingerprint);
      expectNothing();
      expect(ownConfig()).not.toContain('evil');
    },
  );
});

/** One of each git command that the Bash tool may run, and that our own code runs. */
const commandsOn = ({ base, head }: Range): readonly string[] => [
  'git log -p HEAD',
  'git show HEAD',
  `git diff ${base} ${head}`,
  'git blame HEAD -- a.txt',
  'git grep two HEAD',
  'git ls-files',
  'git ls-tree -r HEAD',
  'git cat-file -p HEAD:a.txt',
  'git rev-parse HEAD',
];
const OWN_COMMANDS = [
  ['merge-base', 'HEAD', 'HEAD~1'],
  ['merge-tree', '--write-tree', 'HEAD', 'HEAD~1'],
  ['hash-object', '-w', '-t', 'blob', '--no-filters', '--stdin'],
  ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x'],
  ['update-ref', 'refs/fixpoint/9/heads/x', 'HEAD'],
  ['for-each-ref'],
  ['gc', '--auto', '--quiet'],
];

test('G2: no command that is ever run runs what configuration, attributes and hooks name', async () => {
  const { repository, canary, listener, server } = stage;
  poison(repository.gitDir, { canary, listenerUrl: listener.url, serverUrl: server.url });
  const git = createGit({ gitPath: GIT, gitDir: repository.gitDir, allowProtocols: [] });
  const source = { gitPath: GIT, gitDir: repository.gitDir, folder: path.join(stage.folder, 'views'), ...range };
  const view = await createGitView(source, never());
  const inView = createGit({ gitPath: GIT, gitDir: view.path, allowProtocols: [] });
  const named = new Set<string>();
  for (const text of commandsOn(range)) {
    const parsed = parseBashCommand(text);
    if (parsed.kind !== 'command') throw new Error(`${text} is refused`);
    named.add(text.split(' ').slice(0, 2).join(' '));
    const { stdout } = await inView.run(parsed.args, {}, never());
    expect({ text, said: stdout.length > 0 || text === 'git ls-files' }).toEqual({ text, said: true });
  }
  expect([...named].toSorted()).toEqual(
    Object.keys(COMMAND_RULES)
      .filter((name) => name.startsWith('git '))
      .toSorted(),
  );
  const env = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  for (const args of OWN_COMMANDS) await git.run(args, { env, answers: [1] }, never());
  expectNothing();
});

test('G3: a mirror that is made to point elsewhere between two jobs is read where it lies', async () => {
  const clean = await stage.review(range);
  const elsewhere = path.join(stage.folder, 'elsewhere');
  cpSync(stage.mirrorDir, elsewhere, { recursive: true });
  poison(elsewhere, { canary: stage.canary, listenerUrl: stage.listener.url, serverUrl: stage.server.url });
  misleadToFolder(stage.mirrorDir, elsewhere);
  expect((await stage.review(range)).draft).toEqual({ ...clean.draft, spent: expect.anything() });
  // A misled fix may fail at any step, but must not obey.
  await stage.fix(range, () => misleadToFolder(stage.mirrorDir, elsewhere)).catch(() => null);
  expectNothing();
});

describe('G3: a fix in a mirror in which somebody plants', () => {
  test.each(usually(EVERY, 'before-fetch', 'before-work', 'work', 'before-push', 'after-push'))(
    'at %s runs nothing, calls nobody and pushes where it should',
    async (step) => {
      const seen: string[] = [];
      expect(await stage.fix(range, plantAt(step, seen))).toMatchObject({ kind: 'fixed' });
      expect(seen).toContain(step === EVERY ? 'before-fetch' : step);
      plant();
      expect((await stage.review(range)).draft).not.toBeNull();
      expectNothing();
    },
  );
});
