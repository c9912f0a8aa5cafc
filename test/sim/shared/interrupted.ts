const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** npm passes on what the terminal has sent to everybody, so one Ctrl-C arrives twice. */
const ECHO_MS = 1000;

/** Resolves at the first SIGINT or SIGTERM; one that comes a second or more later ends the process at once. */
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
