/** What own rules find in the files of a change, and when they say that they could not look. */
import { describe, expect, it } from 'vitest';
import { Analysis, createCovers } from '../../../../shared/rules/model/analysis.ts';
import { applyRules, type FileToCheck } from '../../../../shared/rules/own/apply-rules.ts';
import { loadRules } from '../../../../shared/rules/own/load-rules.ts';
import type { RuleSet } from '../../../../shared/rules/own/own-rule.ts';

const signal = new AbortController().signal;

const rule = (id: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    id,
    language: 'JavaScript',
    severity: 'error',
    message: 'Do not call $CALLEE',
    note: 'Use a table.',
    rule: { pattern: '$CALLEE($ARG)' },
    constraints: { CALLEE: { regex: '^eval$' } },
    invalid: ['eval(a)'],
    ...more,
  });

const setOf = async (...rules: readonly string[]): Promise<RuleSet> =>
  loadRules(
    'acme',
    rules.map((text, index) => ({ path: `${index}.yml`, text })),
    signal,
  );

const changed = (path: string, text = 'const a = 1;\neval(a);\n'): FileToCheck => ({ path, text, rule: null });

const apply = async (set: RuleSet, ...files: readonly FileToCheck[]) =>
  applyRules(set, files, { signal, totalMs: 30_000 });

describe('a rule of its own', () => {
  it('reports a match with the metavariables of its message', async () => {
    expect(await apply(await setOf(rule('no-eval')), changed('a.js'))).toEqual({
      v: 1,
      ran: [{ name: 'acme', paths: ['a.js'], rules: ['acme/no-eval'] }],
      hits: [
        {
          rule: 'acme/no-eval',
          severity: 'P1',
          path: 'a.js',
          startLine: 2,
          endLine: 2,
          title: 'Do not call eval',
          body: 'Use a table.',
          suppressed: false,
        },
      ],
      failed: [],
    });
  });

  it('is not silenced by a comment of the change', async () => {
    const { hits } = await apply(await setOf(rule('no-eval')), changed('a.js', '// ast-grep-ignore\neval(a);\n'));
    expect(hits.map(({ startLine }) => startLine)).toEqual([2]);
  });

  it('reads the files of its language, scripts of components included', async () => {
    const files = [changed('a.js'), changed('b.py', 'eval(a)\n'), changed('c.vue', '<script>\neval(a)\n</script>\n')];
    const { hits, ran } = await apply(await setOf(rule('no-eval')), ...files);
    expect(hits.map(({ path, startLine }) => [path, startLine])).toEqual([
      ['a.js', 2],
      ['c.vue', 2],
    ]);
    expect(ran).toEqual([{ name: 'acme', paths: ['a.js', 'c.vue'], rules: ['acme/no-eval'] }]);
  });

  it('reads every YAML file', async () => {
    const set = await setOf(
      rule('no-latest', {
        language: 'yaml',
        rule: { pattern: 'image: $X' },
        constraints: {},
        message: 'x',
        invalid: ['image: a'],
      }),
    );
    const { hits } = await apply(set, changed('deploy/app.yml', 'image: a\n'));
    expect(hits.map(({ path }) => path)).toEqual(['deploy/app.yml']);
  });

  it('reads only what `files` names and `ignores` does not', async () => {
    const set = await setOf(rule('no-eval', { files: ['src/**'], ignores: ['src/old/**'] }));
    const { hits, ran } = await apply(set, changed('src/a.js'), changed('src/old/a.js'), changed('lib/a.js'));
    expect(hits.map(({ path }) => path)).toEqual(['src/a.js']);
    expect(ran.map(({ paths }) => paths)).toEqual([['src/a.js']]);
  });

  it('never reads the rules of the project', async () => {
    const set = await setOf(
      rule('any', {
        language: 'yaml',
        rule: { kind: 'block_mapping_pair' },
        constraints: {},
        message: 'x',
        invalid: ['a: 1'],
      }),
    );
    expect(await apply(set, changed('.fixpoint/rules/a.yml', 'a: 1\n'))).toEqual({
      v: 1,
      ran: [],
      hits: [],
      failed: [],
    });
  });

  it('reads code in the folder of the rules of the project', async () => {
    const { hits } = await apply(await setOf(rule('no-eval')), changed('.fixpoint/rules/a.js'));
    expect(hits.map(({ path }) => path)).toEqual(['.fixpoint/rules/a.js']);
  });

  it('has a title where its message is empty', async () => {
    const more = { rule: { pattern: 'foo($$$A)' }, constraints: {}, message: '$$$A', invalid: ['foo(a)'] };
    const analysis = await apply(await setOf(rule('foo', more)), changed('a.js', 'foo();\n'));
    expect(Analysis.parse(analysis).hits.map(({ title }) => title)).toEqual(['$$$A']);
  });

  it('with a long message, note and URL has a body within its limit', async () => {
    const more = { message: `$CALLEE\n${'m'.repeat(990)}`, note: 'n'.repeat(3_000), url: `https://${'u'.repeat(490)}` };
    const analysis = await apply(await setOf(rule('no-eval', more)), changed('a.js'));
    expect(Analysis.parse(analysis).hits.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^eval\nm{990}\n\nn{2000}[^]*_\(Cut here: .*\)_$/),
    ]);
  });

  it('reads the file of a thread of its source, and no other thread', async () => {
    const files = [
      { ...changed('a.js'), rule: 'acme/no-eval' },
      { ...changed('b.js'), rule: 'other/no-eval' },
    ];
    const { ran } = await apply(await setOf(rule('no-eval')), ...files);
    expect(ran.map(({ paths }) => paths)).toEqual([['a.js']]);
  });

  it('covers its own id only, so that a thread of a rule that is gone waits', async () => {
    const covers = createCovers(
      await apply(await setOf(rule('no-eval')), changed('a.js'), changed('b.py', 'eval(a)\n')),
    );
    expect([
      covers('acme/no-eval', 'a.js'),
      covers('acme/gone', 'a.js'),
      covers('project/no-eval', 'a.js'),
      covers('acme/no-eval', 'b.py'),
      covers('acme/no-eval', 'c.js'),
      covers(null, 'a.js'),
    ]).toEqual([true, false, false, false, false, false]);
  });
});

