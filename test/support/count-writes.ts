import type { Redis } from 'ioredis';

/** Counts the writes to the socket of the connection while `work` runs. */
export const countWrites = async ({ stream }: Redis, work: () => Promise<unknown>): Promise<number> => {
  let writes = 0;
  const counting = (name: '_write' | '_writev') => {
    const real: unknown = Object(stream)[name];
    if (typeof real !== 'function') throw new Error(`no ${name}`);
    return (...given: readonly unknown[]): unknown => {
      writes += 1;
      return Reflect.apply(real, stream, given);
    };
  };
  Object.assign(stream, { _write: counting('_write'), _writev: counting('_writev') });
  try {
    await work();
    return writes;
  } finally {
    for (const name of ['_write', '_writev']) Reflect.deleteProperty(stream, name);
  }
};
