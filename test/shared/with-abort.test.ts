import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withAbort } from '../../shared/with-abort.ts';

const signals = (): readonly [AbortController, AbortController] => [new AbortController(), new AbortController()];

test.each([0, 1])('aborts the work with signal %i, with its reason', async (index) => {
  const sources = signals();
  const work = withAbort(
    sources.map(({ signal }) => signal),
    async ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(signal.reason));
      }),
  );
  sources[index]?.abort(new Error('stopping'));
  expect(await work).toEqual(new Error('stopping'));
});

test('begins aborted if a signal is', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  expect(await withAbort([gone], async ({ signal }) => signal.reason)).toEqual(new Error('gone'));
});

test('the work can be aborted alone', async () => {
  const [one] = signals();
  const aborted = await withAbort([one.signal], async (controller) => {
    controller.abort();
    return controller.signal.aborted;
  });
  expect([aborted, one.signal.aborted]).toEqual([true, false]);
});

test.each(['done', 'failed'])('leaves nothing at the signals when the work is %s', async (end) => {
  const [one] = signals();
  const work = withAbort([one.signal], async () => {
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
    if (end === 'failed') throw new Error(end);
    return end;
  });
  await work.catch(() => undefined);
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});

test('many pieces of work follow one signal without a warning', async () => {
  const [one] = signals();
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', onWarning);
  const late = new Promise<void>((resolve) => setTimeout(resolve, 20));
  await Promise.all(Array.from({ length: 30 }, async () => withAbort([one.signal], async () => late)));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
