import { expect, test } from 'vitest';
import { decideWithReports } from '../../../../services/guard/reports/decide-with-reports.ts';
import { AnalyzerSettings, isFromCi } from '../../../../shared/config/analyzer-settings.ts';
import { ForgeRequestError } from '../../../../shared/forge/errors.ts';
import type { ReportJobState } from '../../../../shared/forge/port-ci-reports.ts';
import { decide } from '../../../../shared/rounds/decide/decide.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import * as make from '../../../shared/rounds/builders.ts';
import { never } from '../../../shared/workspace/repository.ts';

const HEAD = make.sha('head');
const policy = make.policy();
const NOW = 1_000_000;

const analyzers = AnalyzerSettings.parse([
  { name: 'sast', from: 'ci-artifact', job: 'scan', artifact: 'a.sarif' },
]).filter(isFromCi);

const inputOf = (patch: Partial<DecideInput> = {}): DecideInput => ({
  state: make.state({ wanted: make.at(HEAD), firstSeen: { head: HEAD, atMs: NOW } }),
  events: [],
  facts: make.facts({ changeRequest: make.changeRequest({ head: HEAD }) }),
  policy: { ...policy, gate: { ...policy.gate, ciDeadlineMs: 600_000, ciGraceMs: 10_000 } },
  nowMs: NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const unavailable = () => {
  throw new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'no', disposition: { kind: 'retry' } });
};

const decideAt = async (input: DecideInput, state: ReportJobState | 'unknown', isConfigured = true) => {
  let looks = 0;
  const forge = {
    read: { fetchProject: async () => null },
    ciReports: {
      fetchCiJobs: async () => {
        looks += 1;
        if (state === 'unknown') return unavailable();
        const job = { name: 'scan', state, id: 1, projectId: 1, createdAtMs: 0, mergedWith: null };
        return { jobs: [job], hidden: false };
      },
      fetchArtifact: async () => ({ kind: 'absent' }) as const,
    },
  };
  const { changeRequest: of } = make.changeRequest();
  const decision = await decideWithReports(input, {
    analyzers: isConfigured ? analyzers : [],
    forge,
    of,
    signal: never(),
  });
  return { decision, looks };
};

test('a review that would begin waits for the job, and looks again', async () => {
  const { decision, looks } = await decideAt(inputOf(), 'open');
  expect(looks).toBe(1);
  expect(decision.state.wanted?.head).toBe(HEAD);
  expect(decision.state.outbox.map(({ kind }) => kind)).toContain('schedule');
  expect(decision.state.outbox.map(({ kind }) => kind)).not.toContain('acquire_slot');
});

test('a head that was never seen waits for a forge that cannot list its jobs, and the time of that look is kept', async () => {
  const first = await decideAt(inputOf({ state: make.state({ wanted: make.at(HEAD) }) }), 'unknown');
  expect(first.decision.state.firstSeen).toEqual({ head: HEAD, atMs: NOW });
  expect(first.decision.state.wanted?.head).toBe(HEAD);
  const later = inputOf({ state: { ...first.decision.state, outbox: [] }, nowMs: NOW + 600_000 });
  expect((await decideAt(later, 'unknown')).decision.state.outbox.map(({ kind }) => kind)).toContain('acquire_slot');
});

test('a review begins when the job has ended, when its deadline has passed, and when no report is configured', async () => {
  const input = inputOf();
  expect((await decideAt(input, 'passed')).decision).toEqual(decide(input));
  const late = inputOf({ nowMs: NOW + 600_000 });
  expect((await decideAt(late, 'open')).decision).toEqual(decide(late));
  const none = await decideAt(input, 'open', false);
  expect([none.decision, none.looks]).toEqual([decide(input), 0]);
});

test('a review that already has its slot gives it back while it waits', async () => {
  const { decision } = await decideAt(
    inputOf({ state: make.state({ wanted: make.at(HEAD), slotHeld: true }) }),
    'open',
  );
  expect(decision.state).toMatchObject({ slotHeld: false, running: null, runsUsed: 0 });
  expect(decision.state.outbox.map(({ kind }) => kind)).toContain('release_slot');
});

test('the jobs are not read when no review would begin', async () => {
  const running = inputOf({ state: make.state({ running: make.run({ head: HEAD }) }) });
  const idle = inputOf({ state: make.state({}) });
  const closed = inputOf({ facts: make.facts({ changeRequest: make.changeRequest({ head: HEAD, state: 'closed' }) }) });
  for (const input of [running, idle, closed]) expect((await decideAt(input, 'open')).looks).toBe(0);
});
