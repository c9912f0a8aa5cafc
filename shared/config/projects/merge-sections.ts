/** Puts the sections of a project over the settings of the installation: per key, the last section wins. */

type Table = Readonly<Record<string, unknown>>;

/** A value is addressed by the keys that lead to it, joined by dots: `agent.reviewer.models`. */
export type Leaf = { readonly path: string; readonly value: unknown };

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Lists the values of a table. A list is one value. */
export const leavesOf = (table: Table, prefix = ''): readonly Leaf[] =>
  Object.entries(table).flatMap(([key, value]): readonly Leaf[] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (value === undefined) return [];
    return isTable(value) ? leavesOf(value, path) : [{ path, value }];
  });

const mergeTables = (below: Table, above: Table): Table => {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    if (value === undefined) continue;
    const old = merged[key];
    merged[key] = isTable(value) && isTable(old) ? mergeTables(old, value) : value;
  }
  return merged;
};

/** A role's models are one choice: a section that names `model` also replaces `models`. */
const withOneChoice = (above: Table): Table => {
  const { agent } = above;
  if (!isTable(agent)) return above;
  const roles = Object.entries(agent).map(([role, value]) =>
    isTable(value) && value['model'] !== undefined && value['models'] === undefined
      ? [role, { ...value, models: [] }]
      : [role, value],
  );
  return { ...above, agent: Object.fromEntries(roles) };
};

export type Merged<Settings> = {
  readonly settings: Settings;
  /** The index of the section that set a value. A path that is missing was set by no section. */
  readonly origins: ReadonlyMap<string, number>;
};

export type Layer = { readonly index: number; readonly values: Table };

/** Contract: each layer has the keys and types of `settings`, as its schema ensures; later layers win. */
export const mergeSections = <Settings extends Table>(
  settings: Settings,
  layers: readonly Layer[],
): Merged<Settings> => {
  const origins = new Map<string, number>();
  let merged: Table = settings;
  for (const { index, values } of layers) {
    const chosen = withOneChoice(values);
    merged = mergeTables(merged, chosen);
    for (const { path } of leavesOf(chosen)) origins.set(path, index);
  }
  // The cast is safe because a layer only replaces values by values of the same type.
  return { settings: merged as Settings, origins };
};
