import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseReport } from '../../../../shared/analyzers/report/parse-report.ts';
import { treePath } from '../../../../shared/analyzers/report/tree-path.ts';
import { AnalyzerFormat } from '../../../../shared/vocabulary/analyzer.ts';
import { propertyRuns } from '../../../support/deep.ts';

const formats = fc.constantFrom(...AnalyzerFormat.options);

const SEEDS = [
  '{"version":"2.1.0","runs":[{"tool":{"driver":{}},"results":[{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"}}}]}]}]}',
  '{"diagnostics":[{"message":"m","location":{"path":"a","range":{"start":{"line":1}}}}]}',
  '<checkstyle><file name="a"><error line="1" source="a.b" message="m"/></file></checkstyle>',
];

/** A report from which pieces were cut and into which pieces were put. */
const damaged = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(200), fc.nat(5), fc.string({ maxLength: 5 })), { maxLength: 4 }),
  )
  .map(([seed, cuts]) =>
    cuts.reduce((text, [at, count, put]) => text.slice(0, at) + put + text.slice(at + count), seed),
  );

it('never throws, and every result is a place inside of the tree', () => {
  fc.assert(
    fc.property(formats, fc.oneof(fc.string(), damaged, fc.json()), (format, text) => {
      const reading = parseReport(Buffer.from(text), { format, analyzer: 'lint', roots: ['/workspace'] });
      if (reading.kind === 'unreadable') {
        expect(reading.reason).toMatch(/^\w[^\n`<]{1,120}$/);
        return;
      }
      for (const { path, startLine, endLine, rule } of reading.results) {
        expect(path.split('/').every((name) => !['', '.', '..'].includes(name))).toBe(true);
        expect(startLine >= 1 && endLine >= startLine).toBe(true);
        expect(rule).toMatch(/^[A-Za-z0-9@._/:+-]{1,160}$/);
      }
    }),
    propertyRuns(1_000, 50_000),
  );
});

it('finds a path of the tree again, however a tool writes it', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9 _%#?äé+-]{1,8}$/);
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const encoded = (text: string): string => text.split('/').map(encodeURIComponent).join('/');
  fc.assert(
    fc.property(path, (given) => {
      const place = { roots: ['/copy', '/workspace'] };
      const written = [given, `./${given}`, `x/../${given}`, `/workspace/${given}`, `/copy//${given}`];
      const addresses = [`file:///workspace/${encoded(given)}`, `file:/copy/./${encoded(given)}`];
      for (const each of [...written, ...addresses]) expect(treePath(each, place)).toBe(given);
      for (const each of [`../${given}`, `/${given}`, `/workspacex/${given}`, `file:///${encoded(given)}`])
        expect(treePath(each, place)).toBeNull();
    }),
    propertyRuns(300, 10_000),
  );
});
