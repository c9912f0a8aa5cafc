import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protectDiff } from '../../../shared/agent/prompt/protect-diff.ts';
import { annotate } from '../../../shared/diff/annotate/annotate.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { createTempRepository, diffTexts, type TempRepository } from '../diff/temp-repository.ts';
import { writeFiles } from '../workspace/folder.ts';
import { never, protect } from './agent-run.ts';

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const line = (word: string): string => `-----${word} ${['RSA', 'PRIVATE', 'KEY'].join(' ')}-----`;
/** Long enough for a hunk to show only its middle. */
const key = (change: string): string =>
  [line('BEGIN'), ...Array.from({ length: 14 }, (_, index) => (index === 7 ? change : BODY)), line('END'), ''].join(
    '\n',
  );
const code = (change: string): string => `function outer() {\n${'  line();\n'.repeat(9)}  ${change};\n}\n`;
const token = ['glpat', 'x9Kq2mV7bT4nR8sW1zYc'].join('-');

let repository: TempRepository;
const texts = new Map<string, string>();
let patch: Buffer = Buffer.alloc(0);

beforeAll(() => {
  repository = createTempRepository();
  const before = {
    'code.ts': code('x'),
    'key.pem': key(BODY),
    'a.ts': `const a = 1;\nconst t = '${token}';\n`,
    'plain.ts': 'one\ntwo\n',
  };
  const after = {
    'code.ts': code('y'),
    'key.pem': key(BODY.toLowerCase()),
    'a.ts': 'const a = 2;\n',
    'plain.ts': 'one\nzwei\n',
  };
  writeFiles(repository.folder, before);
  const from = repository.commit('before');
  writeFiles(repository.folder, after);
  const to = repository.commit('after');
  patch = diffTexts(repository, from, to);
  for (const [path, text] of Object.entries(before)) texts.set(`base ${path}`, text);
  for (const [path, text] of Object.entries(after)) texts.set(`head ${path}`, text);
});
afterAll(() => repository.dispose());

const shown = async (known: boolean): Promise<string> => {
  const { files } = parseDiff(patch);
  const read = (side: string) => async (path: string) => (known ? (texts.get(`${side} ${path}`) ?? null) : null);
  const safe = await protectDiff(files, { headText: read('head'), baseText: read('base'), protect }, never);
  return annotate(safe, { maxBytes: 1_000_000 }).text;
};

describe('a diff for a model', () => {
  it('shows no line of a key of which the hunk has only the middle, on neither side', async () => {
    const whole = annotate(parseDiff(patch).files, { maxBytes: 1_000_000 }).text;
    expect(whole).toContain(BODY);
    expect(whole).not.toContain(line('BEGIN'));
    const text = await shown(true);
    expect(text).not.toContain(BODY);
    expect(text).not.toContain(BODY.toLowerCase());
    expect(text).toContain('@@ -6,7 +6,7 @@\n 6 6:[redacted]\n');
    expect(text).toContain('-9 :[redacted]\n+ 9:[redacted]\n');
  });

  it('shows no token, also when the files cannot be had', async () => {
    for (const known of [true, false]) expect(await shown(known)).not.toContain(token);
    expect(await shown(false)).toContain("-2 :const t = '[redacted]';");
  });

  it('leaves everything else as it is, numbers included', async () => {
    const whole = annotate(parseDiff(patch).files, { maxBytes: 1_000_000 }).text;
    const section = (text: string): string => text.slice(text.indexOf('=== plain.ts'));
    expect(section(await shown(true))).toBe(section(whole));
    expect(await shown(true)).toContain('@@ -8,5 +8,5 @@ function outer() {\n');
    expect(section(whole)).toContain('-2 :two\n+ 2:zwei');
    expect((await shown(true)).split('\n')).toHaveLength(whole.split('\n').length);
  });
});
