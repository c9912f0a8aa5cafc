import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { createLogger } from '../../../shared/logger.ts';
import type { Logger } from '../../../shared/logger.ts';
import { createShutdown, runUntilSignal } from '../../../shared/runtime/shutdown.ts';

const quiet = createLogger({ service: 'test', level: 'silent', to: 'stderr', secrets: [] });

function recordingLog(): { log: Logger; messages: () => unknown[] } {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'info', to: { write: (line) => lines.push(line) }, secrets: [] });
  return { log, messages: () => lines.map((line) => JSON.parse(line)).map(({ msg, step }) => [msg, step]) };
}

test('closes what was opened last first, one after the other, and only once', async () => {
  const order: string[] = [];
  const shutdown = createShutdown({ log: quiet });
  for (const name of ['redis', 'worker', 'health']) {
    shutdown.onShutdown(name, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    });
  }
  expect(shutdown.begun.aborted).toBe(false);
  expect(await Promise.all([shutdown.close(), shutdown.close()])).toEqual(['clean', 'clean']);
  expect(shutdown.begun.aborted).toBe(true);
  expect(order).toEqual(['health begins', 'health ends', 'worker begins', 'worker ends', 'redis begins', 'redis ends']);
});

test('a failing step is logged and does not keep the others open', async () => {
  const { log, messages } = recordingLog();
  const closed: string[] = [];
  const shutdown = createShutdown({ log });
  shutdown.onShutdown('redis', () => closed.push('redis'));
  shutdown.onShutdown('later', () => Promise.reject(new Error('x')));
  shutdown.onShutdown('at once', () => {
    throw new Error('x');
  });
  expect(await shutdown.close()).toBe('incomplete');
  expect(closed).toEqual(['redis']);
  expect(messages()).toEqual([
    ['closing failed', 'at once'],
    ['closing failed', 'later'],
  ]);
});

test('a step that hangs is told at the deadline and left behind, and the rest is still closed', async () => {
  const { log, messages } = recordingLog();
  const seen: unknown[] = [];
  const shutdown = createShutdown({ log, deadlineMs: 20 });
  shutdown.onShutdown('redis', () => seen.push('redis'));
  shutdown.onShutdown('worker', (signal) => {
    signal.addEventListener('abort', () => seen.push('told'));
    return new Promise(() => {});
  });
  expect(await shutdown.close()).toBe('incomplete');
  expect(seen).toEqual(['told', 'redis']);
  expect(messages()).toContainEqual(['not closed before the deadline', 'worker']);
});

function start(close: () => unknown): {
  signals: EventEmitter;
  exits: number[];
  ended: Promise<number>;
  at: (ms: number) => void;
} {
  const signals = new EventEmitter();
  const exits: number[] = [];
  let now = 0;
  const shutdown = createShutdown({ log: quiet });
  shutdown.onShutdown('work', close);
  const ended = runUntilSignal({ shutdown, log: quiet, signals, exit: (code) => exits.push(code), nowMs: () => now });
  return { signals, exits, ended, at: (ms) => (now = ms) };
}

test.each(['SIGTERM', 'SIGINT'])('%s closes everything and exits with 0', async (signal) => {
  const { signals, exits, ended } = start(() => undefined);
  signals.emit(signal, signal);
  expect(await ended).toBe(0);
  expect(exits).toEqual([0]);
  expect(signals.listenerCount(signal)).toBe(0);
});

test('exits with 1 when something did not close', async () => {
  const { signals, ended } = start(() => Promise.reject(new Error('x')));
  signals.emit('SIGTERM', 'SIGTERM');
  expect(await ended).toBe(1);
});

test('a second signal exits at once, but not the echo of the first', async () => {
  const { signals, exits, ended, at } = start(() => new Promise(() => {}));
  signals.emit('SIGINT', 'SIGINT');
  at(999);
  signals.emit('SIGTERM', 'SIGTERM');
  expect(exits).toEqual([]);
  at(1000);
  signals.emit('SIGINT', 'SIGINT');
  expect(await ended).toBe(130);
  expect(exits).toEqual([130]);
});

test('a real process drains on SIGTERM and leaves with code 0', async () => {
  const program = `
    import { createLogger } from './shared/logger.ts';
    import { createShutdown, runUntilSignal } from './shared/runtime/shutdown.ts';
    const log = createLogger({ service: 'test', level: 'info', to: 'stdout', secrets: [] });
    const shutdown = createShutdown({ log });
    const keepAlive = setInterval(() => {}, 1000);
    shutdown.onShutdown('timer', () => clearInterval(keepAlive));
    shutdown.onShutdown('work', async () => log.info('drained'));
    const ended = runUntilSignal({ shutdown, log });
    log.info('ready');
    await ended;`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    const wasReady = output.includes('"ready"');
    output += String(chunk);
    if (!wasReady && output.includes('"ready"')) child.kill('SIGTERM');
  });
  const [code, signal] = await once(child, 'exit');
  expect([code, signal]).toEqual([0, null]);
  expect(output).toContain('"drained"');
});
