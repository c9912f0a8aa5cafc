import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDraft } from '../../../../services/reviewer/check-draft.ts';
import { buildPacket } from '../../../../services/reviewer/packet/build-packet.ts';
import type { Packet } from '../../../../services/reviewer/packet/packet.ts';
import { settleClaim } from '../../../../services/reviewer/check/settle-claim.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { readDraftFinding } from '../../../../shared/agent/submission/read-finding.ts';
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
    'many.js': textOf('go();', '', 'stop();', 'a();', 'b();', 'c();', 'go();', ...Array(20).fill(''), 'stop();'),
  });
  const head = world.commit({
    'src/keep.js': textOf(...HEAD),
    'src/old-name.js': null,
    'many.js': textOf('go();', '', 'stop();', 'a();', 'b();', 'c();', 'stop();', ...Array(20).fill(''), 'stop();'),
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

/** A finding as a model gives it. */
const givenAs = (patch: object): { readonly finding: DraftFinding } => {
  const given = { path: 'src/keep.js', line: 5, severity: 'P1', title: 't', body: 'b', ...patch };
  const read = readDraftFinding(given);
  if (read.kind !== 'finding') throw new Error(read.reason);
  return read;
};

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
    expect((await settle(at(5, { severity: 'P1', ...patch }))).fault).toMatchObject({
      text: expect.stringMatching(hint),
      binding: true,
    });
  });
});

describe('F-W2: line and side follow from the evidence', () => {
  const removed = 'if (order === null) return null;';
  const many = { path: 'many.js', evidence: 'stop();' };
  test.each<[string, Partial<DraftFinding>, readonly [DraftFinding['side'], number, number]]>([
    ['a neighbouring line', { startLine: 4, line: 4, evidence: 'save(order.previous);' }, ['new', 5, 5]],
    ['a line beyond the end of the file', { startLine: 9000, line: 9000, evidence: 'save(kept);' }, ['new', 4, 4]],
    ['a range beyond the end of the file', { startLine: 500, line: 510, evidence: 'save(kept);' }, ['new', 4, 4]],
    ['the number of a removed line without its side', { startLine: 3, line: 3, evidence: removed }, ['old', 3, 3]],
    ['a removed line with another number', { startLine: 7, line: 7, evidence: removed }, ['old', 3, 3]],
    [
      'two lines that were joined',
      { startLine: 1, line: 1, evidence: 'save(order.previous); save(order.next);' },
      ['new', 5, 6],
    ],
    ['the nearest of several matches', { ...many, startLine: 4, line: 4 }, ['new', 3, 3]],
    ['the nearest of several matches, below', { ...many, startLine: 6, line: 6 }, ['new', 7, 7]],
    ['the one in the diff when the number is far from all', { ...many, startLine: 60, line: 60 }, ['new', 7, 7]],
    [
      'the removed one of several matches on the old side',
      { ...many, side: 'old', startLine: 4, line: 4, evidence: 'go();' },
      ['old', 7, 7],
    ],
    ['the last line without any evidence', { startLine: 9000, line: 9000, evidence: '' }, ['new', 9, 9]],
    [
      'the lines that a P3 names',
      { severity: 'P3', startLine: 6, line: 6, evidence: '  save(order.next);' },
      ['new', 6, 6],
    ],
    [
      'the quoted line of a P3',
      { severity: 'P3', startLine: 2, line: 2, evidence: '  save(order.next);' },
      ['new', 6, 6],
    ],
  ])('%s', async (_name, patch, expected) => {
    const { claim: settled } = await settle(at(1, { severity: 'P1', ...patch }));
    expect([settled.side, settled.startLine, settled.line]).toEqual(expected);
  });

  test('a suggestion is dropped when several places are as likely', async () => {
    const { claim: settled } = await settle(at(4, { ...many, startLine: 5, line: 5, suggestion: 'halt();' }));
    expect(settled.suggestion).toBeNull();
  });

  test('a P1 whose evidence is nowhere is refused with the nearest place', async () => {
    const { fault } = await settle(at(9000, { severity: 'P1', evidence: 'save(order.following);' }));
    expect(fault).toMatchObject({
      binding: true,
      text: expect.stringContaining('the nearest is line 6: "save(order.next);"'),
    });
  });
});

