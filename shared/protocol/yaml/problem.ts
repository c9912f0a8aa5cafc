/** What is wrong with a document, for whoever wrote it. Nothing of the document's values is repeated. */
export type Problem = {
  /** Names and indices joined as in `body.touched_files[2]`; empty when the document as a whole is meant. */
  readonly field: string;
  /** Counts from 1; null when the text has no such place. */
  readonly line: number | null;
  readonly message: string;
};

export type FieldPath = readonly PropertyKey[];

export const fieldName = (path: FieldPath): string =>
  path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? String(key) : `${name}.${String(key)}`;
  }, '');

export const printProblem = ({ field, line, message }: Problem): string => {
  const where = line === null ? '' : `line ${line}: `;
  return field === '' ? `${where}${message}` : `${where}${field} ${message}`;
};
