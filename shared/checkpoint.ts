/**
 * Named steps at which a crash test kills the process, as a power cut would. Set `FIXPOINT_CRASH_AT=service:step` to die
 * there with SIGKILL the first time the step is reached; without it a checkpoint costs a comparison.
 */
export type Checkpoint = (step: string) => void;

export const createCheckpoint = (service: string, crashAt: string | undefined): Checkpoint => {
  if (crashAt === undefined || !crashAt.startsWith(`${service}:`)) return () => {};
  const step = crashAt.slice(service.length + 1);
  return (reached) => {
    if (reached === step) process.kill(process.pid, 'SIGKILL');
  };
};
