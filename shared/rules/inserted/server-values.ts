/** Values of `$_SERVER` in PHP that the server sets, whatever a visitor sends. */

const NAMES =
  'SCRIPT_NAME|SCRIPT_FILENAME|DOCUMENT_ROOT|SERVER_(?:ADDR|PORT|SOFTWARE|PROTOCOL|ADMIN)|REMOTE_(?:ADDR|PORT)|REQUEST_TIME(?:_FLOAT)?|HTTPS|GATEWAY_INTERFACE';
const ITEM = `\\$_SERVER\\[\\s?["']?(?:${NAMES})["']?\\s?\\]`;
const ITEMS = new RegExp(ITEM, 'g');
const WHOLE = new RegExp(`^(?:(?:basename|dirname|trim)\\(\\s?)?${ITEM}(?:\\s?\\)(?:\\[\\d\\])?)?$`);

/** Whether the code is such a value, or its last or first part. */
export const isServerValue = (code: string): boolean => WHOLE.test(code.trim());

/** The code with a number in place of each such value. */
export const withoutServerValues = (code: string): string => code.replaceAll(ITEMS, '1');
