/** The report of a CI job as it is stored for a run: what guard has fetched and the reviewer reads. Untrusted data. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { CommitSha } from '../../vocabulary/ids.ts';
import { MAX_REPORT_BYTES } from '../report/report.ts';

const v = z.literal(1);

export const CiReport = z.discriminatedUnion('kind', [
  z.object({
    v,
    kind: z.literal('report'),
    /** The text, compressed, in base64: reports compress well, and Redis keeps them for a week. */
    gzip: z.string(),
    /** True if the job has failed. Many linters fail their job if they find problems. */
    failed: z.boolean(),
    /** The tip of the target branch that was merged into the head before the job ran; null if it ran on the head. */
    mergedWith: CommitSha.nullable(),
  }),
  /** `reason`: the rest of a sentence that begins with the name of the analyzer. */
  z.object({ v, kind: z.literal('missing'), reason: z.string().min(1).max(500) }),
]);
export type CiReport = z.output<typeof CiReport>;

export const missingReport = (reason: string): CiReport => ({ v: 1, kind: 'missing', reason: reason.slice(0, 500) });

export const packReport = async (text: string): Promise<string> =>
  (await promisify(gzip)(Buffer.from(text, 'utf8'))).toString('base64');

/** Null if the text is damaged or larger than a report may be. */
export const unpackReport = async (packed: string): Promise<Buffer | null> => {
  try {
    return await promisify(gunzip)(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_REPORT_BYTES });
  } catch {
    return null;
  }
};
