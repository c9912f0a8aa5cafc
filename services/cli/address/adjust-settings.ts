import { parse, stringify, type TomlTable } from 'smol-toml';

/** Settings that the command overrides in every configuration. */
export type Adjustment = {
  /** The folder that holds all files of the review. */
  readonly dataDir: string;
  readonly dryRun: boolean;
  /** Whether the verdict waits for the CI of the head. */
  readonly waitForCi: boolean;
  /** Further accounts whose comments count as the bot's, in addition to those of the configuration. */
  readonly botUserIds: readonly number[];
};

const tableAt = (document: TomlTable, key: string): TomlTable => {
  const found = document[key];
  return typeof found === 'object' && !Array.isArray(found) && !(found instanceof Date) ? found : {};
};

/**
 * Contract: `settings` is a valid configuration. Nothing is pushed, and no operator is notified, because the caller
 * sees the result.
 */
export const adjustSettings = (settings: string, adjustment: Adjustment): string => {
  const { notify: _notify, ...document } = parse(settings);
  const { dataDir, dryRun, waitForCi } = adjustment;
  const forges = Array.isArray(document['forge']) ? document['forge'] : [];
  return stringify({
    ...document,
    data_dir: dataDir,
    review: { ...tableAt(document, 'review'), ...(dryRun ? { dry_run: true } : {}) },
    gate: { ...tableAt(document, 'gate'), ...(waitForCi ? {} : { wait_for_ci: false }) },
    health: { ...tableAt(document, 'health'), enabled: false },
    author: { ...tableAt(document, 'author'), enabled: false },
    // Safe cast: a valid configuration has only tables here.
    forge: forges.map((each) => adjustForge(each as TomlTable, adjustment)),
  });
};

const adjustForge = (forge: TomlTable, { dryRun, botUserIds }: Adjustment): TomlTable => {
  const known = forge['previous_bot_user_ids'];
  const ids = [...new Set([...(Array.isArray(known) ? known : []), ...botUserIds])];
  const { post_token_env: posting, ...rest } = forge;
  const reading = forge['read_token_env'];
  // A poster that writes nothing needs no token with write access.
  const token = dryRun ? reading : posting;
  return { ...rest, ...(token === undefined ? {} : { post_token_env: token }), previous_bot_user_ids: ids };
};
