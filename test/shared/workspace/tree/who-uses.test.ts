import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LineRole, roleOfLine } from '../../../../shared/workspace/tree/definition.ts';
import { looksLikeTest } from '../../../../shared/workspace/tree/known-tests.ts';
import { openTree } from '../../../../shared/workspace/tree/tree.ts';
import { renderWhoUses, whoUses } from '../../../../shared/workspace/tree/who-uses.ts';
import { writeFiles } from '../folder.ts';
import { never, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'root');
  mkdirSync(root);
});
afterEach(() => folder.dispose());

describe('whoUses', () => {
  it('tells definitions, callers and tests apart, in several languages', async () => {
    writeFiles(root, {
      'src/total.ts': 'export const total = (xs: number[]) => xs.length;\nconst totals = 1;\n',
      'src/cart.ts': "import { total } from './total.ts';\nshow(total(items));\n",
      'test/total.test.ts': 'expect(total([])).toBe(0);\n',
      'lib/pay.py': 'def total(xs):\n    return 0\n\nprint(total([]), subtotal)\n',
    });
    const answer = await whoUses(openTree(root), 'total', never());
    const places =
      answer.kind === 'found'
        ? answer.sections.map(({ heading, uses }) => [heading, uses.map((use) => `${use.path}:${use.line}`)])
        : [];
    expect(places).toEqual([
      ['Callers', ['lib/pay.py:4', 'src/cart.ts:1', 'src/cart.ts:2']],
      ['Tests', ['test/total.test.ts:1']],
      ['Type Definitions', ['lib/pay.py:1', 'src/total.ts:1']],
    ]);
  });

  it('takes whole words only, and a dollar for a part of a word', async () => {
    writeFiles(root, { 'a.js': 'run(); $run(); run$(); rerun(); x.run;run\n', 'b.js': '$run()\n', 'c.js': 'runner\n' });
    const paths = async (symbol: string) => {
      const answer = await whoUses(openTree(root), symbol, never());
      return answer.kind === 'found'
        ? answer.sections.flatMap(({ uses }) => uses.map(({ path }) => path))
        : answer.reason;
    };
    expect(await paths('run')).toEqual(['a.js']);
    expect(await paths('$run')).toEqual(['a.js', 'b.js']);
  });

  it.each(['', 'a b', 'a.b', '-e', '1a', 'a\nb', '.*', 'x'.repeat(300)])('refuses %j', async (symbol) => {
    expect(await whoUses(openTree(root), symbol, never())).toEqual({ kind: 'refused', reason: 'not an identifier' });
  });

  it('renders notes, and says when they are incomplete', async () => {
    writeFiles(root, { 'a.ts': "import { f } from 'b';\n  f();\n", 'b.ts': 'f();\n'.repeat(500) });
    const answer = await whoUses(openTree(root), 'f', never());
    const text = answer.kind === 'found' ? renderWhoUses(answer) : '';
    expect(text).toContain("## Callers\n\n- a.ts:1: import { f } from 'b'; (import)\n- a.ts:2: f();\n");
    expect(text).toContain('## Tests\n\nNone found for f.\n');
    expect(text).toMatch(/Incomplete: .*\.\n$/);
  });
});

describe('roleOfLine', () => {
  const table: readonly (readonly [string, string, LineRole])[] = [
    ['a.ts', 'export class it {', 'type_definition'],
    ['a.ts', 'export type it = string;', 'type_definition'],
    ['a.ts', 'export async function it(a: string) {', 'definition'],
    ['a.ts', '  private async it(a: string): Promise<void> {', 'definition'],
    ['a.ts', 'export const it = 1;', 'definition'],
    ['a.ts', '  it(a);', 'use'],
    ['a.ts', 'const other = it;', 'use'],
    ['a.ts', 'const item = it(1);', 'use'],
    ['a.ts', "import { it } from 'x';", 'import'],
    ['a.ts', "export { it } from './x.ts';", 'import'],
    ['a.py', 'class it(Base):', 'type_definition'],
    ['a.py', '    async def it(self):', 'definition'],
    ['a.py', 'it = 1', 'definition'],
    ['a.py', 'it == 1', 'use'],
    ['a.py', '    it = 1', 'use'],
    ['a.py', 'from a import it', 'import'],
    ['a.go', 'func (s *S) it(a int) error {', 'definition'],
    ['a.go', 'type it struct {', 'type_definition'],
    ['a.go', '\terr := it(1)', 'use'],
    ['a.rs', 'pub fn it<T>(a: T) {', 'definition'],
    ['a.rs', 'pub struct it;', 'type_definition'],
    ['a.rs', 'use crate::it;', 'import'],
    ['A.java', '    public static List<String> it(int a) {', 'definition'],
    ['A.java', '        return it(a);', 'use'],
    ['A.kt', 'data class it(val a: Int)', 'type_definition'],
    ['A.kt', 'fun String.it() = 1', 'definition'],
    ['a.rb', '  def self.it(a)', 'definition'],
    ['a.php', 'public function it($a)', 'definition'],
    ['a.c', 'static int it(int a)', 'definition'],
    ['a.c', 'char *it(void) {', 'definition'],
    ['a.c', '#define it 1', 'definition'],
    ['a.h', 'struct it {', 'type_definition'],
    ['a.c', '  x = it(1);', 'use'],
    ['a.unknown', 'class it', 'use'],
  ];
  it.each(table)('%s: %s is a %s', (path, line, expected) => {
    expect(roleOfLine(path, line, 'it')).toBe(expected);
  });
});

describe('isTestPath', () => {
  const table: readonly (readonly [string, boolean])[] = [
    ['test/a.ts', true],
    ['src/__tests__/a.js', true],
    ['src/a.test.ts', true],
    ['src/a_test.go', true],
    ['test_a.py', true],
    ['src/ATest.java', true],
    ['spec/a_spec.rb', true],
    ['src/contest.ts', false],
    ['src/latest/a.ts', false],
    ['src/testing.ts', false],
  ];
  it.each(table)('%s: %s', (path, expected) => {
    expect(looksLikeTest(path)).toBe(expected);
  });
});
