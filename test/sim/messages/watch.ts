export type Watch = {
  /** Contract: called after every possible change. */
  notify(): void;
  /** Resolves as soon as the condition holds; rejects after `timeoutMs`. */
  until(condition: () => boolean, timeoutMs: number): Promise<void>;
};

export const createWatch = (): Watch => {
  const looks = new Set<() => void>();
  return {
    notify: () => looks.forEach((look) => look()),
    until: (condition, timeoutMs) =>
      new Promise((resolve, reject) => {
        const finish = (settle: () => void): void => {
          clearTimeout(timer);
          looks.delete(look);
          settle();
        };
        const look = (): void => {
          if (condition()) finish(resolve);
        };
        const late = (): void => finish(() => reject(new Error(`the condition did not hold within ${timeoutMs} ms`)));
        const timer = setTimeout(late, timeoutMs);
        looks.add(look);
        look();
      }),
  };
};
