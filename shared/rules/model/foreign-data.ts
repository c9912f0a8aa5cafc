/**
 * Words in an expression that say that its data comes from somebody else, for a regular expression of ast-grep. A word such as
 * "cache" or "store" beside them excuses nothing.
 */
export const FOREIGN_DATA =
  '(?i)request|\\breq\\b|\\bparams?\\b|cookie|\\bbody\\b|payload|recv|upload|\\binput\\b|download|socket|packet|header|message';
