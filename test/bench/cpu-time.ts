/** How much processor time processes and the machine have used, from `/proc`. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Linux counts in hundredths of a second, whatever the kernel's own rate. */
const TICKS_PER_S = 100;

/** Fields after the name of the program, which may contain spaces. */
const fieldsOf = (text: string): readonly number[] =>
  text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);

/** Seconds of a process and of those of its children that have ended. */
export const processSeconds = (pid: number): number => {
  const fields = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return fields.slice(11, 15).reduce((sum, each) => sum + each, 0) / TICKS_PER_S;
};

/** Seconds in which the machine's cores were busy, with the work of others. */
export const busySeconds = (): number => {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_S;
};

export const cores = availableParallelism();
