import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessStartError, type CommandSpec, runCommand } from '../../../../shared/workspace/process/command.ts';
import { never, temporaryFolder } from '../repository.ts';

let folder = temporaryFolder();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.dispose());

/** A shell only as the program under test: the production code never starts one. */
const shell = (script: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  file: '/bin/sh',
  args: ['-c', script],
  env: {},
  cwd: folder.path,
  timeoutMs: 10_000,
  maxStdoutBytes: 1000,
  ...more,
});

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const settled = async (condition: () => boolean): Promise<boolean> => {
  for (let tries = 0; tries < 200 && !condition(); tries += 1) await delay(10);
  return condition();
};

describe('runCommand', () => {
  it('gives exit code and both outputs as a value', async () => {
    expect(await runCommand(shell('printf out; printf err >&2; exit 3'), never())).toEqual({
      exitCode: 3,
      stdout: Buffer.from('out'),
      stderr: 'err',
      timedOut: false,
      truncated: false,
    });
  });

  it('inherits nothing from the environment', async () => {
    process.env['FIXPOINT_TEST_CANARY'] = 'canary';
    const { stdout } = await runCommand(shell('', { file: '/usr/bin/env', args: [] }), never());
    delete process.env['FIXPOINT_TEST_CANARY'];
    expect(stdout.toString('utf8')).toBe('');
  });

  it('closes standard input when there is none to give', async () => {
    expect((await runCommand(shell('cat; printf done'), never())).stdout.toString('utf8')).toBe('done');
  });

  it('gives bytes on standard input and a secret on descriptor 3', async () => {
    const spec = shell('cat; cat <&3', { input: Buffer.from('in '), secretInput: Buffer.from('secret') });
    expect((await runCommand(spec, never())).stdout.toString('utf8')).toBe('in secret');
  });

  it('does not mind a child that never reads its input', async () => {
    const spec = shell('exit 0', { input: Buffer.alloc(1_000_000), secretInput: Buffer.alloc(1_000_000) });
    expect((await runCommand(spec, never())).exitCode).toBe(0);
  });

  it('cuts the output at the limit and ends the child', async () => {
    const result = await runCommand(shell('yes'), never());
    expect({ ...result, stdout: result.stdout.length }).toMatchObject({
      truncated: true,
      timedOut: false,
      stdout: 1000,
    });
  });

  it('does not call output truncated that just fits', async () => {
    const result = await runCommand(shell('printf 12345', { maxStdoutBytes: 5 }), never());
    expect(result).toMatchObject({ truncated: false, exitCode: 0 });
  });

  it('keeps only the beginning of a flood on standard error', async () => {
    const { stderr, exitCode } = await runCommand(shell('head -c 1000000 /dev/zero | tr "\\0" x >&2'), never());
    expect([stderr.length, exitCode]).toEqual([16 * 1024, 0]);
  });

  it('kills the whole process group at the time limit', async () => {
    const spec = shell(`sleep 60 & echo $! > ${join(folder.path, 'pid')}; wait`, { timeoutMs: 300 });
    const result = await runCommand(spec, never());
    const pid = Number(readFileSync(join(folder.path, 'pid'), 'utf8'));
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    expect(await settled(() => !isAlive(pid))).toBe(true);
  });

  it('kills what a child leaves running when it ends', async () => {
    await runCommand(shell(`sleep 60 >/dev/null 2>&1 & echo $! > ${join(folder.path, 'pid')}`), never());
    const pid = Number(readFileSync(join(folder.path, 'pid'), 'utf8'));
    expect(await settled(() => !isAlive(pid))).toBe(true);
  });

  it('ends at the time limit even when a process that left the group holds the pipe', async () => {
    const spec = shell('setsid sleep 20 & sleep 20', { timeoutMs: 200 });
    expect((await runCommand(spec, never())).timedOut).toBe(true);
  });

  it('throws the reason of an abort after the child is gone', async () => {
    const controller = new AbortController();
    const running = runCommand(shell(`touch ${join(folder.path, 'started')}; sleep 60`), controller.signal);
    await settled(() => existsSync(join(folder.path, 'started')));
    controller.abort(new Error('superseded'));
    await expect(running).rejects.toThrow('superseded');
  });

  it('starts nothing when the signal is aborted already', async () => {
    const spec = shell(`touch ${join(folder.path, 'started')}`);
    await expect(runCommand(spec, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(existsSync(join(folder.path, 'started'))).toBe(false);
  });

  it('T5 refuses a program that is not named absolutely', async () => {
    await expect(runCommand(shell('', { file: 'sh' }), never())).rejects.toThrow(ProcessStartError);
  });

  it('throws when the program does not exist', async () => {
    const failure = runCommand(shell('', { file: join(folder.path, 'none') }), never());
    await expect(failure).rejects.toMatchObject({ code: 'COMMAND_NOT_STARTED' });
  });

  it.skipIf(!existsSync('/usr/bin/prlimit'))('stops a child that fills a file or the heap', async () => {
    const limits = { dataBytes: 256 * 1024 * 1024, fileBytes: 100_000 };
    const file = await runCommand(shell('head -c 1000000 /dev/zero > big', { limits }), never());
    const heap = await runCommand(
      shell('', { file: process.execPath, args: ['-e', 'Buffer.alloc(1e9, 1)'], limits }),
      never(),
    );
    expect([file.exitCode, heap.exitCode]).not.toContain(0);
    expect(readFileSync(join(folder.path, 'big')).length).toBe(100_000);
  });
});
