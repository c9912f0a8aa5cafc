/**
 * A call in a block that saves, sends or deletes something, for a regular expression of ast-grep. If such a call fails and nobody
 * learns of it, data is lost. Other attempts may fail: reading a value, closing a connection.
 */
export const CHANGES_STATE =
  '\\b(save|write|update|delete|insert|send|submit|commit|publish|upload|persist|store|enqueue|flush|[Ss]ettings?\\.set|Save|Write|Update|Delete|Insert|Send|Submit|Commit|Publish|Upload|Persist|Store|Enqueue|Flush)([A-Z_]\\w*)?\\(';
