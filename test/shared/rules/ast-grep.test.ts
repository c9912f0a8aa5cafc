import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAstGrep, runAstGrep } from '../../../shared/rules/ast-grep.ts';
import { scanStructural } from '../../../shared/rules/structural-scan.ts';
import { STRUCTURAL_RULES } from '../../../shared/rules/structural/catalogue.ts';

const signal = new AbortController().signal;

describe('findAstGrep', () => {
  it('finds the binary of this platform without PATH', () => {
    expect(findAstGrep()).toMatch(/@ast-grep[\\/]cli-[\w-]+[\\/]ast-grep(?:\.exe)?$/);
  });

  it.each(['plan9-mips', 'win32-ia32'])('says clearly that %s has none', (platform) => {
    expect(() => findAstGrep(platform)).toThrow(/no ast-grep binary for this platform/);
  });
});

describe('runAstGrep', () => {
  let cwd = '';
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'fixpoint-test-'));
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  /** Node stands in for a binary that misbehaves. */
  const node = (code: string, limits: { readonly timeoutMs?: number; readonly maxOutputBytes?: number } = {}) => ({
    binary: process.execPath,
    args: ['-e', code],
    cwd,
    timeoutMs: 20_000,
    maxOutputBytes: 1000,
    ...limits,
  });
  const forever = 'setInterval(() => {}, 1000)';

  it('gives the process no environment', async () => {
    expect(await runAstGrep(node('process.stdout.write(Object.keys(process.env).join())'), signal)).toBe('');
  });

  it.each([
    ['fails', node('process.exit(3)'), 'RULES_ENGINE_FAILED'],
    ['crashes', node('process.abort()'), 'RULES_ENGINE_FAILED'],
    ['says too much', node('process.stdout.write("a".repeat(5000))'), 'RULES_ENGINE_FAILED'],
    ['takes too long', node(forever, { timeoutMs: 100 }), 'RULES_TIMEOUT'],
    ['does not exist', { ...node(''), binary: '/nowhere/ast-grep' }, 'RULES_ENGINE_FAILED'],
  ])('throws when the process %s', async (_, run, code) => {
    await expect(runAstGrep(run, signal)).rejects.toMatchObject({ code });
  });

  it('ends the process and throws the reason when it is aborted', async () => {
    const abort = new AbortController();
    const running = runAstGrep(node(forever), abort.signal);
    abort.abort(new Error('superseded'));
    await expect(running).rejects.toThrow('superseded');
  });
});

describe('scanStructural', () => {
  const usual = process.env['TMPDIR'];
  let temporary = '';
  beforeEach(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'fixpoint-test-'));
    process.env['TMPDIR'] = temporary;
  });
  afterEach(async () => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    await rm(temporary, { recursive: true, force: true });
  });

  it('leaves no folder behind, also after an abort', async () => {
    const abort = new AbortController();
    const running = scanStructural([{ path: 'a.js', text: 'eval(x)' }], STRUCTURAL_RULES, abort.signal);
    abort.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    await scanStructural([{ path: 'a.js', text: 'eval(x)' }], STRUCTURAL_RULES, signal);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('throws when the engine refuses the rules, and blames no file', async () => {
    const [rule] = STRUCTURAL_RULES;
    const broken = rule === undefined ? [] : [{ ...rule, rule: { kind: 'no_such_kind' } }];
    const files = ['a.js', 'b.js'].map((path) => ({ path, text: 'eval(x)' }));
    await expect(scanStructural(files, broken, signal)).rejects.toMatchObject({ code: 'RULES_ENGINE_FAILED' });
  });
});
