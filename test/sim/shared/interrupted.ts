const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** npm forwards signals that the terminal already sent to all processes, so one Ctrl-C arrives twice. */
const ECHO_MS = 1000;

/** Resolves at the first SIGINT or SIGTERM; one that comes at least a second later ends the process at once. */
export const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    let first = Infinity;
    const hear = (): void => {
      if (Date.now() - first >= ECHO_MS) process.exit(1);
      first = Math.min(first, Date.now());
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