describe('F-W3: what our own output prints is understood back', () => {
  const [lead, P1] = ['  save(order.previous);', { severity: 'P1' }] as const;
  test.each<[string, Partial<DraftFinding>]>([
    ['two columns, an added line', { ...P1, evidence: `+ 5:${lead}` }],
    ['two columns, an unchanged line', { ...P1, evidence: ` 4 5:${lead}` }],
    ['two columns, both sides', { ...P1, evidence: `-3 :  if (order === null) return null;\n+ 5:${lead}` }],
    ['two columns in a fence', { ...P1, evidence: `\`\`\`diff\n+ 5:${lead}\n\`\`\`` }],
    ['a slash in front of the path', { ...P1, path: '/src/keep.js', evidence: lead }],
  ])('evidence: %s', async (_name, patch) => {
    const { finding } = givenAs({ ...patch });
    const { claim: settled, evidenced, fault } = await settle(finding);
    expect({ evidenced, fault, path: settled.path }).toEqual({ evidenced: true, fault: null, path: 'src/keep.js' });
  });

  test.each<[string, string, string | null]>([
    ['as it is', '  save(order.former);', '  save(order.former);'],
    ['in a fence', '```js\n  save(order.former);\n```', '  save(order.former);'],
    ['with the number of Read', '5\t  save(order.former);', '  save(order.former);'],
    ['with the number of the diff', '+5:  save(order.former);', '  save(order.former);'],
    ['with two columns', '+ 5:  save(order.former);', '  save(order.former);'],
    ['with what it replaces', '-5:  save(order.previous);\n+5:  save(order.former);', '  save(order.former);'],
    ['as a diff', '-  save(order.previous);\n+  save(order.former);', '  save(order.former);'],
    ['of two numbered lines', '5:  one();\n6:  two();', '  one();\n  two();'],
  ])('a suggestion %s', async (_name, suggestion, expected) => {
    const { claim: settled } = await settle(at(5, { severity: 'P1', evidence: lead, suggestion }));
    expect(settled.suggestion).toBe(expected);
  });

  test.each<[string, string, DraftFinding['severity'], string]>([
    ['a P2', 'save(order.former);', 'P2', ''],
    ['a P3 with a word that is nowhere', 'x', 'P3', ''],
    ['a P1, which is shown as not verified', 'save(order.former);', 'P1', 'save(order.former);'],
  ])('a false quote is not repeated for %s', async (_name, evidence, severity, shown) => {
    expect((await settle(at(5, { severity, evidence }))).claim.evidence).toBe(shown);
  });

  test.each<[string, Partial<DraftFinding>, object | null]>([
    ['a P2 that blocks', { severity: 'P2', blocking: true }, { binding: true }],
    ['a P2 that does not block', { severity: 'P2' }, { binding: false }],
    ['a P3', { severity: 'P3' }, { binding: false }],
    [
      'a P2 that blocks on an untouched line, quoted as it is,',
      { path: 'src/caller.js', startLine: 2, line: 2, severity: 'P2', blocking: true, evidence: 'keep(null);' },
      null,
    ],
    ['a P3 without evidence', { severity: 'P3', evidence: '' }, null],
    ['a P3 on an unknown path', { severity: 'P3', path: 'fisch.js' }, { binding: true }],
  ])('%s with a false quote', async (_name, patch, expected) => {
    const { fault } = await settle(at(5, { evidence: 'save(order.former);', blocking: false, ...patch }));
    if (expected === null) expect(fault).toBeNull();
    else expect(fault).toMatchObject(expected);
  });
});

describe('F-W12: evidence of several places', () => {
  const given = (evidence: readonly object[]) =>
    givenAs({ path: 'src/caller.js', line: 2, severity: 'P1', title: 'Null is kept', body: 'b', evidence });

  test('a claim about an untouched line counts with the changed line that makes it wrong', async () => {
    const { finding } = given([
      { path: 'src/caller.js', line: 2, code: 'keep(null);' },
      { path: 'b/src/keep.js', line: 3, code: '-3 :  if (order === null) return null;' },
    ]);
    expect(await settle(finding)).toMatchObject({
      claim: { relation: 'required_by_current_diff', line: 2 },
      fault: null,
    });
  });

  test('a list without a quote of the own file is looked for where it says', async () => {
    const { finding } = given([{ path: 'src/keep.js', line: 3, code: 'if (order === null) return null;' }]);
    expect(await settle(finding)).toMatchObject({ evidenced: true, claim: { relation: 'required_by_current_diff' } });
  });

  test.each<[string, object, RegExp]>([
    [
      'is not there',
      { path: 'src/keep.js', line: 6, code: 'save(order.following);' },
      /not in src\/keep\.js .* line 6/,
    ],
    [
      'names no file',
      { path: 'keep.js', line: 6, code: 'save(kept);' },
      /no file keep\.js .*did you mean src\/keep\.js/,
    ],
  ])('a supporting quote that %s is named, and the claim stands', async (_name, quote, text) => {
    const { finding } = given([
      { path: 'src/caller.js', line: 2, code: 'keep(null);' },
      { path: 'src/keep.js', line: 3, code: 'if (order === null) return null;' },
      quote,
    ]);
    expect(await settle(finding)).toMatchObject({
      evidenced: true,
      fault: { binding: false, text: expect.stringMatching(text) },
    });
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
