/** Rows G4 and G6 to G10: whole reviews of hostile repositories, fetched with a credential by real git. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import { sha } from '../shared/rounds/builders.ts';
import { type HostileStage, startHostileStage, TOKEN } from '../support/hostile-stage.ts';
import { sampleProcesses } from '../support/process-sampler.ts';
import { bombTree, type TreeItem } from '../shared/workspace/repository.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const MB = 1024 * 1024;
const ZEROS = (DEEP ? 300 : 20) * MB;
const EVAL = 'eval(location.hash);\n';

let stage: HostileStage;
let base: CommitSha;
beforeEach(async () => {
  stage = await startHostileStage();
  stage.repository.write({ 'README.md': '# Shop\n' });
  base = stage.repository.commit('base');
});
afterEach(async () => stage.dispose());

const file = (name: string | Buffer, content: string | Buffer): TreeItem => ({
  mode: '100644',
  name,
  objectId: stage.repository.blob(content),
});

/** Sorts the entries as git requires in a tree. */
const commitOf = (...items: readonly TreeItem[]): CommitSha => {
  const sorted = items.toSorted((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  return stage.repository.commitTree(stage.repository.rawTree(sorted), base);
};

const found = (reviewed: Awaited<ReturnType<HostileStage['review']>>) =>
  reviewed.draft?.findings.map(({ claim }) => [claim.path, claim.rule]);

const expectNobodyCalled = (): void => {
  expect({ ran: existsSync(stage.canary), called: stage.listener.calls() }).toEqual({ ran: false, called: 0 });
};

describe('a review of a change', () => {
  test('G4: with a thousand submodules of evil addresses fetches none of them, and shows each as what it is', async () => {
    const evil = [
      `-u./evil; touch ${stage.canary}`,
      `ext::sh -c "touch ${stage.canary}"`,
      `${stage.listener.url}/x.git`,
      `--upload-pack=touch ${stage.canary}`,
      `ssh://-oProxyCommand=touch ${stage.canary}/x`,
    ];
    const modules = evil.map(
      (url, index) =>
        `[submodule "s${index}"]\n\tpath = "sub${index}\r"\n\turl = "${url.replaceAll('"', '\\"')}"\n\tupdate = !touch ${stage.canary}\n`,
    );
    const links = Array.from({ length: 1000 }, (_, index) => ({
      mode: '160000',
      name: `link${String(index).padStart(4, '0')}`,
      objectId: 'a'.repeat(40),
    }));
    const carriage = { mode: '160000', name: 'sub0\r', objectId: 'b'.repeat(40) };
    const head = commitOf(file('.gitmodules', modules.join('')), file('a.js', EVAL), carriage, ...links);
    const reviewed = await stage.review({ base, head }, { limits: { maxFiles: 2000 } });
    expect(found(reviewed)).toEqual([['a.js', 'js-eval']]);
    expect(reviewed.draft?.coverage).toMatchObject({ complete: true, omitted: [] });
    expectNobodyCalled();
  });

  test('G7: that asks for LFS calls no server of it, and reads pointers as text', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5\n`;
    const head = commitOf(
      file(
        '.lfsconfig',
        `[lfs]\n\turl = ${stage.listener.url}/lfs\n\tbatch = true\n[remote "origin"]\n\tlfsurl = ${stage.listener.url}\n`,
      ),
      file('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n'),
      file('data.bin', pointer),
      file('a.js', EVAL),
    );
    const reviewed = await stage.review({ base, head });
    expect(found(reviewed)).toEqual([['a.js', 'js-eval']]);
    expect(reviewed.draft?.coverage).toMatchObject({ omitted: [], complete: true });
    expectNobodyCalled();
  });

  test('G8: of ten billion paths is too large within 15 s and 300 MB', { timeout: 60_000 }, async () => {
    const bomb = bombTree(stage.repository, 10);
    const head = commitOf({ mode: '40000', name: 'bomb', objectId: bomb }, file('a.js', EVAL));
    const before = ownPeakBytes();
    const started = performance.now();
    await stage.review({ base, head });
    expect(performance.now() - started).toBeLessThan(15_000);
    // A second run from the start, because the sampler is slow.
    rmSync(stage.mirrorDir, { recursive: true });
    const { result, sampled } = await sampleProcesses(stage.mirrorDir, async () => stage.review({ base, head }));
    expect(result.draft?.coverage).toMatchObject({
      complete: false,
      omitted: [{ path: '(the whole change)', reason: 'more than 1000 changed files' }],
    });
    expect(sampled.peakBytes).toBeGreaterThan(0);
    expect({ ours: ownPeakBytes() - before < 300 * MB, git: sampled.peakBytes < 300 * MB }).toEqual({
      ours: true,
      git: true,
    });
  });

  test('G9: with files too large to look at names each of them, and reviews the rest', {
    timeout: 120_000,
  }, async () => {
    const head = commitOf(
      file('zeros.bin', Buffer.alloc(ZEROS)),
      file('lines.js', Array.from({ length: 200_000 }, (_, line) => `x${line}();\n`).join('')),
      file('minified.js', `${'a();'.repeat((5 * MB) / 4)}\n`),
      file('short.js', 'y();\n'.repeat(200_000)),
      file('a.js', EVAL),
    );
    const { result, sampled } = await sampleProcesses(stage.mirrorDir, async () => stage.review({ base, head }));
    expect(found(result)).toEqual([['a.js', 'js-eval']]);
    const { coverage } = result.draft ?? {};
    expect(coverage?.omitted.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: 'lines.js', reason: expect.stringMatching(/^too large to compare/) },
      { path: 'minified.js', reason: expect.stringMatching(/^too large to compare/) },
      { path: 'short.js', reason: expect.stringMatching(/bytes of diff, the limit is/) },
      { path: 'zeros.bin', reason: 'binary file' },
    ]);
    expect(coverage?.complete).toBe(false);
    expect(sampled.peakBytes).toBeLessThan(700 * MB);
  });

  test('G9: of twenty thousand files says so instead of reviewing some of them', async () => {
    const { objectId } = file('x', 'x();\n');
    const many = Array.from({ length: 20_000 }, (_, index) => ({ mode: '100644', name: `f${index}.js`, objectId }));
    const reviewed = await stage.review({ base, head: commitOf(...many) });
    expect(reviewed.draft).toMatchObject({
      findings: [],
      coverage: { complete: false, omitted: [{ path: '(the whole change)', reason: 'more than 1000 changed files' }] },
    });
  });

  test('G10: goes by the ids of commits, whatever branches and tags are called', async () => {
    const { repository } = stage;
    const head = commitOf(file('a.js', EVAL));
    const imposter = commitOf(file('a.js', 'innocent();\n'));
    for (const name of [
      'heads/-x',
      `heads/${head}`,
      `tags/${head}`,
      'heads/HEAD',
      'tags/main',
      'heads/refs/heads/main',
      'heads/refs/pull/2/head',
      'tags/refs/pull/2/head',
    ])
      repository.git('update-ref', `refs/${name}`, imposter);
    expect(found(await stage.review({ base, head }))).toEqual([['a.js', 'js-eval']]);
  });

  test('G10: never reviews another head than the forge told, also when its ref moves while it is fetched', async () => {
    const head = commitOf(file('a.js', EVAL));
    const other = commitOf(file('a.js', 'other();\n'));
    const nowhere = await stage.review({ base, head: other }, { expected: sha('a head that no server has') });
    expect(nowhere).toMatchObject({ draft: null, told: [{ kind: 'superseded' }] });
    // The ref of a closed pull request is outdated; the head is fetched by its id.
    const behind = await stage.review({ base, head: other }, { expected: head });
    expect(behind).toMatchObject({ draft: { head } });
    let uploads = 0;
    stage.onRequest(({ username }) => {
      // The first authorised request asks for refs, the last one for the pack.
      if (username !== null && (uploads += 1) === 2) stage.repository.git('update-ref', 'refs/pull/2/head', other);
    });
    const moving = await stage.review({ base, head });
    expect(uploads).toBeGreaterThanOrEqual(2);
    expect(moving.draft?.head ?? head).toBe(head);
  });
});

const ownPeakBytes = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

const filesBelow = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(root, name))
    .filter((name) => statSync(name).isFile());

describe('G6: the credential of a whole review and a fix', () => {
  test('is in no argument, environment, file, log line, draft or trace of git', async () => {
    const { repository, folder } = stage;
    repository.write({ 'large.bin': Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251)) });
    repository.write({ 'a.txt': 'a\n' });
    const range = { base, head: repository.commit('change') };
    const trace = path.join(folder, 'trace');
    const names = ['GIT_TRACE', 'GIT_TRACE_CURL', 'GIT_TRACE_PACKET', 'GIT_TRACE_SETUP', 'GIT_TRACE2_EVENT'];
    for (const name of names) process.env[name] = trace;
    process.env['GIT_CURL_VERBOSE'] = '1';
    try {
      const { result, sampled } = await sampleProcesses(stage.mirrorDir, async () => {
        const reviewed = await stage.review(range);
        const fixed = await stage.fix(range, () => {});
        return { reviewed, fixed };
      });
      expect(result.fixed).toMatchObject({ kind: 'fixed' });
      expect([...sampled.processes.keys()].join('\n')).toMatch(/git [^\n]*fetch[^]*git [^\n]*push/);
      expect([...sampled.processes.values()].filter((text) => text.includes(TOKEN))).toEqual([]);
      expect(JSON.stringify(result)).not.toContain(TOKEN);
    } finally {
      for (const name of [...names, 'GIT_CURL_VERBOSE']) delete process.env[name];
    }
    expect(existsSync(trace)).toBe(false);
    expect(stage.logged()).toContain('run ended');
    expect(stage.logged()).not.toContain(TOKEN);
    const files = filesBelow(folder);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((name) => readFileSync(name).includes(TOKEN))).toEqual([]);
  });

  test('is in no error of a fetch that is refused', async () => {
    const head = commitOf(file('a.js', EVAL));
    stage.breakServer();
    const error: unknown = await stage.review({ base, head }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'GIT_REPOSITORY_MISSING' });
    expect(JSON.stringify([String(error), error])).not.toContain(TOKEN);
  });
});