describe('a source with a mistake', () => {
  const broken = rule('wrong', { rule: { kind: 'nope' }, constraints: {} });

  it('has not looked at the files of that language, while its other rules still apply', async () => {
    const { hits, failed } = await apply(await setOf(broken, rule('no-eval')), changed('a.js'));
    expect(hits.map((hit) => hit.rule)).toEqual(['acme/no-eval']);
    expect(failed).toEqual([
      {
        name: 'acme',
        kind: 'rules',
        reason: 'have a mistake in `0.yml`: `acme/wrong` cannot be applied: Kind `nope` is invalid.',
      },
    ]);
  });

  it.each([
    ['another language', rule('wrong', { rule: { kind: 'nope' }, constraints: {} }), 'a.py', 0],
    ['a language that no rule can have', '- [', 'README.md', 0],
    ['any language, if that of the rule is not known', '- [', 'a.py', 1],
  ])('says so for a file of %s', async (_, text, path, count) => {
    const { failed } = await apply(await setOf(text), changed(path, 'x = 1\n'));
    expect(failed).toHaveLength(count);
  });

  it('does not keep a change from passing that only repairs the rules', async () => {
    expect((await apply(await setOf('- ['), changed('.fixpoint/rules/a.yml', 'id: x\n'))).failed).toEqual([]);
  });

  it('names a limited number of mistakes', async () => {
    const many = Array.from({ length: 30 }, (_, index) => rule(`w${index}`, { severity: 'fatal' }));
    const { failed } = await apply(await setOf(...many), changed('a.js'));
    expect(failed).toHaveLength(11);
    expect(failed.at(-1)?.reason).toBe('have 20 more problems');
  });
});

describe('a rule that matches too often or takes too long', () => {
  it('is a named omission, and reports a limited number of places', async () => {
    const set = await setOf(rule('everything', { rule: { kind: 'call_expression' }, constraints: {}, message: 'x' }));
    const { hits, failed } = await apply(set, changed('a.js', 'f(1);\n'.repeat(2_500)));
    expect(hits).toHaveLength(2_000);
    expect(failed).toEqual([{ name: 'acme', kind: 'rules', reason: 'found more than 2000 problems in the change' }]);
  });

  it('covers only the files whose places are all reported', async () => {
    const set = await setOf(rule('everything', { rule: { kind: 'call_expression' }, constraints: {}, message: 'x' }));
    const files = [changed('a.js', 'f(1);\n'), changed('b.js', 'f(1);\n'.repeat(2_500)), changed('c.js', 'f(1);\n')];
    const { hits, ran } = await apply(set, ...files);
    expect(hits).toHaveLength(2_000);
    expect(ran.map(({ paths }) => paths)).toEqual([['a.js']]);
  });

  it('is stopped, and the file counts as not checked', async () => {
    const before = { kind: 'expression_statement', stopBy: 'end' };
    const slow = {
      kind: 'expression_statement',
      follows: { ...before, follows: { ...before, follows: { ...before, has: { pattern: 'none()' } } } },
    };
    const set = await setOf(
      rule('slow', { rule: slow, constraints: {}, message: 'x', invalid: ['none();\na;\nb;\nc;'] }),
    );
    expect(set.problems).toEqual([]);
    const startedAt = performance.now();
    const { hits, ran, failed } = await applyRules(set, [changed('a.js', 'f(1);\n'.repeat(5_000))], {
      signal,
      totalMs: 500,
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect({ hits, ran }).toEqual({ hits: [], ran: [] });
    expect(failed.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^could not check `a\.js` \(the rules engine/),
    ]);
  });

  it('reads nothing without time, and says so', async () => {
    const { hits, ran, failed } = await applyRules(await setOf(rule('no-eval')), [changed('a.js'), changed('b.js')], {
      signal,
      totalMs: 0,
    });
    expect({ hits, ran }).toEqual({ hits: [], ran: [] });
    const reason = 'could not check `a.js` and 1 more files (there was no time left for these rules)';
    expect(failed).toEqual([{ name: 'acme', kind: 'rules', reason }]);
  });
});
