/** Sends a body, with the scripted faults. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from './reply.ts';

export type Outcome = 'complete' | 'cut' | 'ended-early' | 'error-event' | 'aborted';

/** A stream as it is sent, and the events that faults add to it. */
export type Frames = {
  readonly all: readonly string[];
  readonly ping: string;
  readonly unknown: string;
  readonly error: (fault: NonNullable<Transport['errorAfterEvents']>) => string;
};

export type Delivery = {
  readonly response: ServerResponse;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  readonly transport: Transport;
};

const orGone = (gone: AbortSignal, start: (done: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const done = (): void => {
      gone.removeEventListener('abort', done);
      resolve();
    };
    gone.addEventListener('abort', done);
    start(done);
  });

/** True when the time has passed; false when the client disconnected before. */
export const pause = async (ms: number, gone: AbortSignal): Promise<boolean> => {
  if (ms > 0) await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
  return !gone.aborted;
};

export const stallUntilGone = async (gone: AbortSignal): Promise<Outcome> => {
  await orGone(gone, () => undefined);
  return 'aborted';
};

const write = (response: ServerResponse, bytes: Buffer, gone: AbortSignal): Promise<void> =>
  orGone(gone, (done) => void response.write(bytes, done));

const writePieces = async (bytes: Buffer, { response, gone, transport }: Delivery): Promise<void> => {
  const size = transport.pieceBytes ?? Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += size) await write(response, bytes.subarray(at, at + size), gone);
};

const end = (response: ServerResponse, gone: AbortSignal): Promise<void> =>
  orGone(gone, (done) => void response.end(done));

/** Waits a little, so that the client gets the written bytes before the reset. */
const cut = async (response: ServerResponse): Promise<Outcome> => {
  await sleep(5);
  response.destroy();
  return 'cut';
};

const decorate = (frames: Frames, { pings, unknownEvent }: Transport): readonly string[] =>
  frames.all.flatMap((frame, at) => [
    frame,
    ...(at === 0 && unknownEvent === true ? [frames.unknown] : []),
    ...(pings === true && at < frames.all.length - 1 ? [frames.ping] : []),
  ]);

/** The fault that ends a stream before event `at`; null to go on. */
const interrupt = async (at: number, { error }: Frames, delivery: Delivery): Promise<Outcome | null> => {
  const { transport, response, gone } = delivery;
  if (gone.aborted) return 'aborted';
  if (at === transport.cutAfterEvents) return cut(response);
  if (at === transport.stallAfterEvents) return stallUntilGone(gone);
  if (at === transport.endAfterEvents) {
    await end(response, gone);
    return 'ended-early';
  }
  if (at === transport.errorAfterEvents?.events) {
    await write(response, Buffer.from(error(transport.errorAfterEvents)), gone);
    await end(response, gone);
    return 'error-event';
  }
  return null;
};

const deliverBytes = async (bytes: Buffer, limit: number, delivery: Delivery): Promise<Outcome> => {
  await writePieces(bytes.subarray(0, limit), delivery);
  return delivery.gone.aborted ? 'aborted' : cut(delivery.response);
};

export const deliverEvents = async (frames: Frames, delivery: Delivery): Promise<Outcome> => {
  const { transport, response, gone } = delivery;
  const all = decorate(frames, transport);
  response.flushHeaders();
  if (transport.cutAfterBytes !== undefined) {
    return deliverBytes(Buffer.from(all.join('')), transport.cutAfterBytes, delivery);
  }
  for (const [at, frame] of all.entries()) {
    if (at > 0 && !(await pause(transport.gapMs ?? 0, gone))) return 'aborted';
    const ended = await interrupt(at, frames, delivery);
    if (ended !== null) return ended;
    await writePieces(Buffer.from(frame), delivery);
  }
  await end(response, gone);
  return gone.aborted ? 'aborted' : 'complete';
};

export const deliverJson = async (body: object, delivery: Delivery): Promise<Outcome> => {
  const { transport, response, gone } = delivery;
  const whole = Buffer.from(JSON.stringify(body));
  const bytes = transport.truncateJson === true ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
  response.setHeader('content-length', bytes.length);
  response.flushHeaders();
  if (transport.stallAfterEvents === 0) return stallUntilGone(gone);
  if (transport.cutAfterBytes !== undefined) return deliverBytes(bytes, transport.cutAfterBytes, delivery);
  await writePieces(bytes, delivery);
  await end(response, gone);
  if (gone.aborted) return 'aborted';
  return transport.truncateJson === true ? 'ended-early' : 'complete';
};
