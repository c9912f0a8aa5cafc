import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startLiveMemory } from './live-memory.ts';

/** Holds about 32 MB of its heap until it is told to let go. */
const HOLDER = `
let held = Array.from({ length: 4_000_000 }, (_, index) => index + 0.5);
process.stdin.on('data', () => { held = null; console.log('released'); });
console.log('ready');`;

test('what a process still refers to is measured, without its garbage', async () => {
  const live = await startLiveMemory();
  const child = spawn(process.execPath, ['-e', HOLDER], { env: { ...live.env }, stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const before = (await live.measure(child.pid ?? 0)) ?? 0;
    expect(before).toBeGreaterThan(30);
    child.stdin.write('go');
    await once(child.stdout, 'data');
    const after = (await live.measure(child.pid ?? 0)) ?? 0;
    expect(after).toBeLessThan(before - 25);
  } finally {
    child.kill();
    await once(child, 'exit');
    await live.close();
  }
  await expect(live.measure(child.pid ?? 0)).resolves.toBeNull();
});
