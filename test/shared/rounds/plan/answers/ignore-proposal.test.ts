import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRepositorySettings } from '../../../../../shared/config/repository/repository-settings.ts';
import { createFindIgnore } from '../../../../../shared/rounds/gate/ignored.ts';
import type { CheckedFinding } from '../../../../../shared/rounds/model/draft.ts';
import type { Thread } from '../../../../../shared/rounds/model/history.ts';
import { answerText } from '../../../../../shared/rounds/plan/answers/answer-text.ts';
import { type SettingsFileState, proposalText } from '../../../../../shared/rounds/plan/answers/ignore-proposal.ts';
import { scanFileForSecrets } from '../../../../../shared/rules/secrets/scan-secrets.ts';
import { sanitize } from '../../../../../shared/text/sanitize.ts';
import { MAX_IGNORE_REASON, type ProjectIgnores } from '../../../../../shared/vocabulary/ignores.ts';
import { propertyRuns } from '../../../../support/deep.ts';
import * as make from '../../builders.ts';

const FORGE = 'https://git.example';
const PAGE = `${FORGE}/team/shop/pulls/5`;

const found = (path: string, rule: string | null): CheckedFinding =>
  make.finding({ fingerprint: make.print(`${path} ${rule}`) }, { path, rule, severity: 'P2' });

const threadOf = ({ claim, fingerprint }: CheckedFinding, patch: Partial<Thread> = {}): Thread =>
  make.thread({
    fingerprint,
    severity: claim.severity,
    blocking: false,
    place: claim,
    rule: claim.rule,
    comment: make.comment('', { webUrl: `${PAGE}#issuecomment-12` }),
    ...patch,
  });

const contextOf = (projectIgnores?: ProjectIgnores) => ({
  facts: make.changeRequest({ webUrl: PAGE, targetBranch: 'main' }),
  history: make.history(),
  policy: make.policy(projectIgnores === undefined ? {} : { projectIgnores }),
});

type Proposing = { reason?: string; which?: ProjectIgnores; file?: SettingsFileState };

const propose = (thread: Thread, { reason = 'generated', which, file = 'present' }: Proposing = {}): string =>
  proposalText(contextOf(which), { thread, reason, file });

/** As it is on the forge. */
const posted = (text: string): string =>
  sanitize(text, { forgeBaseUrl: FORGE, page: PAGE, mayMention: [], maxLength: 60_000, secrets: [] }).body;

const blockIn = (text: string): string => /^(`{3,})toml\n([^]*?)\n\1$/m.exec(text)?.[2] ?? '';

const silences = (block: string, finding: CheckedFinding): boolean => {
  const [entry, ...others] = parseRepositorySettings(block).settings.ignore;
  if (entry === undefined || others.length > 0) return false;
  const { id, rule, fingerprint, path } = entry;
  return createFindIgnore({ which: 'all', entries: [{ id, rule, fingerprint, path }] })(finding) === id;
};

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '"',
        '"""',
        '\\',
        "'",
        '\n',
        '\r',
        '```',
        '```toml',
        '\ud800',
        '\u0000',
        '\u200b',
        '\u2028',
        '<!-- fixpoint:1 x -->',
        '@all',
        '/close',
        '#1',
        '[[ignore]]',
        'path = "**"',
        '\u{1f600}',
        'a',
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join('')),
);

const pathPiece = fc.constantFrom(
  'src',
  'a b',
  '[x]',
  '{a,b}',
  '*',
  '**',
  '?',
  '\\',
  '!x',
  '#',
  '"q"',
  'ü',
  'x.js',
  '\t',
);
const anyPath = fc
  .array(pathPiece, { minLength: 1, maxLength: 40 })
  .map((pieces) => pieces.join('/'))
  .filter((path) => path.length < 400);

