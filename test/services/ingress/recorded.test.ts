import { describe, expect, it } from 'vitest';
import { sharedData } from '../../support/shared-data.ts';
import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import { EVENTS } from '../../shared/webhooks/golden.ts';
import { type Recorded, readRecorded } from '../../shared/webhooks/recorded.ts';
import { createFakeIngress, type Delivery, deliver, FORGES, forgejoDelivery, gitlabDelivery } from './fake-ingress.ts';

const root = sharedData('webhooks') === null ? null : sharedData();

/** The paths of all projects that the payload names: some examples of the documentation name two. */
const pathsOf = (body: unknown): readonly string[] => {
  const found = JSON.stringify(body).matchAll(/"(?:full_name|path_with_namespace)":"([^"]+\/[^"]+)"/g);
  return [...found].map(([, path]) => path ?? '');
};

const signed = ({ dialect, headers, raw }: Recorded): Delivery => {
  const names = Object.entries(headers).filter(([name]) => /event/.test(name));
  const events = Object.fromEntries(names.map(([name, value]) => [name, String(value)]));
  if (dialect === 'gitlab') return gitlabDelivery(raw, events);
  const { 'x-forgejo-event-type': _own, ...rest } = forgejoDelivery('', raw).headers;
  return { url: '/webhooks/code', payload: raw, headers: { ...rest, ...events } };
};

describe.skipIf(root === null)('every recorded delivery (needs the recordings beside the checkout)', () => {
  it('is answered 202 when it means something, otherwise 200 with the reason and no job', async () => {
    const recorded = root === null ? [] : readRecorded(root);
    const answers: Record<string, number> = {};
    const expected: Record<string, number> = {};
    for (const one of recorded) {
      const forges = FORGES.map((forge) => ({ ...forge, scope: parseProjectScope(pathsOf(one.body)) }));
      const { app, jobs } = createFakeIngress({ forges });
      const response = await deliver(app, signed(one));
      answers[one.file] = response.statusCode;
      const meaning = EVENTS[one.file];
      expected[one.file] = meaning === undefined || meaning.endsWith('no-path') ? 200 : 202;
      expect(jobs).toHaveLength(response.statusCode === 202 ? 1 : 0);
      if (response.statusCode === 200) expect(response.json()).toEqual({ ignored: expect.any(String) });
    }
    expect(answers).toEqual(expected);
    expect(recorded.length).toBeGreaterThan(200);
  });
});
