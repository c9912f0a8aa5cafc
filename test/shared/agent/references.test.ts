import { beforeAll, describe, expect, it } from 'vitest';
import { createReferencesTool } from '../../../shared/agent/tools/references.ts';
import { createWorkspaceFiles } from '../../../shared/agent/tools/workspace-files.ts';
import { openTree } from '../../../shared/workspace/tree/tree.ts';
import { linkTo, writeFiles } from '../workspace/folder.ts';
import { never, newWorkspace, protect } from './agent-run.ts';

const TOKEN = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

let root = '';
beforeAll(() => {
  root = newWorkspace();
  writeFiles(root, {
    'src/keep.ts': 'export const keep = (order: Order) => {\n  return save(order);\n};\n',
    'src/shop.ts': [
      "import { keep } from './keep.ts';",
      'export class Shop {',
      '  close(order: Order): void {',
      '    if (order.open) {',
      '      keep(order);',
      '    }',
      '  }',
      '}',
      'keep(first);',
      '',
    ].join('\n'),
    'shop.py': 'def close(order):\n    keep(order)\n',
    'test/keep.test.ts': "it('keeps', () => {\n  keep(one);\n});\n",
    'src/secret.ts': `export const token = '${TOKEN}'; keep(token);\n`,
    'src/keeper.ts': 'keeper();\nkeep_all();\n',
    'many.ts': 'many();\n'.repeat(60),
    'logo.png': Buffer.concat([Buffer.from([1, 0, 2]), Buffer.from('\nkeep\n')]),
  });
  linkTo(root, 'out', '/etc');
});

const use = async (input: unknown) =>
  createReferencesTool(createWorkspaceFiles(openTree(root), protect)).execute(input, never);

describe('F-W6, F-W8: References', () => {
  it('lists definitions, uses and tests with the function around them', async () => {
    expect(await use({ symbol: 'keep' })).toEqual({
      kind: 'text',
      text: [
        'definitions: 1',
        'src/keep.ts:1: export const keep = (order: Order) => {',
        'uses: 5',
        'shop.py:2 (close): keep(order)',
        "src/secret.ts:1: export const token = '[redacted]'; keep(token);",
        "src/shop.ts:1 (import): import { keep } from './keep.ts';",
        'src/shop.ts:5 (close): keep(order);',
        'src/shop.ts:9: keep(first);',
        'tests: 1',
        'test/keep.test.ts:2 (it): keep(one);',
      ].join('\n'),
    });
  });

  it.each([
    ['by another name of the field', { name: 'keeper' }],
    ['with its call', { symbol: 'keeper()' }],
    ['with what it belongs to', { symbol: 'shop.keeper' }],
  ])('takes the name %s', async (_name, input) => {
    expect(await use(input)).toEqual({
      kind: 'text',
      text: 'definitions: none\nuses: 1\nsrc/keeper.ts:1: keeper();\ntests: none',
    });
  });

  it('says that there is none, or that there are more', async () => {
    expect(await use({ symbol: 'nowhere' })).toEqual({
      kind: 'text',
      text: 'definitions: none\nuses: none\ntests: none',
    });
    const result = await use({ symbol: 'many' });
    const lines = result.kind === 'text' ? result.text.split('\n') : [];
    expect(lines).toHaveLength(44);
    expect(lines).toContain('uses: 60');
    expect(lines).toContain('[20 more]');
  });

  it.each(['a b', '(a+)+$', '../x', ''])('refuses %j as a name', async (symbol) => {
    expect(await use({ symbol })).toMatchObject({ kind: 'failed' });
  });
});
