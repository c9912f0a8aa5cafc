import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { missingReport, packReport, unpackReport } from '../../../../shared/analyzers/ci/ci-report.ts';
import { MAX_REPORT_BYTES } from '../../../../shared/analyzers/report/report.ts';

it('is stored compressed and read back as it was', async () => {
  const text = `\uFEFF{"a":"ü"}${' '.repeat(100_000)}`;
  const packed = await packReport(text);
  expect(packed.length).toBeLessThan(2_000);
  expect((await unpackReport(packed))?.toString('utf8')).toBe(text);
});

it('is not read if it is damaged, or grows beyond the limit of a report', async () => {
  expect(await unpackReport('no gzip')).toBeNull();
  expect(await unpackReport((await packReport('x'.repeat(999))).slice(0, 20))).toBeNull();
  expect(await unpackReport(gzipSync(Buffer.alloc(MAX_REPORT_BYTES + 1)).toString('base64'))).toBeNull();
});

it('shortens a reason to what a verdict can hold', () => {
  expect(missingReport('x'.repeat(900))).toEqual({ v: 1, kind: 'missing', reason: 'x'.repeat(500) });
});
