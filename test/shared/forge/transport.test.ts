/** The moments that no real connection can be made to show on purpose. */
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { type Dispatches, type Exchange, exchangeOnce, type RequestOutcome } from '../../../shared/forge/transport.ts';

const exchange: Exchange = {
  origin: 'http://forge.example',
  path: '/x',
  method: 'POST',
  headers: {},
  body: '{}',
  maxBytes: 100,
};

type Stage = {
  readonly dispatcher: Dispatches;
  readonly handler: () => Dispatcher.DispatchHandler;
  readonly controller: Dispatcher.DispatchController;
  readonly aborted: readonly Error[];
};

const stage = (): Stage => {
  let kept: Dispatcher.DispatchHandler = {};
  const aborted: Error[] = [];
  const dispatcher: Dispatches = {
    dispatch: (_options, handler) => {
      kept = handler;
      return true;
    },
  };
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => void aborted.push(reason),
    pause: () => undefined,
    resume: () => undefined,
  };
  return { dispatcher, handler: () => kept, controller, aborted };
};

describe('exchangeOnce', () => {
  it('does not let a request go that was given up while it waited for a connection', async () => {
    const { dispatcher, handler, controller, aborted } = stage();
    const giveUp = new AbortController();
    const outcome = exchangeOnce(dispatcher, exchange, giveUp.signal);
    giveUp.abort();
    expect(await outcome).toEqual<RequestOutcome>({ kind: 'not_sent', reason: 'AbortError', aborted: true });
    handler().onRequestStart?.(controller, {});
    expect(aborted).toHaveLength(1);
  });

  it('calls a request lost as soon as it may have begun to leave', async () => {
    const { dispatcher, handler, controller, aborted } = stage();
    const giveUp = new AbortController();
    const outcome = exchangeOnce(dispatcher, exchange, giveUp.signal);
    handler().onRequestStart?.(controller, {});
    giveUp.abort();
    expect(await outcome).toEqual<RequestOutcome>({ kind: 'lost', reason: 'AbortError', aborted: true, status: null });
    expect(aborted).toHaveLength(1);
  });

  it('knows the status of an answer that breaks off', async () => {
    const { dispatcher, handler, controller } = stage();
    const outcome = exchangeOnce(dispatcher, exchange, new AbortController().signal);
    handler().onRequestStart?.(controller, {});
    handler().onResponseStart?.(controller, 201, {});
    handler().onResponseError?.(
      controller,
      Object.assign(new Error('quotes what was sent'), { code: 'UND_ERR_SOCKET' }),
    );
    expect(await outcome).toEqual<RequestOutcome>({
      kind: 'lost',
      reason: 'UND_ERR_SOCKET',
      aborted: false,
      status: 201,
    });
  });

  it('does not take an interim answer for the answer', async () => {
    const { dispatcher, handler, controller } = stage();
    const outcome = exchangeOnce(dispatcher, exchange, new AbortController().signal);
    handler().onRequestStart?.(controller, {});
    handler().onResponseStart?.(controller, 103, { link: 'early' });
    handler().onResponseStart?.(controller, 200, {});
    handler().onResponseData?.(controller, Buffer.from('fine'));
    handler().onResponseEnd?.(controller, {});
    expect(await outcome).toEqual<RequestOutcome>({ kind: 'answer', status: 200, headers: {}, text: 'fine' });
  });

  it('calls a request that cannot be made not sent', async () => {
    const dispatcher: Dispatches = {
      dispatch: () => {
        throw new TypeError('bad header');
      },
    };
    const outcome = exchangeOnce(dispatcher, exchange, new AbortController().signal);
    expect(await outcome).toEqual<RequestOutcome>({ kind: 'not_sent', reason: 'TypeError', aborted: false });
  });
});
