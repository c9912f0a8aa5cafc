import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDraft } from '../../../../services/reviewer/check-draft.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { Packet } from '../../../../services/reviewer/packet/packet.ts';
import { settleClaim } from '../../../../services/reviewer/check/settle-claim.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import type { DraftFinding } from '../../../../shared/vocabulary/finding.ts';
import { createRedactor } from '../../../../shared/text/redact.ts';
import { claim, runId } from '../../../shared/rounds/builders.ts';
import { createReviewWorld, lookedAt, request, type ReviewWorld, textOf } from '../review-world.ts';

const redact = createRedactor([]);

const BASE = [
  'import { load, save } from "./store.js";', // 1
  'export function keep(order) {', // 2
  '  if (order === null) return null;', // 3
  '  const kept = load(order);', // 4
  '', // 5
  '  return kept;', // 6
  '}', // 7
];
/** Line 3 is gone, lines 4 to 6 are new. */
const HEAD = [
  ...BASE.slice(0, 2),
  '  const kept = load(order);', // 3
  '  save(kept);', // 4
  '  save(order.previous);', // 5
  '  save(order.next);', // 6
  '', // 7
  '  return kept;', // 8
  '}', // 9
];
const CALLER = ['import { keep } from "./keep.js";', 'keep(null);', '', 'const twice = 2;'];

let world: ReviewWorld;
let packet: Packet;

beforeAll(async () => {
  world = createReviewWorld();
  const base = world.commit({
    'src/keep.js': textOf(...BASE),
    'src/caller.js': textOf(...CALLER),
    'src/old-name.js': textOf('one();', 'two();', 'three();', 'four();', 'five();', 'six();', 'seven();'),
    'dos.js': 'a();\r\nb();\r\nc();\r\n',
    'end.js': 'first();\nlast();',
    'run.sh': 'echo\n',
  });
  const head = world.commit({
    'src/keep.js': textOf(...HEAD),
    'src/old-name.js': null,
    'src/new-name.js': textOf('one();', 'two();', 'three();', 'four(4);', 'five();', 'six();', 'seven();'),
    'dos.js': 'a();\r\nbb();\r\ncc();\r\n',
    'end.js': 'first();\nlast(1);',
    'b/deep.js': 'deep(1);\n',
  });
  packet = await buildPacket(request(base, head), world.source());
});
afterAll(() => world.dispose());

const at = (line: number, more: Partial<DraftFinding> = {}): DraftFinding =>
  claim({ path: 'src/keep.js', startLine: line, line, ...more });

const settle = async (given: DraftFinding) => settleClaim(given, { ...packet, redact });

