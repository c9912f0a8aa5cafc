/**
 * Loaded into every service of the soak. On SIGUSR2 it collects garbage and writes what is left, in bytes, into the file
 * that has the number of this process, after the count of collections.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const folder = process.env['SOAK_LIVE_FOLDER'];
if (folder !== undefined && isMainThread) {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  let count = 0;
  process.on('SIGUSR2', () => {
    collect();
    count += 1;
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(path.join(folder, String(process.pid)), `${count} ${heapUsed + external}\n`);
  });
}
