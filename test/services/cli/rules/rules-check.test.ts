import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkRulesIn } from '../../../../services/cli/rules/rules-check.ts';
import { UsageError } from '../../../../services/cli/terminal/usage-error.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.restoreAllMocks();
  folder.dispose();
});

const rule = (valid: string): string =>
  `id: no-eval\nlanguage: js\nmessage: No eval\nrule: { pattern: eval($A) }\ninvalid: ["eval(a)"]\nvalid: ["${valid}"]\n`;

const check = async (files: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, '..'), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
  const out: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out.push(String(text));
    return true;
  });
  const code = await checkRulesIn(folder.path);
  return [code, out.join('').replaceAll(`${folder.path}/`, '')];
};

it('ends with 0 if every rule can be used', async () => {
  const files = { 'a.yml': rule('f(a)'), 'deep/b.yaml': rule('f(a)').replace('no-eval', 'other'), 'notes.md': '- [' };
  expect(await check(files)).toEqual([0, '2 rules in 2 files can be used, 0 mistakes\n']);
});

it('ends with 1 and names the example that fails, and the line of a mistake', async () => {
  expect(await check({ 'a.yml': rule('eval(b)'), 'b.yml': rule('f(a)').replace('js', 'Klingon') })).toEqual([
    1,
    [
      'b.yml: line 2: `language`: expected one of JavaScript, TypeScript, Tsx, Python, Go, Java, Ruby, Php, Bash, CSharp, Rust, C, Cpp, Kotlin, Yaml',
      'a.yml: `project/no-eval` matches its example `valid[0]`',
      '0 rules in 2 files can be used, 2 mistakes',
      '',
    ].join('\n'),
  ]);
});

it('names a file that is too large or a link', async () => {
  symlinkSync('/etc/hostname', join(folder.path, 'link.yml'));
  const [code, out] = await check({ 'large.yml': '# x\n'.repeat(20_000), 'a.yml': rule('f(a)') });
  expect([code, out.split('\n')]).toEqual([
    1,
    [
      'large.yml: is larger than 64 KiB',
      'link.yml: is not a plain file',
      '1 rule in 1 file can be used, 2 mistakes',
      '',
    ],
  ]);
});

it('is bad usage for a folder that does not exist or holds no rule', async () => {
  await expect(checkRulesIn(join(folder.path, 'none'))).rejects.toThrow(UsageError);
  await expect(checkRulesIn(folder.path)).rejects.toThrow('contains no .yml file');
});
