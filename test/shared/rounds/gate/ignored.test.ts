import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { judgeDraft } from '../../../../shared/rounds/gate/judge-draft.ts';
import type { CheckedFinding } from '../../../../shared/rounds/model/draft.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import { IGNORED } from '../../../../shared/rounds/model/repository-rules.ts';
import type { DraftFinding } from '../../../../shared/vocabulary/finding.ts';
import type { Ignores } from '../../../../shared/vocabulary/ignores.ts';
import { propertyRuns } from '../../../support/deep.ts';
import * as make from '../builders.ts';

const ENTRY = { id: 'a'.repeat(16), rule: 'js-eval', fingerprint: null, path: 'gen/**' };
const ignores = (patch: Partial<Ignores> = {}): Ignores => ({ which: 'all', entries: [ENTRY], ...patch });

const found = (claim: Partial<DraftFinding> = {}, patch: Partial<CheckedFinding> = {}): CheckedFinding =>
  make.finding(patch, { severity: 'P2', rule: 'js-eval', path: 'gen/a.js', ...claim });

const gated = (findings: readonly CheckedFinding[], given: Ignores | undefined, threads: readonly Thread[] = []) => {
  const review = threads.length === 0 ? 1 : 2;
  const repository = { maxRounds: null, minSeverity: 'P3' as const, notes: [] };
  const draft = make.draft({
    review,
    findings: [...findings],
    repository: given === undefined ? repository : { ...repository, ignores: given },
  });
  const history = make.history({ threads, nextNumber: threads.length + 1 });
  return { draft, history, result: gate(draft, history, make.policy()) };
};

const isIgnored = (finding: CheckedFinding, given: Ignores): boolean =>
  gated([finding], given).result.dropped.some(({ reason }) => reason === IGNORED);

describe('an entry', () => {
  const print = make.print('claim');
  const byPrint = ignores({ entries: [{ ...ENTRY, rule: null, fingerprint: print }] });
  test.each<[string, CheckedFinding, Ignores, boolean]>([
    ['its rule under its path', found(), ignores(), true],
    ['a file in a folder below', found({ path: 'gen/x/y.js' }), ignores(), true],
    ['another path', found({ path: 'src/a.js' }), ignores(), false],
    ['another rule', found({ rule: 'js-eval-2' }), ignores(), false],
    ['a model, whose words are about the rule', found({ rule: null, title: 'js-eval' }), ignores(), false],
    ['its fingerprint', found({ rule: null }, { fingerprint: print }), byPrint, true],
    ['its fingerprint, by a rule', found({}, { fingerprint: print }), byPrint, true],
    ['its fingerprint elsewhere', found({ path: 'b.js' }, { fingerprint: print }), byPrint, false],
    ['another fingerprint', found({ rule: null }, { fingerprint: make.print('other') }), byPrint, false],
    ['a beginning of its fingerprint', found({ rule: null }, { fingerprint: print.slice(0, 16) }), byPrint, false],
    ['a critical finding', found({ severity: 'P0' }), ignores(), false],
    ['a critical finding outside', found({ severity: 'P0', relation: 'outside_diff' }), ignores(), false],
    ['a high one', found({ severity: 'P1' }), ignores(), true],
    ['a high one, where only others may', found({ severity: 'P1' }), ignores({ which: 'non_blocking' }), false],
    ['one that blocks', found({ blocking: true }), ignores({ which: 'non_blocking' }), false],
    ['one that does not block', found(), ignores({ which: 'non_blocking' }), true],
    [
      'a high one outside',
      found({ severity: 'P1', relation: 'outside_diff' }),
      ignores({ which: 'non_blocking' }),
      true,
    ],
    [
      'a high one outside without evidence, which prevents a pass',
      found({ severity: 'P1', relation: 'outside_diff' }, { evidenced: false }),
      ignores({ which: 'non_blocking' }),
      false,
    ],
    ['anything, where nothing may', found(), ignores({ which: 'off' }), false],
    [
      'a secret',
      found({ rule: 'secret-credential', severity: 'P2' }),
      ignores({ entries: [{ ...ENTRY, rule: 'secret-credential' }] }),
      false,
    ],
    [
      'the fingerprint of a secret',
      found({ rule: 'secret-credential' }, { fingerprint: print }),
      ignores({ entries: [{ ...ENTRY, rule: null, fingerprint: print }] }),
      false,
    ],
  ])('and %s', (_, finding, given, expected) => {
    expect(isIgnored(finding, given)).toBe(expected);
  });

  test('drops a finding with its own id, so that the finding is neither shown nor counted and does not block', () => {
    const { result, draft, history } = gated([found({ blocking: true })], ignores());
    expect(result).toMatchObject({ accepted: [], unverified: [] });
    expect(result.dropped).toEqual([{ title: found().claim.title, reason: IGNORED, entry: ENTRY.id }]);
    const { judgement, ledger } = judgeDraft({ facts: { head: draft.head }, history, draft, gated: result });
    expect(judgement.verdict).toBe('lgtm');
    expect(ledger.entries).toEqual([]);
  });

  test('silences only what it names: a finding with similar words is heard', () => {
    const model = found({ rule: null, severity: 'P3' }, { fingerprint: make.print('model') });
    const { result } = gated([found({ blocking: true }), model], ignores());
    expect(result.accepted.map(({ finding }) => finding.fingerprint)).toEqual([model.fingerprint]);
  });
});

