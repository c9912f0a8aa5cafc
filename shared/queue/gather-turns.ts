/**
 * Does the work of one turn of the event loop together, at its end. Contract: `work` returns one result per item, in their
 * order; if it rejects, it rejects for each.
 */
export const gatherTurns = <Item, Result>(
  most: number,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): ((item: Item) => Promise<Result>) => {
  type Turn = { readonly items: Item[]; readonly results: Promise<readonly Result[]> };
  let turn: Turn | null = null;
  const start = (): Turn => {
    const items: Item[] = [];
    const results = new Promise<readonly Result[]>((resolve, reject) => {
      setImmediate(() => {
        if (turn?.items === items) turn = null;
        work(items).then(resolve, reject);
      });
    });
    return { items, results };
  };
  return async (item) => {
    turn ??= start();
    const { items, results } = turn;
    const index = items.push(item) - 1;
    if (items.length === most) turn = null;
    const result = (await results)[index];
    if (result === undefined) throw new Error('the work gave too few results');
    return result;
  };
};
