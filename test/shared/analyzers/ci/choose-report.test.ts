import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseReport, type ReportTimes } from '../../../../shared/analyzers/ci/choose-report.ts';
import type { ReportJob, ReportJobState } from '../../../../shared/forge/port-ci-reports.ts';

const WANTED = { job: 'sast' };
const job = (state: ReportJobState, createdAtMs = 1_000): ReportJob => ({
  name: 'sast',
  state,
  id: 7,
  projectId: 1,
  createdAtMs,
  mergedWith: null,
});
const TIMES: ReportTimes = { nowMs: 1_000, firstSeenMs: 1_000, graceMs: 60, deadlineMs: 500 };
const chooseAt = (
  nowMs: number,
  jobs: readonly ReportJob[],
  { hidden = false, ...times }: Partial<ReportTimes> & { hidden?: boolean } = {},
) => chooseReport(WANTED, { jobs, hidden }, { ...TIMES, nowMs, ...times });

describe('a report', () => {
  it.each(['passed', 'failed'] as const)('is taken from a job that has %s, at any time', (state) => {
    expect(chooseAt(1_000, [job(state)])).toEqual({ kind: 'take', job: job(state) });
    expect(chooseAt(99_000, [job(state)])).toEqual({ kind: 'take', job: job(state) });
  });

  it('of another job is not taken', () => {
    const other = { ...job('passed'), name: 'sast 2' };
    expect(chooseAt(1_000, [other])).toEqual({ kind: 'wait' });
    expect(chooseAt(1_060, [other])).toMatchObject({ kind: 'missing' });
  });

  it('is waited for while its job may still begin, and while it runs', () => {
    expect(chooseAt(1_059, [])).toEqual({ kind: 'wait' });
    expect(chooseAt(1_499, [job('open')])).toEqual({ kind: 'wait' });
  });

  it.each<[what: string, nowMs: number, jobs: readonly ReportJob[], hidden: boolean, reason: string]>([
    ['no job began', 1_060, [], false, 'this commit has no CI job "sast" that the bot\'s account can see'],
    ['its jobs are hidden', 1_060, [], true, "the bot's account may not see the CI jobs of this commit"],
    ['its job did not end', 1_500, [job('open')], false, 'the CI job "sast" did not end in time'],
    ['a person has to start its job', 1_000, [job('held')], false, 'the CI job "sast" waits for a person to start it'],
    ['its job did not run', 1_000, [job('not_run')], false, 'the CI job "sast" was skipped or cancelled'],
  ])('is missing if %s', (_, nowMs, jobs, hidden, reason) => {
    expect(chooseAt(nowMs, jobs, { hidden })).toEqual({ kind: 'missing', reason: `has no report: ${reason}` });
  });

  it('is waited for again if its job was started again', () => {
    expect(chooseAt(9_000, [job('open', 8_900)])).toEqual({ kind: 'wait' });
    expect(chooseAt(9_400, [job('open', 8_900)])).toMatchObject({ kind: 'missing' });
  });

  it('is not waited for when no time is given', () => {
    const none = { firstSeenMs: 0, graceMs: 0, deadlineMs: 0 };
    expect(chooseAt(0, [], none).kind).toBe('missing');
    expect(chooseAt(0, [job('open', 5_000)], none).kind).toBe('missing');
  });

  it('is waited for at most as long as the settings say after this clock has reached the other one', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(ms, ms, ms, ms, fc.boolean(), (firstSeenMs, createdAtMs, graceMs, deadlineMs, exists) => {
        const nowMs = Math.max(firstSeenMs, createdAtMs) + Math.max(graceMs, deadlineMs);
        const jobs = exists ? [job('open', createdAtMs)] : [];
        expect(chooseReport(WANTED, { jobs, hidden: false }, { nowMs, firstSeenMs, graceMs, deadlineMs }).kind).toBe(
          'missing',
        );
      }),
    );
  });
});
