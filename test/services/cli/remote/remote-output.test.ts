import { expect, test } from 'vitest';
import { type RemoteReading, remoteOutput } from '../../../../services/cli/remote/remote-output.ts';
import { REPORTS } from '../../../../services/cli/report/report-formats.ts';
import type { ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import * as make from '../../../shared/rounds/builders.ts';

const REFUTED = { title: 'The result is lost', path: 'src/run.js', line: 4, evidence: 'return result;' };

const reading = (draft: ReviewDraft | null): RemoteReading => ({
  facts: make.changeRequest(),
  history: make.history(),
  reviewed: make.reviewedAt(make.sha('head')),
  draft,
  isNew: draft !== null,
  isPosted: false,
  reason: null,
});

test('what a verifier refuted is in the result, and its text names it', () => {
  const output = remoteOutput(reading(make.draft({ refutedClaims: [REFUTED] })));
  expect(output.refuted).toEqual([REFUTED]);
  expect(REPORTS.text(output)).toContain(
    'Refuted, so not reported:\n  src/run.js:4: The result is lost; a verifier quoted: return result;\n',
  );
});

test.each([
  ['of an earlier review', null],
  ['of a review in which nothing was refuted', make.draft()],
])('the result %s has no list of refuted claims', (_name, draft) => {
  expect(remoteOutput(reading(draft))).not.toHaveProperty('refuted');
});
