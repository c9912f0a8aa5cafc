/** A checkout without some files of the commit, searched by the tools of a model. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGlobTool } from '../../../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../../../shared/agent/tools/read.ts';
import { createReferencesTool } from '../../../../shared/agent/tools/references.ts';
import { createWorkspaceFiles } from '../../../../shared/agent/tools/workspace-files.ts';
import type { Tool } from '../../../../shared/agent/tool.ts';
import { absentNotice, absentRemark } from '../../../../shared/workspace/tree/absent-files.ts';
import { openTreeIn } from '../../../../shared/workspace/tree/caged-tree.ts';
import { createCheckout, DEFAULT_CHECKOUT_CAPS } from '../../../../shared/workspace/tree/checkout.ts';
import type { CheckoutCaps } from '../../../../shared/workspace/tree/checkout-plan.ts';
import { renderWhoUses, whoUses } from '../../../../shared/workspace/tree/who-uses.ts';
import { createRevisions, type Revisions } from '../../../../shared/workspace/git/revisions.ts';
import { protect } from '../../agent/agent-run.ts';
import { createRepository, gitOf, never, type Repository, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let repository: Repository;
let revisions: Revisions;
beforeEach(() => {
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'work'));
  revisions = createRevisions(gitOf(repository));
  repository.write({
    'a/one.ts': 'keep();\n',
    'a/two.ts': `keep();${' '.repeat(200)}\n`,
    'b/logo.png': `\u0089PNG${'x'.repeat(200)}`,
    'b/three.ts': 'other();\n',
  });
});
afterEach(() => {
  revisions.close();
  folder.dispose();
});

const lay = async (caps: Partial<CheckoutCaps>) => {
  const from = { revisions, folder: join(folder.path, 'trees'), caps: { ...DEFAULT_CHECKOUT_CAPS, ...caps } };
  return createCheckout(from, repository.commit('head'), never());
};

type Tools = Readonly<Record<'grep' | 'glob' | 'references' | 'read', (input: unknown) => Promise<string>>>;

const toolsFor = async (caps: Partial<CheckoutCaps>): Promise<Tools> => {
  const tree = openTreeIn(null, await lay(caps));
  const files = createWorkspaceFiles(tree, protect);
  const use = (tool: Tool) => async (input: unknown) => {
    const result = await tool.execute(input, never());
    return 'text' in result ? result.text : result.kind;
  };
  return {
    grep: use(createGrepTool(files)),
    glob: use(createGlobTool(tree)),
    references: use(createReferencesTool(files)),
    read: use(createReadTool(files)),
  };
};

const SMALL = { maxFileBytes: 100 };
const ONE = 'not searched: 1 file (1: too large); what is not found here may be there';
const BOTH = 'not searched: 2 files (2: too large); what is not found here may be there';
const CUT = 'not searched: all files of the commit after the first 1; what is not found here may be there';

describe('a search in a checkout that lacks a file', () => {
  it('says so beside no match and beside matches', async () => {
    const { grep } = await toolsFor(SMALL);
    expect(await grep({ pattern: 'nowhere' })).toBe(`[no match]\n[${ONE}]`);
    expect(await grep({ pattern: 'keep', path: 'a' })).toBe(`a/one.ts:1: keep();\n[${ONE}]`);
  });

  it('says so for uses of a name', async () => {
    const { references } = await toolsFor(SMALL);
    expect(await references({ symbol: 'nowhere' })).toContain(`[${ONE}]`);
    const found = await whoUses(openTreeIn(null, await lay(SMALL)), 'nowhere', never());
    expect(found.kind === 'found' && renderWhoUses(found)).toContain(`Incomplete: ${ONE}.`);
  });

  it('says so for names of files, of binary files too', async () => {
    const { glob } = await toolsFor(SMALL);
    expect(await glob({ pattern: '*.png' })).toBe(`[no file matches]\n[${BOTH}]`);
  });

  it('says nothing where nothing is missing', async () => {
    const { grep, glob } = await toolsFor(SMALL);
    expect(await grep({ pattern: 'nowhere', path: 'b' })).toBe('[no match]');
    expect(await grep({ pattern: 'nowhere', path: 'a/one.ts' })).toBe('[no match]');
    expect(await glob({ pattern: '*.md', path: 'a' })).toContain('1 file');
    expect(await (await toolsFor({})).grep({ pattern: 'nowhere' })).toBe('[no match]');
  });

  it('gives the reason when the file is read', async () => {
    const { read } = await toolsFor(SMALL);
    expect(await read({ path: 'a/two.ts' })).toMatch(
      /^a\/two\.ts: a file of the commit that is not in this tree: too large \(\d+ bytes\)$/,
    );
    expect(await read({ path: 'a/none.ts' })).toBe('a/none.ts: not found; look for it with Glob');
  });
});

it('a search in the first files of a large commit says that there are more', async () => {
  const { grep, glob, read } = await toolsFor({ maxFiles: 1 });
  expect(await grep({ pattern: 'other' })).toBe(`[no match]\n[${CUT}]`);
  expect(await glob({ pattern: 'three.ts' })).toBe(`[no file matches]\n[${CUT}]`);
  expect(await read({ path: 'b/three.ts' })).toBe(`b/three.ts: not found; look for it with Glob; ${CUT}`);
});

it('a submodule is another repository, so none of its files is missing', async () => {
  const tree = repository.rawTree([{ mode: '160000', name: 'lib', objectId: 'a'.repeat(40) }]);
  const from = { revisions, folder: join(folder.path, 'trees') };
  const checkout = await createCheckout(from, repository.commitTree(tree), never());
  expect(checkout.skipped).toEqual([{ path: 'lib', reason: 'a submodule' }]);
  expect(checkout.absent).toEqual({ files: [], cutAfter: null });
});

it('reasons are counted, the most frequent first', () => {
  const reasons = ['too large (7 bytes)', 'one', 'too large (8 bytes)', 'two', 'three'];
  const files = reasons.map((reason, index) => ({ path: `${index}.ts`, reason }));
  expect(absentNotice({ files, cutAfter: 9 }, { folder: '', inText: true })).toBe(
    'not searched: all files of the commit after the first 9, and 5 files (2: too large; 1: one; 1: two; other reasons); what is not found here may be there',
  );
  expect(absentRemark({ files: [], cutAfter: null })).toBe(null);
  expect(absentRemark({ files, cutAfter: null })).toContain('(not searched: 5 files');
});