describe('F-C10: what our own output prints is understood back', () => {
  test.each<[string, Partial<DraftFinding>]>([
    ['as it is', { evidence: '  save(order.previous);' }],
    ['with the number of the annotated diff', { evidence: '+5:  save(order.previous);' }],
    ['with the number and no sign', { evidence: '5:  save(order.previous);' }],
    ['with the number of Read', { evidence: '5\t  save(order.previous);' }],
    ['with the sign of a diff', { evidence: '+  save(order.previous);' }],
    ['in a fence', { evidence: '```js\n  save(order.previous);\n```' }],
    ['in a fence, with numbers', { evidence: '```\n+5:  save(order.previous);\n+6:  save(order.next);\n```' }],
    ['in backticks', { evidence: '`save(order.previous);`' }],
    ['with the header of its hunk', { evidence: '@@ -1,7 +1,9 @@\n+  save(order.previous);' }],
    ['with both sides of a diff', { evidence: '-  if (order === null) return null;\n+  save(order.previous);' }],
    ['on a path with b/', { path: 'b/src/keep.js', evidence: 'save(order.previous);' }],
    ['on a path with a/', { path: 'a/src/keep.js', evidence: 'save(order.previous);' }],
  ])('%s', async (_name, patch) => {
    const { claim: settled, evidenced, fault } = await settle(at(5, { severity: 'P1', ...patch }));
    expect({ evidenced, fault, path: settled.path }).toEqual({ evidenced: true, fault: null, path: 'src/keep.js' });
    expect(settled.evidence).not.toMatch(/^[+\d`@]/m);
  });

  test('a folder that is called b keeps its name', async () => {
    const { claim: settled } = await settle(at(1, { path: 'b/deep.js', evidence: 'deep(1);' }));
    expect(settled.path).toBe('b/deep.js');
  });

  test.each<[string, Partial<DraftFinding>, RegExp]>([
    ['the text and the nearest line', { evidence: 'save(order.former);' }, /this text is not in .*nearest is line 5/],
    ['the file that may be meant', { path: 'lib/keep.js' }, /no file lib\/keep\.js .*did you mean src\/keep\.js/],
    ['the missing evidence', { evidence: '' }, /evidence is missing/],
    ['the untouched line', { path: 'src/caller.js', startLine: 2, line: 2, evidence: 'keep(null);' }, /not touch/],
  ])('the hint names %s', async (_name, patch, hint) => {
    expect((await settle(at(5, { severity: 'P1', ...patch }))).fault).toMatch(hint);
  });
});

describe('F-C9: a short quotation counts with the number of its line', () => {
  test.each<[string, Partial<DraftFinding>, boolean]>([
    ['a bracket on its line', { startLine: 9, line: 9, evidence: '}' }, true],
    ['a bracket as the diff prints it', { startLine: 9, line: 9, evidence: ' 9:}' }, true],
    ['a blank line', { startLine: 7, line: 7, evidence: '\n' }, true],
    ['a bracket on another line', { startLine: 8, line: 8, evidence: '}' }, false],
    ['a bracket behind the end', { startLine: 900, line: 900, evidence: '}' }, false],
    ['a bracket of the base', { side: 'old', startLine: 7, line: 7, evidence: '}' }, true],
  ])('%s', async (_name, patch, holds) => {
    const { evidenced, claim: settled } = await settle(at(1, { severity: 'P0', ...patch }));
    expect(evidenced).toBe(holds);
    if (holds) expect(settled.evidence).toContain('return kept;');
  });
});

describe('F-C7: the relation follows from the diff', () => {
  const removed = 'if (order === null) return null;';
  test.each<[string, Partial<DraftFinding>, DraftFinding['relation']]>([
    ['an added line', { line: 5, startLine: 5, relation: 'outside_diff' }, 'current_diff'],
    ['a removed line', { side: 'old', line: 3, startLine: 3, evidence: removed }, 'current_diff'],
    ['a range with a changed line in it', { startLine: 2, line: 4, evidence: '' }, 'current_diff'],
    ['a context line by itself', { line: 2, startLine: 2, evidence: BASE[1] ?? '' }, 'outside_diff'],
    ['a context line that quotes what went away', { line: 2, startLine: 2, evidence: removed }, 'current_diff'],
    [
      'a context line with a list that quotes what went away',
      { line: 2, startLine: 2, evidence: BASE[1] ?? '', quotes: [{ path: 'src/keep.js', line: 3, code: removed }] },
      'current_diff',
    ],
    [
      'a caller that quotes the changed line',
      { path: 'src/caller.js', line: 2, startLine: 2, evidence: removed },
      'required_by_current_diff',
    ],
    [
      'a caller that quotes itself and the changed line',
      {
        path: 'src/caller.js',
        line: 2,
        startLine: 2,
        evidence: 'keep(null);',
        quotes: [{ path: 'src/keep.js', line: 3, code: `-3:  ${removed}` }],
      },
      'required_by_current_diff',
    ],
    [
      'a caller that quotes seven characters of the change',
      {
        path: 'src/caller.js',
        line: 2,
        startLine: 2,
        evidence: 'keep(null);',
        quotes: [{ path: 'src/keep.js', line: null, code: 'save(k' }],
      },
      'outside_diff',
    ],
    [
      'a caller that quotes itself alone',
      { path: 'src/caller.js', line: 2, startLine: 2, evidence: 'keep(null);', relation: 'current_diff' },
      'outside_diff',
    ],
    [
      'a caller that only says that it is required',
      {
        path: 'src/caller.js',
        line: 4,
        startLine: 4,
        evidence: 'const twice = 2;',
        relation: 'required_by_current_diff',
      },
      'outside_diff',
    ],
    [
      'an untouched line of a renamed file',
      { path: 'src/new-name.js', line: 1, startLine: 1, evidence: 'one();' },
      'outside_diff',
    ],
    [
      'a changed line of a renamed file',
      { path: 'src/new-name.js', line: 4, startLine: 4, evidence: 'four(4);' },
      'current_diff',
    ],
    [
      'the old side of a renamed file',
      { path: 'src/new-name.js', side: 'old', line: 4, startLine: 4, evidence: 'four();' },
      'current_diff',
    ],
  ])('%s', async (_name, patch, relation) => {
    const said = patch.relation ?? 'current_diff';
    const { claim: settled } = await settle(at(5, { severity: 'P1', ...patch, relation: said }));
    expect(settled.relation).toBe(relation);
  });

  test('what a rule says about its own finding stands', async () => {
    const given = at(1, { rule: 'js-eval', relation: 'current_diff', evidence: '' });
    expect((await settle(given)).claim).toEqual(given);
  });
});

describe('F-B5: a suggestion survives a corrected place only where a click does what it shows', () => {
  const three = 'save(a);\nsave(b);\nsave(c);';
  test.each<[string, Partial<DraftFinding>, { readonly lines: readonly [number, number]; readonly kept: boolean }]>([
    [
      'three lines were named and one is quoted',
      { startLine: 1, line: 3, evidence: 'save(order.next);', suggestion: three },
      { lines: [6, 6], kept: false },
    ],
    [
      'as many lines are quoted whole',
      { startLine: 1, line: 3, evidence: HEAD.slice(3, 6).join('\n'), suggestion: three },
      { lines: [4, 6], kept: true },
    ],
    [
      'as many lines are quoted, one in part',
      { startLine: 1, line: 2, evidence: '(kept);\n  save(order.previous);', suggestion: 'x();\ny();' },
      { lines: [4, 5], kept: false },
    ],
    [
      'the named lines are quoted',
      { startLine: 6, line: 6, evidence: 'save(order.next);', suggestion: 'save(order.after);' },
      { lines: [6, 6], kept: true },
    ],
    [
      'the quotation is nowhere',
      { startLine: 6, line: 6, evidence: 'send(order.next);', suggestion: 'save(order.after);' },
      { lines: [6, 6], kept: false },
    ],
    [
      'the text repeats the line below',
      {
        startLine: 5,
        line: 5,
        evidence: 'save(order.previous);',
        suggestion: '  save(order.last);\n  save(order.next);',
      },
      { lines: [5, 5], kept: false },
    ],
    [
      'the text repeats the line above',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '  save(kept);\n  save(order.last);' },
      { lines: [5, 5], kept: false },
    ],
    [
      'the text is blank',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '  \n' },
      { lines: [5, 5], kept: false },
    ],
    [
      'the text is empty and deletes the line',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '' },
      { lines: [5, 5], kept: true },
    ],
    [
      'tabs and trailing blanks are part of it',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '\tsave(1);  ' },
      { lines: [5, 5], kept: true },
    ],
    [
      'a fence is part of it',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '/*\n```\n*/' },
      { lines: [5, 5], kept: true },
    ],
    [
      'the text is what stands there',
      { startLine: 5, line: 5, evidence: 'save(order.previous);', suggestion: '  save(order.previous);' },
      { lines: [5, 5], kept: false },
    ],
    [
      'the quotation was removed',
      { startLine: 5, line: 5, evidence: 'if (order === null) return null;', suggestion: 'x();' },
      { lines: [3, 3], kept: false },
    ],
    [
      'one line of a CRLF file',
      { path: 'dos.js', startLine: 2, line: 2, evidence: 'bb();', suggestion: 'b2();' },
      { lines: [2, 2], kept: true },
    ],
    [
      'two lines of a CRLF file',
      { path: 'dos.js', startLine: 2, line: 3, evidence: 'bb();', suggestion: 'b2();\nc2();' },
      { lines: [2, 3], kept: false },
    ],
    [
      'the last line without a line feed',
      { path: 'end.js', startLine: 2, line: 2, evidence: 'last(1);', suggestion: 'last(2);' },
      { lines: [2, 2], kept: true },
    ],
    [
      'a line of a renamed file',
      { path: 'src/new-name.js', startLine: 1, line: 1, evidence: 'four(4);', suggestion: 'four(5);' },
      { lines: [4, 4], kept: true },
    ],
    [
      'a number behind the end',
      { startLine: 900, line: 900, evidence: 'save(order.next);', suggestion: 'x();' },
      { lines: [6, 6], kept: true },
    ],
  ])('%s', async (_name, patch, expected) => {
    const { claim: settled } = await settle(at(1, { severity: 'P2', ...patch }));
    expect({ lines: [settled.startLine, settled.line], kept: settled.suggestion !== null }).toEqual(expected);
  });

  test('the draft, and with it ledger and marker, hold the corrected place', async () => {
    const given = at(1, { startLine: 1, line: 3, evidence: 'save(order.next);', suggestion: three });
    const draft = {
      summary: '',
      findings: [given],
      answers: [],
      omitted: [],
      spent: NOTHING_SPENT,
      exceeded: null,
      looked: lookedAt(packet),
    };
    const identity = { runId: runId('run'), review: 1, attempt: 1 };
    const { findings } = await checkDraft(identity, draft, { packet, redact });
    expect(findings).toMatchObject([
      { claim: { startLine: 6, line: 6, suggestion: null }, position: { start: { newLine: 6 }, end: { newLine: 6 } } },
    ]);
  });
});