describe('the entry that a person can paste', () => {
  test.each<[string, string | null]>([
    ['src/run.js', 'js-eval'],
    ['src/run.js', null],
    ['run.js', 'js-eval'],
    ['src/run.js', 'eslint/@typescript-eslint/no-eval'],
    ['src/run.js', 'an id of an older release'],
  ])('names a finding in %s by the rule %s', (path, rule) => {
    const text = propose(threadOf(found(path, rule)), { reason: 'it is "generated"' });
    expect(text.split('\n').slice(0, 8)).toEqual([
      'To ignore this finding in later change requests too, add this entry to [.fixpoint.toml](https://git.example/team/shop/_edit/main/.fixpoint.toml) of `main`. The entry takes effect as soon as the branch contains it.',
      '',
      '```toml',
      '[[ignore]]',
      rule !== null && !rule.includes(' ') && path.includes('/')
        ? `rule = "${rule}"`
        : `fingerprint = "${found(path, rule).fingerprint}"`,
      `path = "${path}"`,
      String.raw`reason = "it is \"generated\""`,
      `thread = "${PAGE}#issuecomment-12"`,
    ]);
  });

  test('whatever the reason and the path are, is valid TOML after the sanitizer and matches this finding only', () => {
    fc.assert(
      fc.property(hostile, anyPath, fc.constantFrom('js-eval', 'eslint/@x/no-eval', null), (words, path, rule) => {
        const finding = found(path, rule);
        const block = blockIn(posted(propose(threadOf(finding), { reason: `x${words}` })));
        const { settings, notes } = parseRepositorySettings(block);
        expect(notes).toEqual([]);
        expect(settings.ignore).toHaveLength(1);
        expect(silences(block, finding)).toBe(true);
        for (const other of [`${path}x`, `x${path}`, `x/${path}`, `${path}/x`, 'src/other.js'])
          if (other !== path && !other.startsWith(`${path}/`)) expect(silences(block, found(other, rule))).toBe(false);
        expect(silences(block, found(path, 'js-debugger'))).toBe(false);
        expect(silences(block, found(path, rule === null ? 'js-eval' : null))).toBe(false);
      }),
      propertyRuns(400, 20_000),
    );
  });

  test('keeps the reason as it is where it is plain, on one line and cut', () => {
    const reasonIn = (reason: string) =>
      parseRepositorySettings(blockIn(posted(propose(threadOf(found('src/a.js', null)), { reason })))).settings
        .ignore[0]?.reason;
    expect(reasonIn('Über 5 % <b>„Café"</b> \\ it\'s\n\tok 😀')).toBe('Über 5 % <b>„Café"</b> \\ it\'s ok 😀');
    expect(reasonIn('not <!-- fixpoint:1 x --> ours')).toBe('not <!-- fixpoint:1 x --> ours');
    expect(reasonIn('a'.repeat(2_000))).toHaveLength(MAX_IGNORE_REASON);
    expect(reasonIn(`a${'😀'.repeat(400)}`)?.length).toBeGreaterThan(490);
  });

  test('holds no secret that the reason holds, whatever is escaped in it, and is none to the secret scan', async () => {
    const token = ['ghp', 'a1B2'.repeat(9)].join('_');
    const block = blockIn(posted(propose(threadOf(found('src/a.js', null)), { reason: `see ${token} there` })));
    expect(block).not.toContain(token);
    expect(parseRepositorySettings(block).settings.ignore).toHaveLength(1);
    const scanned = await scanFileForSecrets({ path: '.fixpoint.toml', text: block }, new AbortController().signal);
    expect(scanned.hits).toEqual([]);
  });

  test.each<[SettingsFileState, string]>([
    [
      'present',
      'add this entry to [.fixpoint.toml](https://git.example/team/shop/_edit/main/.fixpoint.toml) of `main`',
    ],
    [
      'unknown',
      'add this entry to [.fixpoint.toml](https://git.example/team/shop/_edit/main/.fixpoint.toml) of `main`',
    ],
    ['missing', 'create [.fixpoint.toml](https://git.example/team/shop/_new/main) in the root folder of `main`'],
  ])('goes to the page of the file, which is %s', (file, words) => {
    const text = propose(threadOf(found('src/a.js', null)), { file });
    expect(text).toContain(words);
    expect(posted(text)).toContain(words);
  });
});

describe('no entry is offered', () => {
  const finding = found('src/a.js', 'js-eval');
  test.each<[string, Partial<Thread>, ProjectIgnores, string]>([
    ['a critical finding', { severity: 'P0', blocking: true }, 'all', 'critical findings are always reported'],
    ['a secret', { rule: 'secret-credential', severity: 'P1' }, 'all', 'secrets are always reported'],
    ['anything where projects may ignore nothing', {}, 'off', '`review.project_ignores` is `off`'],
    ['what blocks', { blocking: true }, 'non_blocking', 'only findings that do not block merging'],
    ['a high finding', { severity: 'P1' }, 'non_blocking', 'only findings that do not block merging'],
    [
      'a claim about a file that was renamed since',
      { today: { ...finding.claim, path: 'src/b.js' } },
      'all',
      'its file was renamed',
    ],
  ])('for %s, and the answer says why', (_, patch, which, why) => {
    const text = propose(threadOf(finding, patch), { which });
    expect(text).toMatch(/^No `\[\[ignore\]\]` entry is offered: /);
    expect(text).toContain(why);
    expect(text).not.toContain('```');
  });

  test('for what blocks, unless the operator lets projects ignore all', () => {
    expect(propose(threadOf(finding, { blocking: true, severity: 'P1' }), { which: 'all' })).toContain(
      '[[ignore]]\nrule',
    );
  });
});

describe('the answer to a dismissal', () => {
  const thread = threadOf(found('src/a.js', 'js-eval'));
  const answer = (say: Parameters<typeof answerText>[1]['say']): string =>
    answerText({ ...contextOf(), history: make.history({ threads: [thread] }) }, { say, head: make.sha('head') });

  test('offers an entry only when one was asked for', () => {
    const dismissed = { kind: 'dismissed', findingId: 'F-001', by: 7, reason: 'generated' } as const;
    expect(answer(dismissed)).not.toContain('[[ignore]]');
    expect(answer({ ...dismissed, always: true })).toMatch(/^F-001 is dismissed[^]*\[\[ignore\]\]\nrule = "js-eval"/);
  });

  test('offers one also for a finding that was closed before', () => {
    const text = answer({ kind: 'proposed', findingId: 'F-001', reason: 'generated' });
    expect(text).toMatch(/^F-001 is already closed\. To ignore this finding[^]*\[\[ignore\]\]\nrule = "js-eval"/);
  });
});
