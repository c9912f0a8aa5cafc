import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../shared/rules/secrets/secret-ranges.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';
import { propertyRuns } from '../../support/deep.ts';
import { reviewFiles } from './review-files.ts';

const signal = new AbortController().signal;
const runs = propertyRuns(8, 100);
const TIMEOUT_MS = 300_000;

const javascript = STRUCTURAL_RULES.filter(({ languages }) => languages.includes('JavaScript')).flatMap(
  ({ examples }) => examples.map(({ code }) => code),
);

/** Files put together from the examples of all rules, with any line ending, and any of their lines changed. */
const someFile = fc
  .record({
    name: fc.constantFrom('a', 'ü b', 'c/ d', '-e', '.f'),
    pieces: fc.array(fc.constantFrom(...javascript), { minLength: 1, maxLength: 8 }),
    ending: fc.constantFrom('\n', '\r\n'),
    changed: fc.array(fc.nat({ max: 40 }), { maxLength: 20 }),
    cut: fc.boolean(),
  })
  .map(({ name, pieces, ending, changed, cut }) => {
    const text = pieces.join('').replaceAll('\n', ending);
    const lines = changed.map((line) => line + 1);
    return { path: `src/${name}.js`, text: cut ? text.trimEnd() : text, changedLines: new Set(lines) };
  });
const someFiles = fc.uniqueArray(someFile, { selector: ({ path }) => path, minLength: 1, maxLength: 3 });

const secrets = [
  ['gl', 'pat-', 'q7Zt9mWx2LkP4vBn8RsD'],
  ['gh', 'p_', 'q7Zt9mWx2LkP4vBn8RsD3yHc6JfG5q7Zt9mW'],
  ['postgres', '://app:', 'q7Zt9mWx2LkP@db.corp.net/app'],
].map((parts) => parts.join(''));
const someText = fc.array(
  fc.oneof(fc.constantFrom(...secrets), fc.constantFrom('\n', '\r\n', ' ', '"', "'", 'é👩‍👧'), fc.string()),
  {
    maxLength: 30,
  },
);

describe('the laws of the rules', () => {
  it(
    'cites, for every finding, a changed line as it stands in the file',
    async () => {
      await fc.assert(
        fc.asyncProperty(someFiles, async (files) => {
          const { findings } = await reviewFiles(files, signal);
          for (const { path, startLine, line, evidence, rule } of findings) {
            const file = files.find((candidate) => candidate.path === path);
            expect(file?.changedLines.has(line)).toBe(true);
            expect(startLine).toBe(line);
            const cited = evidence.split('\n');
            expect(cited.length).toBeLessThanOrEqual(3);
            const lines = (file?.text ?? '').split('\n').map((text) => text.replace(/\r$/, ''));
            if (!rule.startsWith('secret-')) expect(cited).toEqual(lines.slice(line - 1, line - 1 + cited.length));
          }
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'finds the same in whatever order the files come, and each thing once',
    async () => {
      await fc.assert(
        fc.asyncProperty(someFiles, async (files) => {
          const { findings } = await reviewFiles(files, signal);
          expect((await reviewFiles(files.toReversed(), signal)).findings).toEqual(findings);
          const keys = findings.map(({ path, line, rule }) => JSON.stringify([path, line, rule]));
          expect(new Set(keys).size).toBe(keys.length);
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'finds on some changed lines what it finds there when all lines changed',
    async () => {
      await fc.assert(
        fc.asyncProperty(someFile, async (file) => {
          const all = new Set(file.text.split('\n').map((_, index) => index + 1));
          const whole = (await reviewFiles([{ ...file, changedLines: all }], signal)).findings;
          const some = (await reviewFiles([file], signal)).findings;
          const missing = whole.filter(
            ({ line, rule }) =>
              file.changedLines.has(line) && !some.some((finding) => finding.line === line && finding.rule === rule),
          );
          expect(missing).toEqual([]);
        }),
        runs,
      );
    },
    TIMEOUT_MS,
  );

  it(
    'redacts every secret, keeps every line break, and has nothing left to redact',
    async () => {
      await fc.assert(
        fc.asyncProperty(someText, async (pieces) => {
          const text = pieces.join('\n');
          const redacted = await redactSecrets(text, signal);
          for (const secret of secrets) expect(redacted).not.toContain(secret);
          expect(redacted.split('\n')).toHaveLength(text.split('\n').length);
          expect(await redactSecrets(redacted, signal)).toBe(redacted);
        }),
        { ...runs, numRuns: runs.numRuns * 5 },
      );
    },
    TIMEOUT_MS,
  );
});
