/** The Bash tool as a model has it: in a real cage, over a real history. Skipped, saying so, where no cage stands. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProtect } from '../../../shared/agent/present-result.ts';
import { createBashTool } from '../../../shared/agent/tools/bash.ts';
import { createRedactor } from '../../../shared/text/redact.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { BashRunner } from '../../../shared/workspace/bash/bash-runner.ts';
import { parseBashCommand } from '../../../shared/workspace/bash/bash-command.ts';
import { createGit } from '../../../shared/workspace/git/git.ts';
import { type BashStage, layBashStage } from '../../support/bash-stage.ts';
import { findTestCage } from '../../support/cage.ts';
import { propertyMs, propertyRuns } from '../../support/deep.ts';
import { anyBashText, attacksOn, harmlessOn } from '../workspace/bash-attacks.ts';
import { createRepository, GIT, never, type Repository } from '../workspace/repository.ts';

const { cage, folder: base, why, dispose } = await findTestCage();
afterAll(dispose);

const OUTSIDE_TEXT = ['CANARY', 'outside', 'c0ffee'].join('-');
const OWN_SECRET = ['own', 'secret', 'of', 'the', 'service', '7'].join('-');
const TARGETS = { canary: join(base, 'made'), outside: join(base, 'outside.txt') };
const TRAP = `#!/bin/sh\necho TRAPPED\necho TRAPPED > ${TARGETS.canary}\n`;
const protect = createProtect(createRedactor([OWN_SECRET]));

/** Built here, so that no scanner takes this file for a leak. Every line of the body is another one. */
const bodyLine = (index: number): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return Array.from({ length: 64 }, (_, at) => letters[(index * 7 + at * (2 * index + 5)) % 64]).join('');
};
const BODY = Array.from({ length: 12 }, (_, index) => bodyLine(index));
const keyFile = (body: readonly string[]): string => {
  const edge = (word: string): string => `-----${word} ${['RSA', 'PRIVATE', 'KEY'].join(' ')}-----`;
  return ['# before', edge('BEGIN'), ...body, edge('END'), 'after = 1', 'more = 2', ''].join('\n');
};

/** What projects carry and tools run unasked: each would leave a trace. */
const TRAPS = {
  'package.json': JSON.stringify({
    scripts: { preinstall: `touch ${TARGETS.canary}`, test: `touch ${TARGETS.canary}` },
  }),
  Makefile: `all:\n\ttouch ${TARGETS.canary}\n`,
  '.rubocop.yml': 'require: ./trap.rb\n',
  'trap.rb': `File.write('${TARGETS.canary}', 'x')\n`,
  '.pre-commit-config.yaml': 'repos: []\n',
  'conftest.py': `open('${TARGETS.canary}', 'w')\n`,
  '.envrc': `touch ${TARGETS.canary}\n`,
  '.gitattributes': '* diff=trap filter=trap merge=trap textconv=trap\n',
  '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${TARGETS.canary}\n`,
  '.githooks/post-checkout': TRAP,
  'emb/HEAD': 'ref: refs/heads/main\n',
  'emb/config': `[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${TARGETS.canary}; echo TRAPPED"\n\tpager = touch ${TARGETS.canary}\n`,
  'emb/objects/info/x': 'x\n',
  'emb/refs/heads/x': 'x\n',
};

type Made = { readonly repository: Repository; readonly head: CommitSha; readonly first: CommitSha };

const build = (): Made => {
  const repository = createRepository(join(base, 'repository'));
  repository.write({ ...TRAPS, 'src/a.ts': 'export const a = 1;\nexport const b = 2;\n', 'gone.pem': keyFile(BODY) });
  for (const name of ['git', 'ls', 'wc', 'head', 'tail', 'rg', 'env']) repository.executable(name, TRAP);
  repository.link('link-out', TARGETS.outside);
  const first = repository.commit('first');
  repository.write({
    'gone.pem': null,
    'key.pem': keyFile(BODY),
    'changed.pem': keyFile(BODY),
    'src/a.ts': `export const a = 2;\nexport const b = 2;\nconst s = '${OWN_SECRET}';\n`,
    binary: Buffer.from([1, 0, 2]),
    'large.txt': 'a line of text\n'.repeat(30_000),
    'hidden.txt': 'a\u200bb\u001b[2J\n',
  });
  repository.commit('second');
  repository.write({ 'changed.pem': keyFile(BODY).replace('after = 1', 'after = 3') });
  return { repository, head: repository.commit('third'), first };
};

let stage: BashStage;
let made: Made;
/** What lies beside the checkouts: none of it may become more or less. */
let before: readonly string[] = [];

const say = async (command: string): Promise<{ readonly kind: string; readonly text: string }> => {
  const result = await stage.tool.execute({ command }, never());
  if (result.kind !== 'text' && result.kind !== 'failed') throw new Error(result.kind);
  return result;
};

