/** Whether the doctor tells that nobody would be called in a project. */
import { describe, expect, it } from 'vitest';
import { calledPeopleSeen } from '../../../../services/cli/doctor/called-people.ts';
import type { FileText, NameOwner } from '../../../../shared/forge/port-owners.ts';
import type { Project } from '../../../../shared/forge/port-facts.ts';
import { DIALECTS } from '../../../../shared/forge/kinds/forge-kind.ts';
import { look, standBench, world } from '../doctor-bench.ts';
import { never } from '../../../shared/workspace/repository.ts';

const PROJECT: Project = {
  id: 7,
  path: 'group/shop',
  webUrl: '',
  defaultBranch: 'main',
  unusable: null,
};

const NAMES: Readonly<Record<string, NameOwner>> = {
  ann: { kind: 'person', account: { id: 1, login: 'ann' } },
  team: { kind: 'group' },
  'group/team': { kind: 'group' },
};

type Wish = { readonly operators?: readonly string[]; readonly mentionGroups?: boolean };

const seen = async (file: FileText | null, { operators = [], mentionGroups = false }: Wish = {}) => {
  const read = {
    fetchFile: async ({ path }: { readonly path: string }) => (path === 'docs/CODEOWNERS' ? file : null),
    findName: async (name: string) => NAMES[name] ?? null,
  };
  const called = { syntax: DIALECTS.gitlab.codeOwners, operators, mentionGroups };
  const found = await calledPeopleSeen(called, { read, project: PROJECT }, never());
  return found.map(({ level, text }) => `${level}: ${text.replace('group/shop: ', '')}`);
};

const text = (content: string): FileText => ({ kind: 'text', text: content });

const NOBODY = expect.stringMatching(
  /^warn: if there are no code owners, operators\.logins or human reviewers, .* nobody is mentioned$/,
);
const NAMES_NOBODY = 'ok: docs/CODEOWNERS names nobody who may be mentioned';
const NAMES_PEOPLE = 'ok: docs/CODEOWNERS names people to mention when a person must decide';

describe('whom the doctor expects to be called', () => {
  it.each<readonly [string, FileText | null, Wish, readonly unknown[]]>([
    ['nobody without a file and operators', null, {}, [NOBODY]],
    ['operators', null, { operators: ['op'] }, []],
    ['a code owner', text('* @gone @ann'), {}, [NAMES_PEOPLE]],
    ['nobody whom the forge knows', text('* @gone'), {}, [NAMES_NOBODY, NOBODY]],
    ['no group', text('* @team @group/team'), {}, [NAMES_NOBODY, NOBODY]],
    ['a group that may be mentioned', text('* @group/team'), { mentionGroups: true }, [NAMES_PEOPLE]],
    ['operators beside a file without names', text('# none'), { operators: ['op'] }, [NAMES_NOBODY]],
    [
      'a code owner beside lines that are skipped',
      text('[bad\n* @ann'),
      {},
      ['warn: docs/CODEOWNERS: these lines cannot be read and are skipped: 1', NAMES_PEOPLE],
    ],
    [
      'nobody of a file that is too large',
      { kind: 'too_large' },
      {},
      ['warn: docs/CODEOWNERS is larger than 1048576 bytes, so no code owner is mentioned', NOBODY],
    ],
    ['nobody of a file that is not text', { kind: 'not_text' }, {}, [expect.stringContaining('is not text'), NOBODY]],
  ])('%s', async (_what, file, wish, expected) => {
    expect(await seen(file, wish)).toEqual(expected);
  });
});

describe('the doctor of a whole installation', () => {
  standBench();

  it('warns of a project whose chain ends with nobody, until somebody is named', async () => {
    const lines = async (nobody: boolean) =>
      (await look({ nobody })).filter(({ text: line }) => line.includes('must decide')).map(({ level }) => level);
    expect(await lines(true)).toEqual(['warn']);
    expect(await lines(false)).toEqual([]);
    const files = { CODEOWNERS: '.* @shop-team\n' };
    await world.forge.commitFiles({
      repo: 'shop-team/shop',
      branch: 'main',
      files,
      message: 'own',
      author: 'shop-team',
    });
    expect(await lines(true)).toEqual(['ok']);
  });
});
