/** Limits the memory for request bodies: anyone can send one, and the sender is verified only after the last byte. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../shared/errors.ts';

export type BodyLimits = {
  /** Maximum size of one body. */
  readonly maxBytes: number;
  /** Maximum total size of all bodies that are being read. */
  readonly maxTotalBytes: number;
};

/** fastify uses `statusCode` for the response. */
export class RefusedBodyError extends AppError {
  readonly statusCode: number;
  constructor(statusCode: 400 | 413 | 503, message: string) {
    super({ code: 'BODY_REFUSED', message, disposition: { kind: 'drop' } });
    this.statusCode = statusCode;
  }
}

const tooLarge = (): RefusedBodyError => new RefusedBodyError(413, 'the body is larger than the limit');
const tooMany = (): RefusedBodyError => new RefusedBodyError(503, 'too many bodies are being read');
const tooShort = (): RefusedBodyError => new RefusedBodyError(400, 'the body ended too early');

/** Counted for each chunk as overhead, so that a body in tiny chunks is not underestimated. */
const PIECE_BYTES = 256;

type Held = { bytes: number; readonly refuse: (reason: RefusedBodyError) => void };

export type BodyStore = {
  /** Stops counting a body after its last byte, because an authenticated delivery is answered within half a second. */
  readonly read: (request: IncomingMessage, payload: NodeJS.ReadableStream) => Promise<Buffer>;
};

export const createBodyStore = ({ maxBytes, maxTotalBytes }: BodyLimits): BodyStore => {
  const all = new Set<Held>();
  let total = 0;
  const release = (held: Held): void => {
    if (all.delete(held)) total -= held.bytes;
  };
  const largest = (): Held | undefined => [...all].toSorted((one, other) => other.bytes - one.bytes)[0];
  const grow = (held: Held, length: number): void => {
    if (!all.has(held)) return;
    held.bytes += length + PIECE_BYTES;
    total += length + PIECE_BYTES;
    if (total <= maxTotalBytes) return;
    // Refuses the largest body, not the newest, so that deliveries of normal size are still accepted.
    const most = largest();
    most?.refuse(tooMany());
  };
  const read: BodyStore['read'] = async (request, payload) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let length = 0;
      const held: Held = { bytes: 0, refuse: (reason) => stop(reason) };
      const stop = (reason: Error): void => {
        release(held);
        payload.removeAllListeners('data');
        pieces.length = 0;
        reject(reason);
      };
      all.add(held);
      payload.on('data', (piece: Buffer) => {
        length += piece.length;
        if (length > maxBytes) return stop(tooLarge());
        pieces.push(piece);
        grow(held, piece.length);
      });
      payload.once('error', stop);
      payload.once('end', () => {
        release(held);
        const [only] = pieces;
        resolve(pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces));
      });
      // Every request closes in the end; an error is made only for one whose body is incomplete.
      request.once('close', () => {
        if (all.has(held)) stop(tooShort());
      });
    });
  };
  return { read };
};
