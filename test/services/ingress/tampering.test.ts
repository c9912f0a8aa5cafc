import { describe, expect, it } from 'vitest';
import { forgejoPullRequest, gitlabMergeRequest } from '../../shared/webhooks/payloads.ts';
import { createFakeIngress, type Delivery, deliver, forgejoDelivery, signedGitlabDelivery } from './fake-ingress.ts';

const SIZE_BYTES = 2048;

/** Exactly `SIZE_BYTES` long. */
const padded = (body: Readonly<Record<string, unknown>>): Buffer => {
  const bare = JSON.stringify({ ...body, padding: '' }).length;
  return Buffer.from(JSON.stringify({ ...body, padding: 'x'.repeat(SIZE_BYTES - bare) }), 'utf8');
};

const flipped = (payload: Buffer, index: number): Buffer => {
  const copy = Buffer.from(payload);
  copy[index] = (copy[index] ?? 0) ^ (1 << (index % 8));
  return copy;
};

describe.each<[string, Delivery]>([
  ['Forgejo', forgejoDelivery('pull_request', padded(forgejoPullRequest()))],
  ['GitLab', signedGitlabDelivery(padded(gitlabMergeRequest()))],
])('a signed body of %s', (_name, delivery) => {
  it('is believed untouched', async () => {
    expect(delivery.payload).toHaveLength(SIZE_BYTES);
    expect((await deliver(createFakeIngress().app, delivery)).statusCode).toBe(202);
  });

  it('is not believed with any one bit changed', async () => {
    const { app, asked } = createFakeIngress();
    const believed: number[] = [];
    for (let index = 0; index < SIZE_BYTES; index += 1) {
      const response = await deliver(app, { ...delivery, payload: flipped(delivery.payload, index) });
      if (response.statusCode !== 401 || response.body !== '') believed.push(index);
    }
    expect(believed).toEqual([]);
    expect(asked).toEqual([]);
  });

  it.each([
    ['written down again', (payload: Buffer) => Buffer.from(JSON.stringify(JSON.parse(payload.toString()), null, 1))],
    ['with a byte less', (payload: Buffer) => payload.subarray(1)],
    ['with a byte more', (payload: Buffer) => Buffer.concat([payload, Buffer.from(' ')])],
    ['emptied', () => Buffer.alloc(0)],
  ])('is not believed %s', async (_change, change) => {
    const { app, asked } = createFakeIngress();
    const response = await deliver(app, { ...delivery, payload: change(delivery.payload) });
    expect([response.statusCode, response.body]).toEqual([401, '']);
    expect(asked).toEqual([]);
  });
});