describe('an open thread', () => {
  const finding = found({ blocking: true });
  const thread = (patch: Partial<Thread> = {}): Thread =>
    make.thread({ fingerprint: finding.fingerprint, rule: 'js-eval', severity: 'P2', place: finding.claim, ...patch });

  test('stays open and blocks, and its repeat counts as one, not as ignored', () => {
    const { result, draft, history } = gated([finding], ignores(), [thread()]);
    expect(result.dropped).toEqual([{ title: finding.claim.title, reason: 'repeats an open thread' }]);
    expect(result.left).toMatchObject([{ why: 'waits' }]);
    const { judgement } = judgeDraft({ facts: { head: draft.head }, history, draft, gated: result });
    expect(judgement.verdict).toBe('feedback');
  });

  test('that was only listed stays listed', () => {
    const listed = thread({ listed: true, blocking: false });
    const { result } = gated([found()], ignores(), [listed]);
    expect(result.accepted).toMatchObject([{ id: 'F-001' }]);
  });

  test('that an earlier attempt of this review posted is not left half-said', () => {
    const { result } = gated([finding], ignores(), [thread({ review: 2 })]);
    expect(result.accepted).toMatchObject([{ id: 'F-001', alreadySaid: true }]);
  });

  test('is not opened again by what is ignored', () => {
    const { result } = gated([found()], ignores(), [thread({ state: 'resolved', blocking: false })]);
    expect(result).toMatchObject({ accepted: [], reopened: [], dropped: [{ reason: IGNORED }] });
    const { result: settled } = gated([found({ severity: 'P1' })], ignores(), [thread({ state: 'vetoed' })]);
    expect(settled).toMatchObject({ accepted: [], raisedAgain: [], dropped: [{ reason: IGNORED }] });
  });
});

const RULES = ['js-eval', 'js-debugger', 'secret-aws', null] as const;
const PATHS = ['gen/a.js', 'src/a.js'] as const;
const TITLES = ['The result is never awaited', 'A lock is never released', 'Text is run as code'] as const;

const anyFinding = fc
  .record({
    severity: fc.constantFrom('P0', 'P1', 'P2', 'P3'),
    relation: fc.constantFrom('current_diff', 'outside_diff'),
    rule: fc.constantFrom(...RULES),
    path: fc.constantFrom(...PATHS),
    title: fc.constantFrom(...TITLES),
    blocking: fc.boolean(),
    line: fc.integer({ min: 1, max: 40 }),
    evidenced: fc.boolean(),
  })
  .map(({ evidenced, line, ...claim }) => make.finding({ evidenced }, { ...claim, line, startLine: line }));

const anyIgnores: fc.Arbitrary<Ignores> = fc.record({
  which: fc.constantFrom('off', 'non_blocking', 'all'),
  entries: fc
    .array(
      fc.oneof(
        fc.record({
          rule: fc.constantFrom('js-eval', 'js-debugger', 'secret-aws'),
          path: fc.constantFrom('**', 'gen/'),
        }),
        fc.record({ finding: anyFinding, path: fc.constantFrom('**', 'src/*') }),
      ),
      { maxLength: 6 },
    )
    .map((all) =>
      all.map((one, index) => ({
        id: index.toString(16).padStart(16, '0'),
        rule: 'rule' in one ? one.rule : null,
        fingerprint: 'finding' in one ? one.finding.fingerprint : null,
        path: one.path,
      })),
    ),
});

const isProtected = ({ claim }: CheckedFinding): boolean =>
  claim.severity === 'P0' || claim.rule?.startsWith('secret-') === true;

describe('whatever a project ignores', () => {
  test('every critical finding and every secret is heard that would be heard without it', () => {
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 8 }), anyIgnores, (findings, given) => {
        const heard = (which: Ignores | undefined) => {
          const { result } = gated(findings, which);
          return [...result.accepted, ...result.unverified].map(({ finding }) => finding).filter(isProtected);
        };
        expect(heard(given)).toEqual(expect.arrayContaining(heard(undefined)));
        const { result } = gated(findings, given);
        expect(result.dropped.filter(({ reason }) => reason === IGNORED).length).toBeLessThanOrEqual(
          findings.filter((finding) => !isProtected(finding)).length,
        );
      }),
      propertyRuns(500, 20_000),
    );
  });

  test('the verdict is the same where only non-blocking findings may be ignored', () => {
    fc.assert(
      fc.property(fc.array(anyFinding, { maxLength: 8 }), anyIgnores, (findings, given) => {
        const verdictWith = (which: Ignores | undefined) => {
          const { result, draft, history } = gated(findings, which);
          return judgeDraft({ facts: { head: draft.head }, history, draft, gated: result }).judgement.verdict;
        };
        const which = given.which === 'all' ? 'non_blocking' : given.which;
        expect(verdictWith({ ...given, which })).toBe(verdictWith(undefined));
      }),
      propertyRuns(500, 20_000),
    );
  });
});
