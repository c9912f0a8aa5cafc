/** `npm run release` in a real repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../../support/tracked-files.ts';
import { CHANGES, makeScratch, type Scratch } from './scratch.ts';

const LIMIT = { timeout: 120_000 };
const DIGEST = `sha256:${'0a'.repeat(32)}`;
const TODAY = () => new Date().toISOString().slice(0, 10);

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

const subjects = (): readonly string[] => scratch.git('log', '--format=%s').split('\n');
const clean = (): void => expect(scratch.git('status', '--porcelain')).toBe('');
const tagCommit = (): string => scratch.git('rev-parse', 'v0.2.0^{commit}');
const TARBALL = 'release/0.2.0/fixpoint-0.2.0.tgz';
const rootOf = (): string => scratch.git('rev-parse', '--show-toplevel');

describe('a release', () => {
  it('sets the version, dates the changes, commits, tags, and makes the package and its contents', LIMIT, () => {
    const { code, out, err } = scratch.release('0.2.0');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(subjects()).toEqual(['chore(release): 0.2.0', 'Begin']);
    expect(tagCommit()).toBe(scratch.git('rev-parse', 'HEAD'));
    expect(scratch.git('cat-file', '-t', 'v0.2.0')).toBe('tag');
    clean();
    expect(scratch.read('CHANGELOG.md')).toBe(
      `# Changelog\n\nHow to read it.\n\n## Unreleased\n\n## 0.2.0 - ${TODAY()}\n${CHANGES}## 0.0.9 - 2020-01-01\n\n- Old.\n`,
    );
    expect(JSON.parse(scratch.read('package.json'))).toMatchObject({
      version: '0.2.0',
      dependencies: { used: '1.0.0' },
    });
    const lock = JSON.parse(scratch.read('package-lock.json'));
    expect([lock.version, lock.packages[''].version, lock.packages['node_modules/used'].version]).toEqual([
      '0.2.0',
      '0.2.0',
      '1.0.0',
    ]);
    expect(scratch.read('shared/version.ts')).toContain("'0.2.0'");
    expect(scratch.read('deploy/guide/command-line.md')).toBe('Get fixpoint-0.2.0.tgz, or 0.1.0.\n');
    const listed = execFileSync('tar', ['-tzf', path.join(rootOf(), TARBALL)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(listed.toSorted()).toEqual(['package/dist/main.js', 'package/package.json']);
    const sbom = JSON.parse(scratch.read('release/0.2.0/fixpoint-0.2.0.cdx.json'));
    expect([sbom.bomFormat, sbom.metadata.component.version]).toEqual(['CycloneDX', '0.2.0']);
    expect(sbom.components.map(({ name }: { readonly name: string }) => name)).toEqual(['used']);
    expect(out).toContain(`REVISION=${tagCommit()}`);
  });

  it('prints how to publish, with the digest or the command that finds it', LIMIT, () => {
    const image = /^FROM ([^$\s]+)/m.exec(readFileSync(path.join(PROJECT_ROOT, 'deploy/Dockerfile'), 'utf8'))?.[1];
    const { out } = scratch.release('0.2.0', '--source', 'https://git.example.com/a/b');
    expect(out).toContain(`BASE_DIGEST=$(docker buildx imagetools inspect ${image} `);
    expect(out).toContain('--build-arg BASE_DIGEST="$BASE_DIGEST"');
    expect(out).toContain('--build-arg SOURCE=https://git.example.com/a/b');
    expect(out).toMatch(/--build-arg CREATED=\d{4}-\d\d-\d\dT[\d:]+\+00:00 /);
    expect(out).toContain(`npm publish ${TARBALL} --provenance --access public`);
    const again = scratch.release('0.2.0', '--base-digest', DIGEST).out;
    expect(again).toContain(`--build-arg BASE_DIGEST=${DIGEST}`);
    expect(again).not.toContain('imagetools');
  });

  it('gives the Dockerfile no argument that it does not have', LIMIT, () => {
    const { out } = scratch.release('0.2.0', '--dry-run');
    const given = [...out.matchAll(/--build-arg (\w+)=/g)].map(([, name]) => name ?? '');
    const known = [...scratch.read('deploy/Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name]) => name ?? '');
    expect(given.toSorted()).toEqual([...new Set(known)].toSorted());
  });

  it('only tells what it would do with --dry-run', LIMIT, () => {
    const { code, out } = scratch.release('0.2.0', '--dry-run');
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line.startsWith('would '))).toHaveLength(6);
    expect([subjects(), scratch.git('tag')]).toEqual([['Begin'], '']);
    clean();
    expect(existsSync(path.join(rootOf(), 'release'))).toBe(false);
  });
});

describe('an interrupted release goes on', () => {
  const expectWhole = (): void => {
    expect(subjects().filter((subject) => subject === 'chore(release): 0.2.0')).toHaveLength(1);
    expect(tagCommit()).toBe(scratch.git('rev-parse', 'HEAD'));
    expect(existsSync(path.join(rootOf(), TARBALL))).toBe(true);
    clean();
  };

  it('after some files were written, with the date that they have', LIMIT, () => {
    scratch.release('0.2.0');
    const [log, manifest] = [scratch.read('CHANGELOG.md'), scratch.read('package.json')];
    scratch.git('tag', '--delete', 'v0.2.0');
    scratch.git('reset', '--quiet', '--hard', 'HEAD~1');
    scratch.write('CHANGELOG.md', log.replace(TODAY(), '2021-02-03'));
    scratch.write('package.json', manifest);
    expect(scratch.release('0.2.0')).toMatchObject({ code: 0 });
    expect(scratch.read('CHANGELOG.md')).toContain('## 0.2.0 - 2021-02-03\n');
    expectWhole();
  });

  it('after the commit, and after the tag', LIMIT, () => {
    scratch.release('0.2.0');
    scratch.git('tag', '--delete', 'v0.2.0');
    const made = scratch.release('0.2.0');
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('the commit of 0.2.0 is there') });
    expectWhole();
    const again = scratch.release('0.2.0');
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('v0.2.0 is there') });
    expectWhole();
  });
});

describe('a release is refused', () => {
  const refused = (words: RegExp, ...args: readonly string[]): void => {
    const { code, out, err } = scratch.release(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(words);
    expect(scratch.git('tag')).toBe('');
  };

  it.each([
    [['0.2'], /"0\.2" is not a version\nexpected: npm run release/],
    [[], /"" is not a version/],
    [['v0.2.0'], /is not a version/],
    [['0.2.0', '0.3.0'], /is not a version/],
    [['0.2.0', '--publish'], /Unknown option '--publish'/],
    [['0.0.8'], /0\.0\.8 is not later than 0\.1\.0/],
    [['0.1.0-rc.1'], /0\.1\.0-rc\.1 is not later than 0\.1\.0/],
    [['0.2.0', '--base-digest', 'latest'], /--base-digest: expected sha256:/],
    [['0.2.0', '--source', 'nowhere'], /--source: expected the URL/],
  ] as const)('with %j', LIMIT, (args, words) => refused(words, ...args));

  it('in a tree with changes of another kind', LIMIT, () => {
    scratch.write('deploy/guide/ci.md', 'changed fixpoint-0.1.0.tgz\n');
    scratch.write('new.txt', '');
    refused(/commit or remove first: deploy\/guide\/ci\.md, new\.txt/, '0.2.0');
    refused(/commit or remove first/, '0.2.0', '--dry-run');
  });

  it.each([
    [
      'no changes',
      '# Changelog\n\n## Unreleased\n\n### Do first\n\n## 0.0.9 - 2020-01-01\n\n- Old.\n',
      /has nothing below/,
    ],
    ['no such heading', '# Changelog\n\n- Something.\n', /has no "## Unreleased"/],
  ])('with %s in CHANGELOG.md', LIMIT, (_, text, words) => {
    scratch.write('CHANGELOG.md', text);
    scratch.git('commit', '--quiet', '--all', '--message', 'Write');
    refused(words, '0.2.0');
  });

  it('when the version does not stand where it should', LIMIT, () => {
    scratch.write('deploy/guide/ci.md', 'Get it.\n');
    scratch.git('commit', '--quiet', '--all', '--message', 'Write');
    refused(/deploy\/guide\/ci\.md does not have the version 0\.1\.0/, '0.2.0');
    clean();
  });

  it('when its tag is another commit', LIMIT, () => {
    scratch.release('0.2.0');
    scratch.write('later.txt', '');
    scratch.git('add', '.');
    scratch.git('commit', '--quiet', '--message', 'Go on');
    const { code, err } = scratch.release('0.2.0');
    expect([code, err]).toEqual([1, expect.stringMatching(/v0\.2\.0 is another commit/)]);
  });

  it('as a publication of the folder itself', LIMIT, () => {
    refused(/publish the package in release/, '--refuse-publish');
    const { scripts } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8'));
    expect(scripts.prepublishOnly).toBe('node deploy/release.mjs --refuse-publish');
  });
});

it('the first version can be the one that stands there already', LIMIT, () => {
  expect(scratch.release('0.1.0')).toMatchObject({ code: 0 });
  expect(subjects()[0]).toBe('chore(release): 0.1.0');
});

it('every place of the version is in this repository as the script expects it', LIMIT, () => {
  const script = `
    const root = process.argv[1] + '/';
    const { VERSIONED_FILES, withVersion } = await import(root + 'deploy/release/version.mjs');
    const { readFileSync } = await import('node:fs');
    const { version: from } = JSON.parse(readFileSync(root + 'package.json', 'utf8'));
    for (const file of VERSIONED_FILES) withVersion(file, readFileSync(root + file, 'utf8'), { from, to: '9.9.9' });`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', script, PROJECT_ROOT]);
});
