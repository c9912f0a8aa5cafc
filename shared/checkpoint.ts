/**
 * A step at which a crash test kills the process with SIGKILL. `FIXPOINT_CRASH_AT=service:step` kills it the first time the
 * step is reached, and `service:step:n` kills it the nth time.
 */
export type Checkpoint = (step: string) => void;

export const createCheckpoint = (service: string, crashAt: string | undefined): Checkpoint => {
  const [named, step, count = '1'] = crashAt?.split(':') ?? [];
  if (named !== service) return () => {};
  let left = Number(count);
  return (reached) => {
    if (reached !== step) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
};