const textOf = async (command: string): Promise<string> => (await say(command)).text;

const nothingHappened = (): void => {
  expect(existsSync(TARGETS.canary)).toBe(false);
  expect(readdirSync(base).toSorted()).toEqual(before);
};

describe.skipIf(cage === null)(`Bash${why}`, () => {
  beforeAll(async () => {
    if (cage === null) throw new Error(why);
    writeFileSync(TARGETS.outside, `${OUTSIDE_TEXT}\n`);
    made = build();
    const { repository, head, first } = made;
    stage = await layBashStage({ cage, repository, folder: join(base, 'data'), head, base: first, protect });
    before = readdirSync(base).toSorted();
  });
  afterAll(async () => {
    await stage?.dispose();
  });

  it.each([
    ['git log --oneline --no-merges -n 1', /^[0-9a-f]{7} third$/],
    ['git log -S OTHER', /^\[no output\]$/],
    ['git show HEAD:src/a.ts', /^export const a = 2;\nexport const b = 2;\nconst s = '\[redacted\]';$/],
    ['git diff base HEAD --stat -- src', / src\/a\.ts \| 3 \+\+-\n/],
    [
      'git diff base..HEAD -- src',
      /\n-export const a = 1;\n\+export const a = 2;\n export const b = 2;\n\+const s = '\[redacted\]';$/,
    ],
    ['git blame -s -L 1,1 src/a.ts', /^[0-9a-f]{8} 1\) export const a = 2;$/],
    ['git grep -n const', /^src\/a\.ts:1:export const a = 2;\nsrc\/a\.ts:2:export const b = 2;\nsrc\/a\.ts:3:/],
    ['git grep -c const', /^HEAD:src\/a\.ts:3$/],
    ['git grep -l const base', /^base:src\/a\.ts$/],
    ['git grep nowhere', /^\[no match\]$/],
    ['git ls-files src', /^src\/a\.ts$/],
    ['git ls-tree HEAD src/', /^100644 blob [0-9a-f]{40}\tsrc\/a\.ts$/],
    ['git cat-file -t HEAD', /^commit$/],
    ['git rev-parse --verify HEAD', /^[0-9a-f]{40}$/],
    ['ls src', /^a\.ts$/],
    ['wc -l src/a.ts', /^3 src\/a\.ts$/],
    ['head -n 1 src/a.ts', /^export const a = 2;$/],
    ['tail -n +3 src/a.ts', /^const s = '\[redacted\]';$/],
    ['head hidden.txt', /^a\u200bb\\x1b\[2J$/],
  ])('answers %s', async (command, answer) => {
    expect(await say(command)).toEqual({ kind: 'text', text: expect.stringMatching(answer) });
  });

  it.each([
    ['git show nowhere', /^fatal: bad revision 'nowhere'\n\[exit: code 128\]$/],
    ['head nowhere', /cannot open 'nowhere'.*\n\[exit: code 1\]$/],
    ['head binary', /^the output is not text$/],
    ['git show HEAD:binary', /^the output is not text$/],
    ['git rev-parse --verify refs/heads/main', /^fatal: /],
  ])('fails with the words of the program: %s', async (command, words) => {
    expect(await say(command)).toEqual({ kind: 'failed', text: expect.stringMatching(words) });
  });

  it('cuts an output after 256 KiB, at the end of a line, and says so', async () => {
    const text = await textOf('git show HEAD:large.txt');
    expect(text.length).toBeLessThan(256 * 1024 + 100);
    expect(text.split('\n').slice(-2)).toEqual(['a line of text', '[the output was cut after 256 KiB; ask for less]']);
  });

  it('T6: refuses the whole table before anything is started', async () => {
    const started = stage.runs.length;
    for (const attack of Object.values(attacksOn(TARGETS)).flat()) {
      const result = await stage.tool.execute({ command: attack }, never());
      expect([attack, result.kind]).toEqual([attack, 'failed']);
    }
    expect(stage.runs.length).toBe(started);
    nothingHappened();
  });

  it('T6: takes what looks dangerous and is not, without effect, in the cage', async () => {
    for (const command of harmlessOn(TARGETS)) {
      expect(await textOf(command)).not.toMatch(new RegExp(`${OUTSIDE_TEXT}|^TRAPPED`, 'm'));
    }
    nothingHappened();
  }, 60_000);

  it(
    'T6: the words alone confine as well: whatever is taken has no effect without a cage either',
    async () => {
      const bare = createBashTool(uncaged(), protect);
      const run = async (command: string): Promise<void> => {
        const result = await bare.execute({ command }, never());
        expect(JSON.stringify(result)).not.toContain(OUTSIDE_TEXT);
        nothingHappened();
      };
      for (const command of harmlessOn(TARGETS)) await run(command);
      const property = fc.asyncProperty(
        anyBashText.filter((text) => parseBashCommand(text).kind === 'command'),
        run,
      );
      await fc.assert(property, propertyRuns(40, 5_000));
    },
    propertyMs(60_000),
  );

  it('T5: runs no program of the repository, whatever its name', async () => {
    for (const command of ['ls', 'wc -l src/a.ts', 'head src/a.ts', 'tail src/a.ts', 'git log --oneline']) {
      expect(await textOf(command)).not.toMatch(/TRAPPED/);
    }
    nothingHappened();
  });

  it('G1: git is not led astray by a repository in the tree, also when no word was checked', async () => {
    for (const args of [['-C', 'emb', 'status'], ['-C', '/workspace/emb', 'ls-files', '-o'], ['status'], ['diff']]) {
      const { stdout, stderr } = await stage.run({ program: 'git', args }, never());
      expect(`${stdout.toString('utf8')}${stderr}`).not.toMatch(/TRAPPED/);
    }
    nothingHappened();
  });

  it('has no ref of the mirror but its own two, and no way to write', async () => {
    const { repository } = made;
    expect(repository.git('rev-parse', 'refs/heads/main')).toMatch(/^[0-9a-f]{40}$/);
    expect(await say('git rev-parse --verify main')).toMatchObject({ kind: 'failed' });
    expect(await textOf('git rev-parse --verify base')).toBe(made.first);
    const { stderr, code } = await stage.run({ program: 'git', args: ['update-ref', 'refs/heads/x', 'HEAD'] }, never());
    expect([code, stderr]).toEqual([128, expect.stringMatching(/Read-only file system/)]);
  });

  it('goes on when the mirror is packed anew meanwhile', async () => {
    const { repository } = made;
    repository.write({ later: 'x\n' });
    repository.commit('later');
    repository.git('repack', '-adq');
    expect(await textOf('git log --oneline -n 1')).toMatch(/third$/);
  });

  describe('shows no line of a key', () => {
    const own = BODY.map((line) => line.slice(4, 40));

    it.each([
      ...[1, 3, 8, 14].map((line) => `git blame -L ${line},+2 key.pem`),
      ...[2, 7].flatMap((lines) => [
        `head -n ${lines} key.pem`,
        `tail -n ${lines} key.pem`,
        `tail -n +${lines} key.pem`,
      ]),
      'git grep -C 3 after HEAD -- key.pem',
      'git grep -v zzz HEAD -- key.pem',
      `git grep -n ${own[5]?.replaceAll(/[^A-Za-z]/g, '').slice(0, 3)} HEAD -- key.pem`,
      'git diff -U2 base HEAD -- changed.pem',
      "git diff -U0 'HEAD~1' HEAD -- changed.pem",
      "git show 'HEAD~1'",
      'git show HEAD -U1',
      'git log -p -n 2',
      'git log -p -U0 -- gone.pem',
      'git show base:gone.pem',
      'git cat-file -p HEAD:key.pem',
      'git cat-file -p base:gone.pem',
      'git show HEAD:key.pem base:gone.pem',
    ])('%s', async (command) => {
      const { kind, text } = await say(command);
      expect(kind).toBe('text');
      expect(own.filter((part) => text.includes(part))).toEqual([]);
      expect(text).not.toContain(OWN_SECRET);
    });

    it('neither as the heading of a hunk', async () => {
      const plain = made.repository.git('diff', '-U0', 'HEAD~2', 'HEAD~1', '--', 'changed.pem');
      expect(plain).toMatch(/^@@ .* @@ [A-Za-z0-9+/]{20}/m);
      expect(await textOf("git diff -U0 'HEAD~1' HEAD -- changed.pem")).toMatch(/^@@ -16 \+16 @@$/m);
    });
  });
});

/** The same words to the same programs, with nothing around them: what the grammar alone is worth. */
const uncaged = (): BashRunner => async (call, signal) => {
  const [viewName = ''] = readdirSync(join(base, 'data', 'checkouts')).filter((name) =>
    name.startsWith('tree-history-'),
  );
  const git = createGit({ gitPath: GIT, gitDir: join(base, 'data', 'checkouts', viewName), allowProtocols: [] });
  const spec = git.spec(call.args, {});
  const argv = call.program === 'git' ? [spec.file, ...spec.args] : [`/usr/bin/${call.program}`, ...call.args];
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd: stage.root, env: spec.env, stdio: ['pipe', 'pipe', 'pipe'], signal });
  child.stdin.on('error', () => {}).end(call.stdin);
  const chunks: Buffer[] = [];
  const words: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void words.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const stderr = Buffer.concat(words).toString('utf8');
  return { code, signal: null, stdout: Buffer.concat(chunks), stderr, truncated: false, timedOut: false };
};
