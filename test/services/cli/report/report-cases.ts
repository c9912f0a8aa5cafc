/** Results of every kind, for the tests of all formats. */
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';

const SHA = 'a'.repeat(40);
const ESC = String.fromCharCode(27);
/** Terminals start a control sequence at it like at ESC and a bracket. */
const CSI = String.fromCharCode(0x9b);

export type Finding = ReviewOutput['findings'][number];

export const finding = (patch: Partial<Finding> = {}): Finding => ({
  id: 'F-001',
  severity: 'P1',
  blocking: true,
  relation: 'current_diff',
  path: 'src/run.js',
  side: 'new',
  startLine: 3,
  line: 4,
  title: 'eval runs a computed string as code',
  body: 'Anyone who controls the string can run code.',
  evidence: 'eval(text)',
  suggestion: 'JSON.parse(text)',
  rule: 'js-eval',
  ...patch,
});

export const output = (patch: Partial<ReviewOutput> = {}): ReviewOutput =>
  ReviewOutput.parse({
    version: '0.1.0',
    runner: 'rules',
    commits: { head: SHA, target: SHA, mergeBase: SHA },
    verdict: 'feedback',
    summary: 'The built-in rules found 1 problem. Verdict feedback.',
    findings: [finding()],
    coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
    exceeded: null,
    spent: { turns: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0, wallMs: 0 },
    ...patch,
  });

const { id: _id, blocking: _blocking, ...unverified } = finding({ title: 'Not shown' });

export const CASES: readonly (readonly [string, ReviewOutput])[] = [
  ['no findings', output({ verdict: 'lgtm', findings: [], summary: 'Nothing found.' })],
  ['one finding', output()],
  ['a deleted line', output({ findings: [finding({ side: 'old', suggestion: null })] })],
  ['a path that is not ASCII', output({ findings: [finding({ path: 'src/größe 日本%.js' })] })],
  [
    'an escape sequence in a title',
    output({ findings: [finding({ title: `${ESC}[31mred${ESC}[0m \u202e & <b> "q"` })] }),
  ],
  [
    'control characters in every text',
    output({
      summary: `One ${CSI}2J problem\u0000.`,
      findings: [
        finding({
          title: `a\u0000b\u0007c\u0008d\u007fe${CSI}31mf\r\n<g>\ud800`,
          body: `${ESC}]0;title\u0007 and ${CSI}H\r\n]]> \ufffe`,
          suggestion: `one(${ESC}[2J)\ntwo(\u0000)`,
          path: `src/${ESC}[2J\u0007.js`,
          rule: null,
        }),
      ],
    }),
  ],
  [
    'a deleted file with a path that is not ASCII',
    output({ findings: [finding({ path: 'alt/é ü.js', side: 'old' })] }),
  ],
  ['a model', output({ runner: 'agent', findings: [finding({ rule: null }), finding({ id: 'F-002', rule: null })] })],
  ['the same twice', output({ findings: [finding(), finding({ id: 'F-002', startLine: 9, line: 9 })] })],
  ['no verdict', output({ verdict: 'inconclusive', findings: [], unverified: [unverified] })],
  [
    'a refuted claim',
    output({
      refuted: [
        { path: `src/${ESC}[2J.js`, line: 3, title: `lost\u0000 \u202e <b>`, evidence: `one(${CSI}2J)\ntwo('\`')` },
      ],
    }),
  ],
  [
    'every severity',
    output({
      findings: (['P0', 'P1', 'P2', 'P3'] as const).map((severity) => finding({ severity, blocking: severity < 'P2' })),
    }),
  ],
];
