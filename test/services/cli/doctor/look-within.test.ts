import { expect, it } from 'vitest';
import { ok, warn } from '../../../../services/cli/doctor/check.ts';
import { type Looks, lookWithin } from '../../../../services/cli/doctor/look-within.ts';
import { AppError } from '../../../../shared/errors.ts';

const FOUND = ok('shop/web: the bot has write access');

const never = (): AbortSignal => new AbortController().signal;

const look = async (looks: Looks, ms = 60_000, signal = never()) =>
  lookWithin({ name: 'shop/web', ms, failed: ({ code }) => warn(`told as ${code}`, 'fix it') }, looks, signal);

const refuse = (code: string) => new AppError({ code, message: 'no answer', disposition: { kind: 'retry' } });

it('keeps what was found before the time was over', async () => {
  const looks: Looks = async (note, signal) => {
    note([FOUND]);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  expect(await look(looks, 10)).toEqual([
    FOUND,
    {
      level: 'warn',
      text: 'shop/web: not checked completely, because the forge needs more than 0.01 s',
      fix: expect.stringContaining('less busy'),
    },
  ]);
});

it('ends although the work ignores its signal', async () => {
  expect(await look(async () => new Promise(() => {}), 10)).toMatchObject([{ level: 'warn' }]);
});

it('keeps what was found before a call failed, and does not blame the address', async () => {
  const looks: Looks = async (note) => {
    note([FOUND]);
    throw refuse('FORGE_UNAVAILABLE');
  };
  expect(await look(looks)).toEqual([
    FOUND,
    {
      level: 'warn',
      text: 'shop/web: not checked completely: no answer',
      fix: expect.stringContaining('logs of the forge'),
    },
  ]);
});

it('describes any other refusal with its project, and passes on what is no refusal', async () => {
  expect(await look(async () => Promise.reject(refuse('FORGE_FORBIDDEN')))).toEqual([
    { level: 'warn', text: 'shop/web: told as FORGE_FORBIDDEN', fix: 'fix it' },
  ]);
  await expect(look(async () => Promise.reject(new TypeError('a mistake')))).rejects.toThrow('a mistake');
});

it('ends with the whole command', async () => {
  const whole = new AbortController();
  const looked = look(async () => new Promise(() => {}), 60_000, whole.signal);
  whole.abort(new Error('interrupted'));
  await expect(looked).rejects.toThrow('interrupted');
});
