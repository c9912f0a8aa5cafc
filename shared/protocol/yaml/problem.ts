/** A problem in a document, worded for the document's author. Never repeats a value from the document. */
export type Problem = {
  /** The path of the field, such as `body.touched_files[2]`; empty for the whole document. */
  readonly field: string;
  /** The line, counted from 1; null if the field has no line in the text. */
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
