import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../shared/config/load.ts';
import { parseDiff } from '../../../../shared/diff/parse/parse.ts';
import { mirrorAccessOf } from '../../../../shared/runtime/mirrors/mirror-access.ts';
import { openHeadIn, openMirrorOf } from '../../../../shared/workspace/mirror/open-head.ts';
import { renameLikenessAt } from '../../../../shared/runtime/mirrors/mirror-access.ts';
import { createFileForge, type FileForge } from '../../../support/file-forge.ts';
import { makeSettings } from '../../../support/settings.ts';
import { runId } from '../../rounds/builders.ts';
import { never } from '../repository.ts';

let forge: FileForge | null = null;
afterEach(() => {
  forge?.dispose();
  forge = null;
});

const configOf = (kind: 'forgejo' | 'gitea' | 'gitlab') => {
  const wish = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['acme/shop'], dataDir: '/nowhere' };
  const { toml, env } = makeSettings({ ...wish, kind });
  const loaded = loadConfig({ text: toml, folder: '/nowhere', env, needs: ['git_token'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const lines = (from: number, to: number, word: string) =>
  Array.from({ length: to - from }, (_, index) => `${word} ${from + index} of this file\n`);

/** Forty percent of the moved file is as it was. */
const openForge = () => {
  const opened = createFileForge({ 'old.txt': lines(0, 100, 'line').join('') }, {});
  const { repository } = opened;
  repository.git('rm', '--quiet', 'old.txt');
  repository.write({ 'new.txt': [...lines(0, 40, 'line'), ...lines(40, 100, 'other words')].join('') });
  const head = repository.commit('move');
  repository.git('update-ref', opened.briefOf(runId('move')).git.headRef, head);
  return { ...opened, head };
};

it('a fetch from the forge has the time limit of the configuration', () => {
  const config = configOf('forgejo');
  const longer = { ...config, mirrors: { ...config.mirrors, fetchTimeoutS: 1800 } };
  const limits = [config, longer].map((each) => [...mirrorAccessOf(each, process.env['PATH']).values()]);
  expect(limits.flat().map(({ fetchTimeoutMs }) => fetchTimeoutMs)).toEqual([600_000, 1_800_000]);
});

describe('files that are much changed when they are moved', () => {
  it.each([
    ['forgejo', 50],
    ['gitea', 50],
    ['gitlab', 30],
  ] as const)('GL9: are paired for %s from %i percent on', (kind, likeness) => {
    const config = configOf(kind);
    const access = mirrorAccessOf(config, process.env['PATH']);
    expect([...access.values()].map(({ renameLikeness }) => renameLikeness)).toEqual([likeness]);
    expect(renameLikenessAt(config, config.forges[0]?.id ?? '')).toBe(likeness);
    expect(renameLikenessAt(config, 'gone')).toBe(50);
  });

  it.each([
    [50, ['added', 'deleted']],
    [30, ['renamed']],
  ])('GL9: are read by a review as the forge pairs them, from %i percent on', async (renameLikeness, statuses) => {
    forge = openForge();
    const [access] = forge.mirrors.values();
    if (access === undefined) throw new Error('no access');
    const brief = forge.briefOf(runId('move'));
    const { changeRequest, git: source } = brief;
    const wanted = {
      changeRequest,
      source,
      head: forge.head,
      targetBranch: 'main',
      earlierHeads: [],
      evenIfMoved: false,
    };
    const mirror = await openMirrorOf(access, wanted, never());
    const opened = await openHeadIn(mirror, { ...access, renameLikeness }, wanted, never());
    if (opened.kind !== 'opened') throw new Error(opened.kind);
    const diff = await opened.revisions.diff({ target: forge.base, head: forge.head }, never());
    opened.revisions.close();
    if (diff.kind !== 'diff') throw new Error(diff.reason);
    expect(
      parseDiff(diff.patch)
        .files.map(({ status }) => status)
        .toSorted(),
    ).toEqual(statuses);
  });
});
